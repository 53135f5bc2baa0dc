import Bytes

/// The style and the script of the call page, which lie in `reports/call`.
public struct PageResources: Sendable {
  let style: [UInt8]
  let script: [UInt8]

  /// The parts of the script, in the order in which they need each other.
  private static let parts = [
    "data.js", "view.js", "axis.js", "score-lane.js", "line-lane.js", "event-lane.js", "cursor.js", "keys.js",
    "tables.js",
    "main.js",
  ]

  /// Reads them from where the tool's data lies. Throws `BytesError` where a file is missing.
  public init() throws {
    guard let folder = ResourceFolder("reports") else {
      throw BytesError(
        .missing, "the folder `reports` that came with callqa is not where it should be: set CALLQA_HOME")
    }
    style = try folder.contents(of: "call/page.css")
    var script = Array("\"use strict\";\n(() => {\n".utf8)
    for part in Self.parts { script += try folder.contents(of: "call/\(part)") }
    self.script = script + Array("})();\n".utf8)
  }
}
