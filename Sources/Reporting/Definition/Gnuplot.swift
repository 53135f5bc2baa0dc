import CxxGnuplot
import Glibc
import Rendering

/// Runs gnuplot, once a report, and says what went wrong where it did.
public struct Gnuplot: Sendable {
  /// Why there are no pictures, in the user's terms.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The program found on PATH.
  public let program: String

  /// The first `gnuplot` of a search path; nil where there is none.
  public init?(path: String) {
    for folder in path.split(separator: ":") where !folder.isEmpty {
      let candidate = "\(folder)/gnuplot"
      if access(candidate, X_OK) == 0 {
        program = candidate
        return
      }
    }
    return nil
  }

  /// What to tell a user who has no gnuplot.
  public static let missing =
    "gnuplot is not on the PATH, so the report has no plots; install it (Debian: apt-get install gnuplot-nox) and run again"

  /// Draws a script's pictures into a folder; what gnuplot had to say (warnings) is returned, empty when all went well.
  public func run(_ script: String, in folder: String) throws -> String {
    let log = folder + "/.gnuplot.log"
    defer { unlink(log) }
    // popen's shell would hide how gnuplot ended, and gnuplot-iostream would print about it: the log keeps both.
    let command =
      "cd \(ShellWord.quoted(folder)) && { LC_ALL=C.UTF-8 \(ShellWord.quoted(program)) 2>.gnuplot.log || echo \"gnuplot ended with status $?\" >>.gnuplot.log; }"
    try Self.send(script, to: command)
    return (try? Self.text(ofFile: log)) ?? ""
  }

  /// Writes the script into a file instead, through the same stream: `--keep-script` and golden tests.
  public static func write(_ script: String, toFile path: String) throws {
    try send(script, to: ">" + path)
  }

  private static func send(_ script: String, to command: String) throws {
    var reason = [CChar](repeating: 0, count: 256)
    guard let stream = cqa_gnuplot_open(command, &reason, reason.count) else {
      let words = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw Failure(description: "cannot start gnuplot: \(words)")
    }
    var script = script
    let sent = script.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cqa_gnuplot_write(stream, $0.baseAddress, $0.count) }
    }
    guard cqa_gnuplot_close(stream), sent else {
      throw Failure(description: "gnuplot stopped before it had read its script")
    }
  }

  private static func text(ofFile path: String) throws -> String {
    String(decoding: try FileBytes.read(path, atMost: 1 << 20), as: UTF8.self)
  }
}
