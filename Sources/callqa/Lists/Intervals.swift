import Foundation
import Reporting

/// A file of `--intervals`: CSV with the columns t_start_ms and t_end_ms, others are passed over.
enum Intervals {
  /// The intervals in the order of the file. Throws a `Failure` that names file and line.
  static func read(_ path: String) throws -> [(startMs: Double, endMs: Double)] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure(.wrongCommandLine, "\(path): no such file, or it cannot be read")
    }
    let rows = try CSVReader.rows(of: Array(data))
    guard let header = rows.first, let start = header.firstIndex(of: "t_start_ms"),
      let end = header.firstIndex(of: "t_end_ms")
    else {
      throw Failure(
        .wrongCommandLine, "\(path):1: the first line must name the columns t_start_ms and t_end_ms")
    }
    return try rows.dropFirst().enumerated().map { index, row in
      guard row.count > max(start, end), let from = Double(row[start]), let to = Double(row[end]), from < to
      else {
        throw Failure(
          .wrongCommandLine, "\(path):\(index + 2): two times in ms are needed, the first before the second")
      }
      return (from, to)
    }
  }
}
