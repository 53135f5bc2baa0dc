import Foundation
import Testing

/// A value of JSON that tells numbers from booleans.
indirect enum JSONMember: Decodable {
  case null, boolean, number
  case text(String)
  case list([JSONMember])
  case object([String: JSONMember])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if (try? container.decode(Bool.self)) != nil {
      self = .boolean
    } else if (try? container.decode(Double.self)) != nil {
      self = .number
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONMember].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONMember].self))
    }
  }

  /// Its members; none of what is no object.
  var members: [String: JSONMember] { if case .object(let members) = self { members } else { [:] } }

  static func lines(of result: Tool.Result) throws -> [JSONMember] {
    try result.lines.map { try JSONDecoder().decode(JSONMember.self, from: Data($0.utf8)) }
  }
}

/// Every member of every output of JSON, with its type, by the kind of row.
struct JSONMembers {
  private(set) var listing = Listing()
  /// Members of the rows of a kind, by the command that printed them.
  private(set) var rows: [String: [String: Set<String>]] = [:]

  /// Members whose own members are names of labels, arguments and figures, not of callqa.
  private static let maps: Set<String> = ["args", "attributes", "evidence", "extra", "labels"]

  /// What a call for programs is made of: the member, and the kind of row that it holds.
  private static let parts = [
    "call": "call", "streams": "stream", "windows": "window", "setup": "setup", "findings": "finding",
    "events": "event", "sources": "source",
  ]

  private let fixture: InterfaceFixture

  /// Runs every command that prints JSON.
  init(_ fixture: InterfaceFixture) throws {
    self.fixture = fixture
    try addLists()
    try addRowsOfOptions()
    try addImports()
    try addCalls()
    try addExtracts()
  }

  private mutating func addLists() throws {
    for (kind, words) in [
      ("call", ["calls"]), ("stream", ["streams", "--all"]), ("window", ["score", "--source", "all"]),
      ("setup", ["setup"]), ("event", ["events"]), ("finding", ["findings"]), ("session", ["sessions"]),
      ("turn", ["turns"]), ("source", ["sources"]), ("reject", ["rejects"]),
    ] { try add(kind, words + ["--run", "all"]) }
    for (kind, words) in [
      ("run", ["runs"]), ("format", ["formats"]), ("query", ["query"]),
      ("found", ["find", "bad"]), ("found", ["find", "8738"]),
      ("point", ["diff", "demo/healthy-call", "demo/bad-call"]), ("change", ["compare", "demo", "tests"]),
      ("change", ["compare", "demo", "demo"]),
    ] { try add(kind, words) }
  }

  private mutating func addRowsOfOptions() throws {
    let rows = try fixture.run("score", "demo/bad-call", "--json").objects()
    let start = try #require(rows.first?["start_ms"] as? Double)
    let intervals = try fixture.file("at.csv", "t_start_ms,t_end_ms\n\(start),\(start + 10_000)\n")
    try add("window", ["score", "demo/bad-call", "--intervals", intervals])
    try add("window", ["score", "--changes", "--run", "all"])
    let models = ["--compare-models", "callqa-3", "--compare-models", "callqa-4"]
    try add("window of --compare-models", ["score", "demo/bad-call"] + models)
    try add("problem", ["check", "--quick", "--db", fixture.damaged()])
    try add("packet stream", ["packets", InterfaceFixture.capture])
    try add("packet", ["packets", InterfaceFixture.capture, "--stream", "8738"])
  }

  private mutating func addImports() throws {
    // A manifest is told of where something in it says nothing.
    let manifest = #"{"run": "night", "colour": 1, "calls": [{"call_id": "absent"}]}"#
    _ = try fixture.file("night/run.json", manifest)
    let damaged = Tool.root.path + "/Tests/Cases/channelstats-damaged/channelstats-damaged.txt"
    let paths = [fixture.path("night"), fixture.path("broken.jsonl"), damaged, Tool.root.path + "/samples"]
    let words = ["import"] + paths + ["--db", fixture.path("again.sqlite")]
    try add("import", words, byType: ["file", "manifest", "summary"])
  }

