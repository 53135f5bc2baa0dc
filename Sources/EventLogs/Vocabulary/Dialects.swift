import Bytes
import CallModel

/// All dialects and the table of codes, as they stand in the folder of data files.
public final class Dialects: Sendable {
  let all: [Dialect]
  let codes: CodeTable
  /// Where any of them has an id of a call, each name once.
  let callPaths: [String]
  /// The lines of text of all of them, their names, and the texts in front of their objects.
  let patterns: TextPatterns
  let names: NameIndex
  let objects: [String]

  /// Reads every `.json` of the folder `dialects`. Throws `DialectError`, which names file and line.
  public static func load() throws -> Dialects {
    guard let folder = ResourceFolder("dialects") else {
      throw DialectError(
        file: "dialects", reason: "the folder of dialects is not installed; CALLQA_HOME can name where it is")
    }
    var files: [(name: String, bytes: [UInt8])] = []
    for name in folder.files(endingIn: ".json") { files.append((name, try folder.contents(of: name))) }
    return try Dialects(files: files)
  }

  /// The same for readers, read once: files by the thousand need them. Throws `SourceError`.
  static func installed() throws -> Dialects {
    do { return try once.get() } catch let error as DialectError {
      throw SourceError(.unreadable, "a dialect file is wrong: \(error)")
    }
  }

  private static let once = Result { try load() }

  /// What any installed dialect calls its secrets, for text of no known dialect.
  public static var secretNames: [String] { ((try? once.get())?.all ?? []).flatMap(\.secrets) }

  /// Reads the given files; `codes.json` is the table of codes. Throws `DialectError`.
  public init(files: [(name: String, bytes: [UInt8])]) throws {
    var all: [Dialect] = []
    var codes = CodeTable()
    for file in files {
      if file.name == "codes.json" {
        codes = try CodeTable(file: file.name, bytes: file.bytes)
      } else {
        let dialect = try DialectFile(file: file.name).read(file.bytes)
        if all.contains(where: { $0.sdk == dialect.sdk }) {
          throw DialectError(file: file.name, reason: "another file has SDK \"\(dialect.sdk)\" already")
        }
        all.append(dialect)
      }
    }
    var names: Set<String> = []
    callPaths = all.flatMap(\.callPaths).filter { names.insert(Dialect.normal($0)).inserted }
    patterns = TextPatterns(of: all)
    self.names = NameIndex(of: all)
    objects = all.flatMap(\.objects)
    (self.all, self.codes) = (all, codes)
  }

  /// The dialect of an SDK's own word, nil for none.
  func dialect(_ sdk: String?) -> Dialect? { sdk.flatMap { sdk in all.first { $0.sdk == sdk } } }

  /// The dialect of an SDK by its word or one of its other names.
  func dialect(named name: String) -> Dialect? {
    let wanted = Dialect.normal(name)
    return all.first { Dialect.normal($0.sdk) == wanted || $0.aliases.contains(wanted) }
  }
}
