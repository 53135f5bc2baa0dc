import Foundation

/// A folder of `Tests/Cases`: files, and what is expected of them in `expect.json` (see CONTRIBUTING.md).
struct Case: Sendable {
  let name: String
  let title: String
  /// What is read, and what is expected of each reading.
  private let readings: [Reading]
  let expectations: [Expectation]
  /// The verdict that it expects of its only call.
  let verdict: String?

  private static let members: Set = ["title", "why", "files", "each", "options", "expect"]

  init(_ name: String) throws {
    let file = Corpus.folder.appendingPathComponent("\(name)/expect.json")
    do {
      try self.init(name, JSONValue(parsing: Data(contentsOf: file)))
    } catch let error as CaseError {
      throw CaseError("\(name)/expect.json: \(error)")
    }
  }

  /// - Parameter written: what `expect.json` has.
  init(_ name: String, _ written: JSONValue) throws {
    let members = written.object ?? [:]
    if let other = members.keys.first(where: { !Self.members.contains($0) }) {
      throw CaseError("a case has no \"\(other)\"")
    }
    guard let title = members["title"]?.text, !title.isEmpty else {
      throw CaseError("a case has a \"title\", which says what is proved")
    }
    guard let expect = members["expect"]?.list, !expect.isEmpty else {
      throw CaseError("a case has a list \"expect\" of what is expected")
    }
    func texts(_ member: String) throws -> [String]? {
      guard let value = members[member] else { return nil }
      guard let list = value.list, case let texts = list.compactMap(\.text), texts.count == list.count else {
        throw CaseError("\"\(member)\" is a list of texts, not \(value)")
      }
      return texts
    }
    let each = members["each"] ?? .bool(false)
    guard case .bool(let isEach) = each else { throw CaseError("\"each\" is true or false, not \(each)") }
    let files = try Corpus.files(name, texts("files"))
    guard !files.isEmpty else { throw CaseError("a case has files") }
    if let missing = files.first(where: { !FileManager.default.fileExists(atPath: $0) }) {
      throw CaseError("there is no file \(missing)")
    }
    let options = try texts("options") ?? []
    (self.name, self.title) = (name, title)
    readings = isEach ? files.map { Reading([$0], options) } : [Reading(files, options)]
    expectations = try expect.map(Expectation.init)
    verdict =
      expect.lazy.compactMap { $0.at("calls")?.list }.compactMap { calls in
        calls.count == 1 ? calls[0].at("verdict")?.text : nil
      }.first
  }

  /// Each expectation that is not met, with what was found.
  func failures() throws -> [String] {
    try readings.flatMap { reading in
      try expectations.compactMap { expectation in
        try expectation.failure(reading).map { found in
          let file = readings.count > 1 ? " of \(reading.name)" : ""
          return "\(name)\(file) expects \(expectation.text), found \(found)"
        }
      }
    }
  }

  /// The only reading, for tests that look at more of it than its expectations do.
  var reading: Reading {
    get throws {
      guard let reading = readings.first, readings.count == 1 else {
        throw CaseError("\(name) is read several times")
      }
      return reading
    }
  }
}

/// All cases: the folders of `Tests/Cases`.
enum Corpus {
  static let folder = Tool.root.appendingPathComponent("Tests/Cases")

  static let names: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }()

  /// The cases by their names, each read once; one that is not well written throws its error.
  private static let all = Dictionary(
    uniqueKeysWithValues: names.map { name in (name, Result { try Case(name) }) })

  static func named(_ name: String) throws -> Case {
    guard let found = all[name] else { throw CaseError("there is no case \(name)") }
    return try found.get()
  }

  /// Those that expect a verdict, whose names begin with `judged-`.
  static let judged = names.filter { $0.hasPrefix("judged-") }

  /// The files of a case: those that it names, else all in its folder. `/samples/…` is in this checkout.
  static func files(_ name: String, _ named: [String]? = nil) throws -> [String] {
    let place = folder.appendingPathComponent(name).path
    let own = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0 != "expect.json" }
      .sorted()
    return (named ?? own).map { $0.hasPrefix("/") ? Tool.root.path + $0 : "\(place)/\($0)" }
  }
}
