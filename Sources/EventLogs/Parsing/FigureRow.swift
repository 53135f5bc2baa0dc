import IO
import LogText

/// A path to a value, as a form has it: members with dots between, `^.` for each level up, `/` first for the root. `*` is
/// the name or index of the row itself in what holds it, `@` the name of the list that holds it.
struct FigurePath: Sendable, Hashable {
  let text: String
  var ups = 0
  var isOfRoot = false
  var steps: [String] = []
  /// Whether its name says that times there are UTC.
  let saysUTC: Bool

  init(_ text: String) {
    self.text = text
    let words = text.lowercased()
    saysUTC = words.contains("utc") || words.contains("gmt")
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "/") {
      isOfRoot = true
      rest = rest.dropFirst()
    }
    while rest.starts(with: "^.".utf8) {
      ups += 1
      rest = rest.dropFirst(2)
    }
    steps = rest.split(separator: UInt8(ascii: ".")).map { String(Substring($0)) }
  }

  /// The path below a member.
  func below(_ member: FigurePath?) -> FigurePath {
    guard let member, ups == 0, !isOfRoot else { return self }
    return FigurePath(member.text + "." + text)
  }
}

/// The values of a row of a table or a document.
protocol FigureRow {
  /// The value at a path; nil if there is none, or it is null.
  func value(_ path: FigurePath) -> SummaryTree.Value?
  /// Whether there is a value, or an object or list with something in it.
  func has(_ path: FigurePath) -> Bool
}

extension FigureRow {
  /// The value as text; nil if it is missing or blank.
  func text(_ path: FigurePath) -> String? {
    guard let text = value(path)?.text.trimmed, !text.isEmpty else { return nil }
    return text
  }
}

/// A row of a table by the names of its columns.
struct TableRow: FigureRow {
  let columns: TableColumns
  let cells: CSVRow

  func value(_ path: FigurePath) -> SummaryTree.Value? {
    columns[path].flatMap { cells.text($0) }.map { .text($0) }
  }

  func has(_ path: FigurePath) -> Bool { columns[path] != nil }
}

/// The columns of a table by name. Of two with one name the first counts.
struct TableColumns {
  let names: [String]
  private var indices: [String: Int] = [:]
  /// By letters and digits alone, for other spellings.
  private var loose: [String: Int] = [:]
  /// The names that more than one column has.
  private(set) var twice: [String] = []

  init(_ names: [String]) {
    self.names = names
    for (index, name) in names.enumerated() where !name.trimmed.isEmpty {
      let key = Self.key(name)
      if indices[key] == nil { indices[key] = index } else { twice.append(name) }
      let bare = LogName.normal(name)
      if loose[bare] == nil { loose[bare] = index }
    }
  }

  /// The index of the column of a path, which has no levels here.
  subscript(_ path: FigurePath) -> Int? {
    path.isOfRoot || path.ups > 0 ? self[path.steps.joined(separator: ".")] : self[path.text]
  }

  /// The index of a column, by its name in any case, with or without underscores.
  subscript(_ name: String) -> Int? {
    indices[name] ?? indices[Self.key(name)] ?? loose[LogName.normal(name)]
  }

  private static func key(_ name: String) -> String { SummaryTree.normal(name.trimmed) }
}

/// A row of a document, with what surrounds it from the root on.
struct TreeRow: FigureRow {
  /// From the root to the row.
  let chain: [JSONTree]
  let name: String
  let list: String
  /// Which element of the lists of a row with lists side by side; nil for a row of single values.
  var element: Int?

  func value(_ path: FigurePath) -> SummaryTree.Value? {
    if path.steps == ["*"] { return name.isEmpty ? nil : .text(name) }
    if path.steps == ["@"] { return list.isEmpty ? nil : .text(list) }
    guard let found = node(path) else { return nil }
    if let element, case .array(let elements) = found {
      return elements.indices.contains(element) ? elements[element].leaf : nil
    }
    return found.leaf
  }

  func has(_ path: FigurePath) -> Bool { node(path)?.isContainer == true || value(path) != nil }

  /// The value at a path in the row, or in what surrounds it.
  func isNear(_ path: FigurePath) -> Bool {
    has(path)
      || chain.indices.contains {
        Self.find(path, in: chain[$0]).map { $0.isContainer || $0.leaf != nil } == true
      }
  }

  private func node(_ path: FigurePath) -> JSONTree? {
    let place = path.isOfRoot ? 0 : chain.count - 1 - path.ups
    guard chain.indices.contains(place) else { return nil }
    return Self.find(path, in: chain[place])
  }

  private static func find(_ path: FigurePath, in tree: JSONTree) -> JSONTree? {
    if path.steps.count == 1 { return tree[path.steps[0]] }
    // A name may have dots in it.
    if path.ups == 0, !path.isOfRoot, let whole = tree[path.text] { return whole }
    var node: JSONTree? = tree
    for step in path.steps { node = node?[step] }
    return node
  }

  /// The most elements of lists side by side.
  static let mostElements = 100_000

  /// The rows of lists side by side: one for each element of the longest.
  var elements: [TreeRow] {
    guard let row = chain.last else { return [self] }
    return (0..<min(Self.longestList(in: row), Self.mostElements)).map { index in
      var row = self
      row.element = index
      return row
    }
  }

  // Recursion is bounded by the depth of a tree.
  private static func longestList(in tree: JSONTree) -> Int {
    switch tree {
    case .array(let elements): elements.count
    case .object(let members): members.map { longestList(in: $0.value) }.max() ?? 0
    case .leaf, .null: 0
    }
  }
}

/// Where the rows of a document are: `participants[].user_qos[]`, `SSRC.*`.
struct RowPath: Sendable {
  /// A member; its elements, or all its members, are rows or hold them.
  private enum Step: Sendable { case member(String), each }

  private let steps: [Step]

  /// Whether the document is the row.
  var isDocument: Bool { steps.isEmpty }

  init(_ text: String) {
    var steps: [Step] = []
    for part in text.split(separator: ".") {
      if part == "*" {
        steps.append(.each)
        continue
      }
      let isList = part.hasSuffix("[]")
      let name = isList ? part.dropLast(2) : part
      if !name.isEmpty { steps.append(.member(String(name))) }
      if isList { steps.append(.each) }
    }
    self.steps = steps
  }

  /// Passes every row of a document, in order.
  func forEachRow(of root: JSONTree, _ body: (TreeRow) throws -> Void) rethrows {
    try walk(steps[...], root, chain: [root], name: "", list: "", body)
  }

  // Recursion is bounded by the steps of a form.
  private func walk(
    _ steps: ArraySlice<Step>, _ node: JSONTree, chain: [JSONTree], name: String, list: String,
    _ body: (TreeRow) throws -> Void
  ) rethrows {
    guard let step = steps.first else {
      return try body(TreeRow(chain: chain, name: name, list: list))
    }
    let rest = steps.dropFirst()
    switch step {
    case .member(let member):
      guard let next = node[member] else { return }
      let isLast = rest.isEmpty
      try walk(rest, next, chain: isLast ? chain + [next] : chain, name: member, list: member, body)
    case .each:
      switch node {
      case .array(let elements):
        for (index, element) in elements.enumerated() {
          try walk(rest, element, chain: chain + [element], name: String(index), list: list, body)
        }
      case .object(let members):
        for member in members where member.value.isContainer {
          try walk(rest, member.value, chain: chain + [member.value], name: member.name, list: list, body)
        }
      case .leaf, .null: break
      }
    }
  }
}
