import CxxGnuplot
import Glibc
import Rendering

/// Runs gnuplot, once per report, and reports its errors.
public struct Gnuplot: Sendable {
  /// Why there are no plots, in terms that the user understands.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Path of the program.
  public let program: String

  /// The first `gnuplot` in a search path; nil if there is none.
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

  /// Message for users without gnuplot.
  public static let missing =
    "gnuplot is not on the PATH, so the report has no plots; install it (Debian: apt-get install gnuplot-nox) and run again"

  /// Runs a script that draws into a folder. Returns gnuplot's messages (warnings); empty if there were none. Throws
  /// `Failure` if gnuplot fails.
  public func run(_ script: String, in folder: String) throws -> String {
    let log = folder + "/.gnuplot.log"
    defer { unlink(log) }
    // The shell that popen starts would hide gnuplot's exit status, and gnuplot-iostream would print an error of its
    // own; the log file keeps both.
    let command =
      "cd \(ShellWord.quoted(folder)) && { LC_ALL=C.UTF-8 \(ShellWord.quoted(program)) 2>.gnuplot.log || echo \"gnuplot ended with status $?\" >>.gnuplot.log; }"
    try Self.send(script, to: command)
    return (try? Self.text(ofFile: log)) ?? ""
  }

  /// Writes the script to a file instead of to gnuplot, for `--keep-script` and golden tests.
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
