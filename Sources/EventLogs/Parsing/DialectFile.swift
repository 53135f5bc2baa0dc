import CallModel
import LogText

/// Reads a dialect file, and reports errors with file and line.
struct DialectFile: DataFileReader {
  let file: String

  func read(_ bytes: [UInt8]) throws -> Dialect {
    let root = try DataNode(file: file, bytes: bytes)
    guard let members = root.map else { throw wrong(root, "a dialect is one JSON object") }
    guard let sdk = root["sdk"]?.text else {
      throw wrong(root, "member \"sdk\" is missing: the word for column sdk")
    }
    var dialect = Dialect.Contents(sdk: sdk, title: root["title"]?.text ?? sdk)
    var wordings: [TextPattern] = []
    for (name, node) in members {
      switch name {
      case "sdk", "title", "about": break
      case "aliases": dialect.aliases = try texts(node).map { LogName.normal($0) }
      case "secrets": dialect.secrets = try texts(node)
      case "answer": dialect.answer = try events(node).first
      case "media": dialect.media = try events(node).first
      case "events":
        dialect.events = try entries(node)
        dialect.receivers = try map(node).flatMap { receivers($0.name) }
      case "enums": dialect.enums = try map(node).map(enumeration)
      case "transitions": dialect.transitions = try transitions(node)
      case "lines": dialect.lines = try lines(node)
      case "wordings": wordings = try lines(node, areGeneric: true)
      case "codes": dialect.codeSets = try map(node).map(codeSet)
      case "codePrefixes": dialect.codePrefixes = try texts(node)
      case "paths": dialect.paths = try map(node).map(path)
      case "pathHeads": dialect.pathHeads = try texts(node).map { try pathHead($0, node) }
      case "everywhere": dialect.everywhere = Set(try texts(node).compactMap(EventName.Group.init))
      case "objects": dialect.objects = try texts(node)
      case "generic": dialect.generic = Set(try texts(node).map { LogName.normal($0) })
      case "plain": dialect.plain = Set(try texts(node).map { LogName.normal($0) })
      case "identities": dialect.identities = try identities(node)
      default: throw wrong(node, "\"\(name)\" is no member of a dialect")
      }
    }
    dialect.lines += wordings
    dialect.everywhereNames = dialect.namesEverywhere
    try checkEnumerations(dialect, root)
    for path in dialect.paths where dialect.events[LogName.normal(path.raw)] == nil {
      throw wrong(root["paths"] ?? root, "\"\(path.raw)\" is no event of this dialect")
    }
    for (member, names) in [("generic", dialect.generic), ("plain", dialect.plain)] {
      for name in names where dialect.events[name] == nil {
        throw wrong(root[member] ?? root, "\"\(name)\" is no event of this dialect")
      }
    }
    return Dialect(dialect)
  }

  private func entries(_ node: DataNode) throws -> [String: Dialect.Entry] {
    var found: [String: Dialect.Entry] = [:]
    for (name, node) in try map(node) {
      // One entry may have several spellings, separated by spaces.
      for spelling in name.parted(by: " ") {
        let key = spelling == Dialect.Entry.anyValue ? Dialect.Entry.anyValue : LogName.normal(spelling)
        guard found.updateValue(try entry(node), forKey: key) == nil else {
          throw wrong(node, "\"\(spelling)\" is mapped twice")
        }
      }
    }
    return found
  }

  // Returns those spellings of an entry that start with the kind of their object.
  private func receivers(_ names: String) -> [(receiver: String, name: String, raw: String)] {
    names.parted(by: " ").compactMap { spelling in
      let parts = spelling.parted(by: ".")
      guard parts.count == 2 else { return nil }
      return (LogName.normal(parts[0]), LogName.normal(parts[1]), spelling)
    }
  }

