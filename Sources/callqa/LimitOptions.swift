import ArgumentParser
import Importing

/// `--raise NAME=VALUE`: raises one of the limits in `docs/limits.md`, for larger files.
struct LimitOptions: ParsableArguments {
  @Option(
    name: .customLong("raise"),
    help: ArgumentHelp(
      "Raise a limit: line, lines, text, value, source (bytes: 64M, 2G), reports, streams, connections, points, fragments, expansion; "
        + "may be repeated.",
      valueName: "name=value"))
  var raised: [String] = []

  private static let limits: [String: WritableKeyPath<ImportRequest, Int> & Sendable] = [
    "line": \.reading.longestLine,
    "lines": \.reading.linesWithoutRecords,
    "text": \.reading.longestTextLine,
    "value": \.reading.longestValue,
    "source": \.largestSource,
    "expansion": \.expansion.times,
    "reports": \.reading.reportsPerSnapshot,
    "streams": \.reading.streamsPerSource,
    "connections": \.reading.connectionsPerSource,
    "points": \.reading.pointsPerConnection,
    "fragments": \.reading.fragmentsPerDatagram,
  ]

  /// Maximum value: 1024 TiB, larger than any file and small enough for arithmetic without overflow.
  private static let largest = 1 << 50

  func validate() throws {
    for word in raised where Self.parse(word) == nil {
      throw ValidationError(
        "--raise takes NAME=VALUE, with \(Self.limits.keys.sorted().joined(separator: ", ")) and a number that may end "
          + "in K, M or G (at most 1048576G), not '\(word)'.")
    }
  }

  /// Applies the raised limits to an import request.
  func apply(to request: inout ImportRequest) {
    for (limit, value) in raised.compactMap(Self.parse) { request[keyPath: limit] = value }
  }

  private static func parse(_ word: String) -> (WritableKeyPath<ImportRequest, Int> & Sendable, Int)? {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let limit = limits[parts[0]] else { return nil }
    let unit = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30][parts[1].suffix(1).uppercased()]
    guard let number = Int(unit == nil ? parts[1] : String(parts[1].dropLast())), number > 0 else {
      return nil
    }
    let (value, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    return isTooLarge || value > Self.largest ? nil : (limit, value)
  }
}
