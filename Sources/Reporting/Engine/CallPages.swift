import Bytes
import CallModel

/// The pages of the calls that a report names, made with it.
struct CallPages {
  var definition: ReportDefinition
  var answers: [String: Table]
  var run: String?
  var make: (String?, String) throws -> [UInt8]?

  /// Writes a page for each call in a column of format `call`, first named first, and returns their files by the call's id.
  func write(to folder: OutputFolder, atMost most: Int) throws -> [String: String] {
    var pages: [String: String] = [:]
    for id in named() where pages[id] == nil && pages.count < most {
      guard let page = try make(run, id) else { continue }
      let file = "calls/\(Self.fileName(id)).html"
      try folder.write(page, to: file)
      pages[id] = file
    }
    return pages
  }

  private func named() -> [String] {
    definition.parts.flatMap { part -> [String] in
      guard case .table(let table) = part, let answer = answers[table.query] else { return [] }
      return table.columns.filter { $0.format == .call }.flatMap { column in
        answer.rows.prefix(table.limit).compactMap { answer.cell($0, column.column).string }
      }
    }
  }

  /// A name that is a file's on any system and differs for different ids.
  static func fileName(_ id: String) -> String {
    let safe = String(
      id.unicodeScalars.prefix(80).map { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "-_".unicodeScalars.contains(scalar))
          ? Character(scalar) : "_"
      })
    guard safe != id else { return safe }
    return "\(safe)-\(String(FNV1a.value(of: id.utf8), radix: 16))"
  }
}
