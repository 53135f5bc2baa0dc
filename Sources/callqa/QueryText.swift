import Bytes
import CallStore
import Glibc
import Reporting

/// The text of a question: where it comes from, and which there are.
struct QueryText {
  let sql: String
  /// The file it stands in; nil where the command line holds it.
  var file: String?

  /// Names of the questions that ship, each with what it answers.
  static func shipped() -> [(name: String, question: String)] {
    guard let folder = ResourceFolder("queries") else { return [] }
    return folder.files(endingIn: ".sql").map { file in
      let text = (try? folder.contents(of: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let first = text.split(separator: "\n").first.map(String.init) ?? ""
      return (String(file.dropLast(4)), first.hasPrefix("-- ") ? String(first.dropFirst(3)) : first)
    }
  }

  /// A shipped question by its name, else a file, else the words themselves where they are SQL.
  static func find(_ name: String) throws -> QueryText {
    // What gates say of a run was called a verdict before calls had one.
    let name = name == "verdict" ? "gate-result" : name
    if let folder = ResourceFolder("queries"), folder.files(endingIn: ".sql").contains("\(name).sql") {
      return QueryText(
        sql: try text { try folder.contents(of: "\(name).sql") }, file: "\(folder.path)/\(name).sql")
    }
    if name == "-" || access(name, F_OK) == 0 {
      return QueryText(
        sql: try text { try allBytes(of: InputFile(path: name, largest: 1 << 20)) },
        file: name == "-" ? "standard input" : name)
    }
    guard name.contains(where: \.isWhitespace) else {
      let names = shipped().map(\.name).joined(separator: ", ")
      throw Failure(
        .wrongCommandLine,
        "there is no question '\(name)' and no such file\(names.isEmpty ? "; no folder 'queries' was found (set CALLQA_HOME)" : ": there are \(names)")"
      )
    }
    return QueryText(sql: name)
  }

  /// A mistake in SQL that stands in a file is told with its line there.
  func placed<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .sql {
      guard let file else { throw error }
      let remedy = error.remedy.map { "; \($0)" } ?? ""
      throw Failure(.wrongCommandLine, PlacedError(file, error.line, error.what + remedy).description)
    }
  }

  private static func text(_ read: () throws -> [UInt8]) throws -> String {
    do {
      return String(decoding: try read(), as: UTF8.self)
    } catch let error as BytesError {
      throw Failure(.wrongCommandLine, "cannot read the question: \(error.reason)")
    }
  }
}