  private mutating func addCalls() throws {
    let captured = try ["p-outage10", "ct-ptt", "cs-hold"].map { try Corpus.files("judged-\($0)") }
    for paths in [[Tool.sample("bad-call")], [Tool.sample("failed-call")]] + captured {
      let shown = try JSONMember.lines(of: fixture.run(["show", "--json"] + paths))
      for call in shown { add(call: call, of: "show") }
      try #require(shown.count == 1)
    }
    for call in try JSONMember.lines(of: fixture.run("call", "--json", "demo/slow-setup")) {
      add(call: call, of: "call")
    }
    try add("window", ["show", "--follow", "--until-idle", "1", Tool.sample("bad-call")])
  }

  private mutating func addExtracts() throws {
    let path = Tool.root.path + "/samples"
    let kinds = ["source", "call", "setup", "stream", "window", "event", "finding"]
    try add("extract", ["extract", path, "--rejects-ok"], byType: ["end"], rows: kinds, asJSON: false)
    let identities = ["extract", path, "--only", "identities"]
    try add("extract", identities, byType: ["identity"], asJSON: false)
    let judgements = ["extract", path, "--judgements", "--group", "g"]
    try add("extract --judgements", judgements, byType: ["part", "table", "row", "end"], asJSON: false)
  }

  /// Adds the rows that a command prints, all of one kind.
  private mutating func add(_ kind: String, _ words: [String]) throws {
    let lines = try JSONMember.lines(of: fixture.run(words + ["--json"]))
    try #require(!lines.isEmpty, "\(words) prints no row")
    for line in lines { add(line, as: kind, of: words.prefix { !$0.contains("/") }.joined(separator: " ")) }
  }

  /// Adds lines that say their type themselves: `rows` are those of a list, beside which they have their type.
  private mutating func add(
    _ command: String, _ words: [String], byType types: [String], rows: [String] = [], asJSON: Bool = true
  ) throws {
    var met: Set<String> = []
    for line in try JSONMember.lines(of: fixture.run(words + (asJSON ? ["--json"] : []))) {
      guard case .text(let type)? = line.members["type"], (types + rows).contains(type) else {
        Issue.record("\(words) prints a line of an unknown type: \(line)")
        continue
      }
      met.insert(type)
      if rows.contains(type) {
        add(.object(line.members.filter { $0.key != "type" }), as: type, of: command)
      } else {
        add(line, as: "\(command) \(type)", of: command)
      }
    }
    #expect(met == Set(types + rows), "\(words)")
  }

  private mutating func add(call: JSONMember, of command: String) {
    var own: [String: JSONMember] = [:]
    for (name, value) in call.members {
      guard let kind = Self.parts[name] else {
        own[name] = value
        continue
      }
      if case .list(let rows) = value {
        listing.add("show.\(name)[]", kind)
        for row in rows { add(row, as: kind, of: command) }
      } else {
        listing.add("show.\(name)", kind)
        add(value, as: kind, of: command)
      }
    }
    for (name, value) in own { walk("show.\(name)", name, value) }
  }

  private mutating func add(_ row: JSONMember, as kind: String, of command: String) {
    rows[kind, default: [:]][command, default: []].formUnion(row.members.keys)
    for (name, value) in row.members { walk("\(kind).\(name)", name, value) }
  }

  private mutating func walk(_ path: String, _ name: String, _ value: JSONMember) {
    switch value {
    case .null: listing.add(path, "null")
    case .boolean: listing.add(path, "boolean")
    case .number: listing.add(path, "number")
    case .text: listing.add(path, "text")
    case .list(let elements):
      listing.add(path, "list")
      for element in elements { walk("\(path)[]", name, element) }
    case .object(let members):
      listing.add(path, Self.maps.contains(name) ? "object of any" : "object")
      guard !Self.maps.contains(name) else { return }
      for (member, value) in members { walk("\(path).\(member)", member, value) }
    }
  }
}
