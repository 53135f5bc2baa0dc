import Glibc
import IO

/// Polls files and folders while they grow.
struct Follow {
  let paths: [String]
  /// Polling interval, s. A window must be printed within 6 s of its end, and the pass itself takes some of that time.
  static let everySeconds = 2.0
  /// After a pass, wait this multiple of its duration, so that passes take at most a third of the time.
  static let restShare = 2.0
  /// Maximum number of files and folders polled.
  private static let maxEntries = 100_000

  private var seen: [String: Mark] = [:]

  /// The properties that show whether a file has changed.
  private struct Mark: Equatable {
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  init(_ paths: [String]) { self.paths = paths }

  /// Whether anything is new or has changed since the last call.
  mutating func hasChanged() -> Bool {
    var marks: [String: Mark] = [:]
    for path in paths { Self.look(at: path, depth: 0, into: &marks) }
    defer { seen = marks }
    return marks != seen
  }

  private static func look(at path: String, depth: Int, into marks: inout [String: Mark]) {
    var facts = stat()
    guard marks.count < maxEntries, depth < 16, stat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      marks[path] = Mark(
        size: Int64(facts.st_size), seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
      return
    }
    guard let folder = opendir(path) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(".") { continue }
      look(at: "\(path)/\(name)", depth: depth + 1, into: &marks)
    }
  }

  /// Runs a pass whenever something has changed, until the user interrupts or nothing changes for `idleSeconds`.
  ///
  /// Each pass reads changed files from the start, so that the rows are the same as those of an import at the end of
  /// the night.
  mutating func run(untilIdle idleSeconds: Double?, pass: () throws -> Void) rethrows {
    var idleSince = MonotonicClock.nowSeconds
    while !Interruption.isAsked {
      let start = MonotonicClock.nowSeconds
      if hasChanged() {
        try pass()
        idleSince = MonotonicClock.nowSeconds
      } else if let idleSeconds, MonotonicClock.nowSeconds - idleSince >= idleSeconds {
        return
      }
      let took = MonotonicClock.nowSeconds - start
      let rest = max(Self.everySeconds - took, took * Self.restShare, 0.05)
      let until = MonotonicClock.nowSeconds + rest
      while MonotonicClock.nowSeconds < until, !Interruption.isAsked { usleep(50_000) }
    }
  }
}
