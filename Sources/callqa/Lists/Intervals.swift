/// A file of `--intervals`: CSV with a column t_start_ms and one of t_end_ms or seconds. Rows that name a call
/// (call_id; id beside an end) or an end (endpoint or receiver) are for these alone; other columns are passed over.
struct Intervals {
  /// A row of the file.
  struct Row {
    /// Place in the file, from 0.
    var index: Int
    var startMs: Double
    var endMs: Double
    var call: String?
    var endpoint: String?
  }

  let rows: [Row]

  /// Nobody has so many intervals, in bytes.
  private static let largest = 64 << 20

  /// The rows in the order of the file. Throws a `Failure` that names file and line.
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
    // An id without an end beside it may be that of anything.
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

  /// The rows that are meant for a call.
  func rows(of call: String) -> [Row] { rows.filter { $0.call == nil || $0.call == call } }
}
