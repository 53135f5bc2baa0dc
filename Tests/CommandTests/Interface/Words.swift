import CallModel
import CallStore
import Foundation
import Importing
import Reporting
import Testing

/// Words that mean something to programs: in outputs, in filters, in gates, and in the files that people write.
enum WordListing {
  static func make(_ fixture: InterfaceFixture) throws -> Listing {
    var listing = Listing()
    addJudgements(to: &listing)
    addSources(to: &listing)
    addGates(to: &listing)
    try addManifest(to: &listing)
    try addDialects(to: &listing)
    try addReportKeys(fixture, to: &listing)
    try addPrometheus(fixture, to: &listing)
    try addJUnit(fixture, to: &listing)
    try addEnvironment(to: &listing)
    return listing
  }

  private static func add<Word: CaseIterable & RawRepresentable<String>>(
    _ kind: String, _ type: Word.Type, to listing: inout Listing
  ) {
    for word in type.allCases { listing.add("\(kind) \(word.rawValue)") }
  }

  private static func addJudgements(to listing: inout Listing) {
    add("verdict", Verdict.Value.self, to: &listing)
    add("verdict cause", Verdict.Reason.self, to: &listing)
    add("verdict basis", Verdict.Basis.self, to: &listing)
    add("outcome", Outcome.self, to: &listing)
    add("severity", Severity.self, to: &listing)
    add("window state", WindowState.self, to: &listing)
    add("cause of lost points", Cause.self, to: &listing)
    add("delay source", DelaySource.self, to: &listing)
    add("phase", PhaseName.self, to: &listing)
    add("phase state", PhaseState.self, to: &listing)
    add("span", MediaSpan.Kind.self, to: &listing)
    add("span proof", MediaSpan.Proof.self, to: &listing)
    for code in FindingCode.names { listing.add("finding \(code)") }
    for event in EventName.allCases { listing.add("event \(event)") }
  }

  private static func addSources(to listing: inout Listing) {
    for row in FormatCatalogue.all { listing.add("format \(row.format.rawValue)") }
    add("reason code", ReasonCode.self, to: &listing)
    add("file status", ImportedFile.Status.self, to: &listing)
    add("kind of medium", MediaKind.self, to: &listing)
    add("source of a stream", StreamSource.self, to: &listing)
    add("direction of a stream", StreamDirection.self, to: &listing)
    add("direction of a call", CallDirection.self, to: &listing)
    add("kind of id", IdentityKind.self, to: &listing)
    add("attribute", CallAttribute.self, to: &listing)
    add("role", CallRole.self, to: &listing)
    add("trait", CallTrait.self, to: &listing)
  }

  private static func addGates(to listing: inout Listing) {
    for figure in Figure.names.components(separatedBy: ", ") { listing.add("gate figure \(figure)") }
    add("gate relation", Gate.Relation.self, to: &listing)
    add("gate result", GateResult.Verdict.self, to: &listing)
  }

