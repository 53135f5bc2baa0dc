import CallModel

/// A file for `--intervals`: CSV with a column t_start_ms and one of t_end_ms or seconds. Rows with a call (call_id; or
/// id, if there is an end column) or an end (endpoint or receiver) apply only to these; other columns are ignored.
struct Intervals {
  /// A row of the file.
  struct Row {
    /// Index of the row in the file, from 0.
    var index: Int
    var startMs: Double
    var endMs: Double
    var call: String?
    var endpoint: String?
  }

  let rows: [Row]

  /// Maximum file size, bytes.
  private static let largest = Limit.intervals.value

  /// Reads the rows in file order. Throws a `Failure` with file and line.
  init(_ path: String) throws {
    let lines = try csvRows(of: path, largest: Self.largest)
    func column(_ names: String...) -> Int? {
      names.compactMap { lines.first?.firstIndex(of: $0) }.first
    }
    guard let start = column("t_start_ms"), let end = column("t_end_ms", "seconds") else {
      throw Failure(
        .wrongCommandLine,
        "\(path):1: the first line must name the columns t_start_ms and t_end_ms (or seconds)")
    }
    let isLength = lines.first?[end] == "seconds"
    let endpoint = column("endpoint", "receiver")
    // A column `id` without an end column may be an id of anything.
    let call = column("call_id") ?? (endpoint == nil ? nil : column("id"))
    rows = try lines.dropFirst().enumerated().map { index, line in
      func text(_ column: Int?) -> String? {
        column.flatMap { line.indices.contains($0) && !line[$0].isEmpty ? line[$0] : nil }
      }
      guard let from = text(start).flatMap(Double.init), let second = text(end).flatMap(Double.init),
        case let to = isLength ? from + 1000 * second : second, from < to
      else {
        throw Failure(
          .wrongCommandLine,
          "\(path):\(index + 2): two times in ms are needed (or a time and seconds), the first before the second"
        )
      }
      return Row(index: index, startMs: from, endMs: to, call: text(call), endpoint: text(endpoint))
    }
  }

  /// The rows that apply to a call.
  func rows(of call: String) -> [Row] { rows.filter { $0.call == nil || $0.call == call } }
}