  private func entry(_ node: DataNode) throws -> Dialect.Entry {
    var entry = Dialect.Entry()
    guard let members = node.map else {
      entry.events = try events(node)
      return entry
    }
    for (name, node) in members {
      switch name {
      case "event": entry.events = try events(node)
      case "args": entry.arguments = try map(node).map { ($0.name, try texts($0.node)) }
      case "between": entry.bounds = try map(node).map(bounds)
      case "set": entry.constants = try map(node).map { ($0.name, try text($0.node)) }
      case "by": entry.decidedBy = try texts(node)
      case "values": entry.values = try entries(node)
      case "having":
        entry.having = try map(node).map { name, node in
          (name.parted(by: " "), try self.entry(node))
        }
      case "enum": entry.enumerations = try texts(node)
      case "each": entry.parts = try list(node).map(self.entry)
      case "incoming": entry.variants[.incoming] = try self.entry(node)
      case "standing": entry.variants[.established] = try self.entry(node)
      case "after": entry.after = try entries(node)
      case "asked": entry.asked = try events(node)
      case "answered": entry.answered = try events(node)
      default:
        throw wrong(
          node,
          "\"\(name)\" is no member of an event; event, args, between, set, by, values, having, enum, each, incoming, standing, after, asked, answered are"
        )
      }
    }
    return entry
  }

  private func bounds(_ member: (name: String, node: DataNode)) throws -> (
    name: String, range: ClosedRange<Double>
  ) {
    let ends = try texts(member.node).compactMap(Double.init)
    guard ends.count == 2, ends[0] <= ends[1] else {
      throw wrong(member.node, "two numbers as texts expected, the lower first")
    }
    return (member.name, ends[0]...ends[1])
  }

  private func enumeration(_ member: (name: String, node: DataNode)) throws -> Dialect.Enumeration {
    var found = Dialect.Enumeration(name: member.name)
    for (name, node) in try map(member.node) {
      switch name {
      case "prefixes": found.prefixes = try texts(node).map { LogName.normal($0) }
      case "numbers": found.numbers = try texts(node).map { LogName.normal($0) }
      case "values": found.values = try entries(node)
      default: throw wrong(node, "\"\(name)\" is no member of an enumeration; prefixes, numbers, values are")
      }
    }
    return found
  }

  private func codeSet(_ member: (name: String, node: DataNode)) throws -> CodeSet {
    var found = CodeSet(name: member.name)
    for (name, node) in try map(member.node) {
      switch name {
      case "in": found.places = try texts(node)
      case "prefixes": found.prefixes = try texts(node).map { LogName.normal($0) }
      case "numbers": found.numbers = try texts(node).map { $0.parted(by: "|") }
      default: throw wrong(node, "\"\(name)\" is no member of a set of codes; in, prefixes, numbers are")
      }
    }
    return found
  }

  private func transitions(_ node: DataNode) throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for (name, node) in try map(node) {
      found[LogName.normal(name)] = Set(try texts(node).map { LogName.normal($0) })
    }
    for (name, node) in try map(node) {
      for text in try texts(node) where found[LogName.normal(text)] == nil {
        throw wrong(node, "\"\(text)\", to which \"\(name)\" leads, is no state of the table")
      }
    }
    return found
  }

  private func lines(_ node: DataNode, areGeneric: Bool = false) throws -> [TextPattern] {
    try list(node).map { node in
      guard let text = node["text"]?.text, let raw = node["event"]?.text else {
        throw wrong(node, "a line has \"text\" and \"event\", the raw name it stands for")
      }
      guard let pattern = TextPattern(text, raw: raw, isGeneric: areGeneric) else {
        throw wrong(
          node, "a pattern begins with text, two {names} have text between them, and {*} comes last")
      }
      return pattern
    }
  }

  private func path(_ member: (name: String, node: DataNode)) throws -> RequestPath {
    guard let path = RequestPath(member.name, raw: try text(member.node)) else {
      throw wrong(member.node, "a path has 1 to \(RequestPath.most) segments")
    }
    return path
  }

  private func pathHead(_ text: String, _ node: DataNode) throws -> RequestPath {
    guard let path = RequestPath(text, raw: "") else {
      throw wrong(node, "a path has 1 to \(RequestPath.most) segments")
    }
    return path
  }

  private func checkEnumerations(_ dialect: Dialect.Contents, _ root: DataNode) throws {
    for (name, entry) in dialect.events {
      for wanted in entry.enumerations where !dialect.enums.contains(where: { $0.name == wanted }) {
        throw wrong(root["events"] ?? root, "\"\(name)\" names enumeration \"\(wanted)\", which is not there")
      }
    }
    for (name, entry) in dialect.enums.flatMap(\.values) {
      for state in entry.after.keys where dialect.transitions[state] == nil {
        throw wrong(
          root["enums"] ?? root, "\"\(state)\", behind which \"\(name)\" comes, is no state of the table")
      }
    }
  }
}
