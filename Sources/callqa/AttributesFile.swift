import CallModel
import CallStore
import Rendering

/// A file for `--attributes`: CSV with one row per call (by any of its ids) or subnet.
struct AttributesFile {
  /// Descriptions of content that was not used, for people.
  private(set) var complaints: [String] = []
  private(set) var rows: [AttributeRow] = []

  /// Maximum file size, bytes.
  private static let largest = 256 << 20
  /// Columns that identify the call of a row, and those that identify only its run.
  private static let subjects: Set<String> = [
    "call", "call_id", "callid", "id", "subnet", "subject", "session", "sip", "person", "address",
  ]
  private static let runs: Set<String> = ["run", "run_id"]

  /// Reads the file. Throws a `Failure` with file and line.
  init(_ path: String) throws {
    let lines = try csvRows(of: path, largest: Self.largest)
    guard let head = lines.first, !head.isEmpty else { throw Self.failure(path, 1, "the file is empty") }
    let names = head.map { $0.trimmed.lowercased().replacing("-", with: "_").replacing(" ", with: "_") }
    let subjects = names.indices.filter { Self.subjects.contains(names[$0]) }
    guard !subjects.isEmpty else {
      throw Self.failure(
        path, 1,
        "the first line must name a column of ids or subnets: \(Self.subjects.sorted().joined(separator: ", "))"
      )
    }
    let run = names.firstIndex(where: Self.runs.contains)
    var attributes: [Int: CallAttribute] = [:]
    var unknown: [String] = []
    for (index, name) in names.enumerated() where !subjects.contains(index) && index != run {
      if let attribute = CallAttribute(column: name) {
        attributes[index] = attribute
      } else {
        unknown.append(head[index])
      }
    }
    guard !attributes.isEmpty else {
      let known = CallAttribute.allCases.map(\.rawValue).joined(separator: ", ")
      throw Self.failure(path, 1, "no column is an attribute: there are \(known)")
    }
    if !unknown.isEmpty {
      warn(
        path,
        "\(Plural.of(unknown.count, "column is", "columns are")) no attribute and left out",
        unknown)
    }
    take(lines, subjects, run, attributes, path)
  }

  private mutating func take(
    _ lines: [[String]], _ subjects: [Int], _ run: Int?, _ attributes: [Int: CallAttribute], _ path: String
  ) {
    var unmatched: [String] = []
    var unknownRoles: [String] = []
    var noNumbers: [String] = []
    for (number, line) in lines.enumerated().dropFirst() {
      func text(_ column: Int?) -> String? {
        guard let column, line.indices.contains(column) else { return nil }
        let text = line[column].trimmed
        return text.isEmpty ? nil : text
      }
      if line.allSatisfy({ $0.trimmed.isEmpty }) { continue }
      var values: [CallAttribute: String] = [:]
      for (column, attribute) in attributes {
        guard var value = text(column) else { continue }
        if attribute == .role {
          value = value.lowercased()
          guard CallRole(rawValue: value) != nil else {
            unknownRoles.append("\(value) in line \(number + 1)")
            continue
          }
        }
        if attribute == .rating, Double(value)?.isFinite != true {
          noNumbers.append("\(value) in line \(number + 1)")
          continue
        }
        values[attribute] = value
      }
      // A row may have several identifying columns; use the first that is not empty.
      guard let subject = subjects.lazy.compactMap({ text($0) }).first else {
        unmatched.append("line \(number + 1)")
        continue
      }
      rows.append(AttributeRow(subject, run: text(run), values))
    }
    if !unmatched.isEmpty {
      warn(path, "\(Self.count(unmatched, "row")) without a call or subnet, left out", unmatched)
    }
    if !unknownRoles.isEmpty {
      let known = CallRole.allCases.map(\.rawValue).joined(separator: ", ")
      warn(
        path, "\(Self.count(unknownRoles, "role")) of none of the kinds \(known), left out", unknownRoles)
    }
    if !noNumbers.isEmpty {
      warn(path, "\(Self.count(noNumbers, "rating")) that cannot be a number, left out", noNumbers)
    }
  }

  private static func count(_ which: [String], _ what: String) -> String {
    Plural.of(which.count, what)
  }

  private mutating func warn(_ path: String, _ what: String, _ which: [String]) {
    let names = which.prefix(3).joined(separator: ", ") + (which.count > 3 ? ", …" : "")
    complaints.append("\(path): \(what): \(names)")
  }

  /// Stores the attributes and reports what was not used. Returns the keys of the calls that changed.
  @discardableResult
  func apply(to store: Store, quiet: Bool) throws -> [Int64] {
    let taken = try store.takeAttributes(rows)
    guard !quiet else { return taken.changed }
    for complaint in complaints { Entry.warn(complaint) }
    if !taken.unmatched.isEmpty {
      let names = taken.unmatched.prefix(3).joined(separator: ", ") + (taken.unmatched.count > 3 ? ", …" : "")
      Entry.warn(
        "attributes of \(taken.unmatched.count) of \(Plural.of(rows.count, "row")) wait for a call that is known by them: \(names)"
      )
    }
    return taken.changed
  }

  private static func failure(_ path: String, _ line: Int, _ what: String) -> Failure {
    Failure(.wrongCommandLine, VisibleText.visible("\(path):\(line): \(what)"))
  }
}

extension String {
  fileprivate var trimmed: String {
    let bytes = utf8.drop { $0 <= UInt8(ascii: " ") }
    guard let last = bytes.lastIndex(where: { $0 > UInt8(ascii: " ") }) else { return "" }
    return String(decoding: bytes[...last], as: UTF8.self)
  }
}
