import CallModel
import CallStore
import CallViews
import Rendering
import Reporting

/// Prints the windows of calls that are being followed, one line each as soon as they end.
struct LiveStrip {
  private let isJSON: Bool
  private let zone: Zone
  private var printed: Set<End> = []
  private static let bars = Array("▁▂▃▄▅▆▇█")

  init(isJSON: Bool, zone: Zone) {
    self.isJSON = isJSON
    self.zone = zone
  }

  /// Identifies an end of a call.
  private struct End: Hashable {
    var call: String
    var endpoint: String
    var window: Double?
  }

  /// Prints windows that have not been printed. Windows that no report has passed yet may still change, so they wait
  /// unless `isOver`. Throws errors of the store and the output.
  mutating func printNew(_ store: Store, isOver: Bool) throws {
    let reached = try lastReports(store)
    let several = Set(reached.keys.map(\.call)).count > 1
    let output = Output.standard()
    var columns: [String] = []
    var rows: [[Cell]] = []
    try store.list(.score, CallScope(), columns: { columns = $0 }, row: { rows.append(Array($0)) })
    // Rows are grouped by end; sort them by time.
    if let start = columns.firstIndex(of: "start_ms") {
      rows.sort { ($0[start].number ?? 0) < ($1[start].number ?? 0) }
    }
    let objects = JSONObjects(columns: columns)
    for row in rows {
      let window = Row(columns, row)
      var key = End(call: window["call_id"].string ?? "", endpoint: window["endpoint"].string ?? "")
      let last = reached[key] ?? -.infinity
      key.window = window["window_index"].number
      guard !printed.contains(key), let end = window["end_ms"].number, isOver || end <= last else { continue }
      printed.insert(key)
      if isJSON {
        var bytes: [UInt8] = []
        objects.append(row, to: &bytes)
        try output.write(bytes + [UInt8(ascii: "\n")])
      } else {
        try output.write(line(window, withCall: several) + "\n")
      }
    }
    try output.flush()
  }

  private struct Row {
    private let columns: [String]
    private let cells: [Cell]
    init(_ columns: [String], _ cells: [Cell]) { (self.columns, self.cells) = (columns, cells) }
    subscript(_ name: String) -> Cell { columns.firstIndex(of: name).map { cells[$0] } ?? .null }
  }

  private func lastReports(_ store: Store) throws -> [End: Double] {
    let rows = try store.query(
      """
      SELECT k.call_id, n.endpoint, max(s.last_ms) FROM calls AS k JOIN endpoints AS n USING (call_key)
        JOIN connections AS c USING (endpoint_key) JOIN streams AS s USING (connection_key)
      GROUP BY n.endpoint_key
      """
    ).rows
    let ends = rows.map {
      (End(call: $0[0].string ?? "", endpoint: $0[1].string ?? ""), $0[2].number ?? -.infinity)
    }
    return Dictionary(ends) { max($0, $1) }
  }

  private func line(_ window: Row, withCall: Bool) -> String {
    var parts = [window["start_ms"].number.flatMap { zone.clockText($0) } ?? ""]
    if withCall { parts.append(VisibleText.visible(window["call_id"].string ?? "")) }
    parts.append(VisibleText.visible(window["endpoint"].string ?? ""))
    let state = window["state"].string ?? ""
    if let score = window["score"].number.map({ Int($0) }) {
      let bar = state == "stalled" ? "×" : String(Self.bars[min(7, max(0, score * 8 / 101))])
      let number = String(score)
      parts.append("\(bar) \(String(repeating: " ", count: 3 - number.count))\(number)")
      let lost = Cause.allCases.compactMap { cause -> (Cause, Double)? in
        window["points_lost.\(cause.rawValue)"].number.map { (cause, $0) }
      }
      let worst = lost.filter { $0.1 >= 1 }.sorted { $0.1 > $1.1 }.prefix(3)
      parts.append(worst.map { "\($0.0.rawValue) -\(Int($0.1))" }.joined(separator: ", "))
    } else {
      parts.append("·   –")
      parts.append(state)
    }
    while parts.last?.isEmpty == true { parts.removeLast() }
    return parts.joined(separator: "  ")
  }
}