  /// Members of `run.json`, which are the names of what it is read into.
  private static func addManifest(to listing: inout Listing) throws {
    let text = #"{"calls": [{"call_id": "a", "expect": {}, "references": {}}]}"#
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(text.utf8))
    let call = try #require(manifest.calls?.first)
    for (path, value) in [
      ("", manifest), ("calls[].", call), ("calls[].expect.", try #require(call.expect)),
      ("calls[].references.", try #require(call.references)),
    ] as [(String, Any)] {
      for child in Mirror(reflecting: value).children where child.label != "notes" {
        listing.add("run.json \(path)\(child.label ?? "")")
      }
    }
  }

  /// Members of dialects, as far as a dialect that ships has them.
  private static func addDialects(to listing: inout Listing) throws {
    let folder = Tool.root.path + "/Sources/EventLogs/Dialects/"
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".json") {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + file))
      let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let kind = file == "codes.json" ? "codes.json" : file.hasSuffix(".summary.json") ? "summary" : "dialect"
      for (name, value) in root {
        listing.add("\(kind) \(name)")
        guard kind == "dialect" else { continue }
        let parts = (value as? [String: Any]).map { Array($0.values) } ?? value as? [Any] ?? []
        guard ["events", "enums", "codes", "lines", "wordings"].contains(name) else { continue }
        for part in parts { add(entry: part, of: name, to: &listing) }
      }
    }
  }

  /// An entry of a dialect, with those that it holds: under names, in a list, or by itself.
  private static func add(entry: Any, of name: String, to listing: inout Listing) {
    guard let members = entry as? [String: Any] else { return }
    for (key, value) in members {
      listing.add("dialect \(name)[].\(key)")
      switch key {
      case "values", "having", "after":
        for part in (value as? [String: Any] ?? [:]).values { add(entry: part, of: "events", to: &listing) }
      case "each": for part in value as? [Any] ?? [] { add(entry: part, of: "events", to: &listing) }
      case "incoming", "standing": add(entry: value, of: "events", to: &listing)
      default: break
      }
    }
  }

  /// Sections and keys of a report's definition, which a mistake in one is answered with.
  private static func addReportKeys(_ fixture: InterfaceFixture, to listing: inout Listing) throws {
    func known(_ definition: String, after words: String) throws -> [String] {
      let file = try fixture.file("report/report.txt", definition)
      let said = try fixture.run("report", String(file.dropLast("/report.txt".count))).errors
      let list = try #require(said.range(of: words), "\(said)").upperBound
      return said[list...].trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: ", ")
    }
    for section in try known("[unknown]\n", after: "There are: ") {
      listing.add("report.txt [\(section)]")
      let definition = "\(section == "report" ? "" : "[report]\ntitle = x\n")[\(section)]\nunknown = 1\n"
      for key in try known(definition, after: "It knows:") where !key.isEmpty {
        listing.add("report.txt [\(section)] \(key)")
      }
    }
    add("report.txt format", ColumnFormat.self, to: &listing)
  }

  /// Metrics with the names of their labels.
  private static func addPrometheus(_ fixture: InterfaceFixture, to listing: inout Listing) throws {
    let file = fixture.path("callqa.prom")
    try fixture.run("report", "nightly", "--baseline", "tests", "--run", "demo", "--prometheus", file)
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("# TYPE ") {
        let words = line.split(separator: " ")
        listing.add("prometheus \(words[2])", String(words[3]))
      } else if let name = line.split(separator: "{").first, !line.hasPrefix("#") {
        for label in names(in: line, before: "=\"") { listing.add("prometheus \(name) \(label)") }
      }
    }
  }

  /// Elements with their attributes.
  private static func addJUnit(_ fixture: InterfaceFixture, to listing: inout Listing) throws {
    let gate = try fixture.file("all.gate", "score.mean >= 101\ncalls >= 0\nscore.mean >= baseline\n")
    let file = fixture.path("callqa.xml")
    try fixture.run("compare", "tests", "demo", "--gate", gate, "--junit", file)
    for tag in try String(contentsOfFile: file, encoding: .utf8).split(separator: "<") {
      guard let name = tag.split(whereSeparator: { " >/".contains($0) }).first, name != "?xml",
        !tag.hasPrefix("/")
      else { continue }
      listing.add("junit \(name)")
      for attribute in names(in: tag, before: "=\"") { listing.add("junit \(name) \(attribute)") }
    }
  }

  private static func names(in text: Substring, before sign: String) -> [String] {
    let parts = String(text).components(separatedBy: sign).dropLast()
    return parts.compactMap { part in
      let name = part.reversed().prefix { $0.isLetter || $0 == "_" }
      return name.isEmpty ? nil : String(name.reversed())
    }
  }

  private static func addEnvironment(to listing: inout Listing) throws {
    let sources = Tool.root.appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.components(separatedBy: "\"CALLQA_").dropFirst() {
        let name = part.prefix { $0.isUppercase || $0 == "_" }
        if part.dropFirst(name.count).hasPrefix("\"") { listing.add("environment CALLQA_\(name)") }
      }
    }
  }
}
