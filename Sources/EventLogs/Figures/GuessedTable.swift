import Bytes
import IO
import LogText

/// A table of which the first rows are known.
struct GuessedTable {
  /// Names of the columns, and their texts by row; nil where there is none.
  private(set) var names: [String] = []
  private(set) var rows: [[String?]] = []
  private(set) var separator: UInt8?
  private(set) var hasDecimalComma = false
  /// The path of the rows, if they are in a document.
  private(set) var path: String?
  /// Whether the lists of a row lie side by side.
  private(set) var isSeries = false
  /// Whether the row below the heading has units, and which: empty without one.
  private(set) var units: [String] = []
  /// The columns of a figure's name and value, if a row is one figure.
  private(set) var long: (name: String, value: String)?

  private static let mostRows = 400
  private static let mostColumns = 400
  private static let bytesTried = 256 << 10

  init?(_ head: UnsafeBufferPointer<UInt8>) {
    let head = UnsafeBufferPointer(rebasing: head.prefix(Self.bytesTried))
    if JSONTree.mayBegin(head) { readJSON(head) } else { readTable(head) }
    guard names.count > 1, !rows.isEmpty else { return nil }
  }

  private mutating func readTable(_ head: UnsafeBufferPointer<UInt8>) {
    var best: (separator: UInt8, rows: [[String]])?
    for separator in [UInt8(ascii: ";"), 9, UInt8(ascii: ","), UInt8(ascii: "|")] {
      let all = TableHead.rows(head, separator, most: Self.mostRows)
      let rows = Array(all.dropFirst(TableHead.rowsAboveHeading(all)))
      // The last row may be cut off.
      guard let heading = rows.first, heading.count > 1, heading.count <= Self.mostColumns, rows.count > 1,
        rows.dropFirst().dropLast().allSatisfy({ $0.count == heading.count }),
        heading.allSatisfy({ Double($0) == nil })
      else { continue }
      if heading.count > best?.rows.first?.count ?? 0 { best = (separator, rows) }
    }
    guard let best, let heading = best.rows.first else { return }
    separator = best.separator
    names = heading.map(\.trimmed)
    rows = best.rows.dropFirst().filter { $0.count == heading.count }.map { $0.map(Optional.some) }
    if let first = rows.first?.map({ $0 ?? "" }), rows.count > 1,
      first.contains(where: { FigureUnit(word: $0) != nil }), first.allSatisfy({ Self.isUnitOrNone($0) })
    {
      units = first
      rows.removeFirst()
    }
    let texts = rows.joined().compactMap(\.self)
    hasDecimalComma =
      best.separator != UInt8(ascii: ",")
      && texts.count(where: { Self.hasComma($0) })
        > texts.count(where: { $0.contains(".") && Double($0) != nil })
  }

  private static func isUnitOrNone(_ text: String) -> Bool {
    FigureNotation().isMissing(text) || FigureUnit(word: text) != nil
      || Double(text) == nil && text.count < 12
  }

  /// The same with a column for each figure, if a column has names of figures and another their values; else nil.
  func spread() -> GuessedTable? {
    let notation = FigureNotation(hasDecimalComma: hasDecimalComma)
    let values = names.indices.filter { value in
      FigureNames.installed["values"].contains(names[value].lowercased())
        && rows.contains { notation.plainNumber($0[value] ?? "") != nil }
    }
    guard !values.isEmpty else { return nil }
    for name in names.indices {
      let cells = rows.map { $0[name]?.trimmed }
      let metrics = Set(cells.compactMap(\.self)).filter { !$0.isEmpty }.sorted()
      guard (1...Self.mostMetrics).contains(metrics.count),
        metrics.allSatisfy({ $0.utf8.count <= Self.longestMetric })
      else { continue }
      for value in values where value != name {
        let columns = metrics.map { metric in
          rows.indices.map { cells[$0] == metric ? rows[$0][value] : nil }
        }
        let isLong = zip(metrics, columns).contains { GuessedColumn($0, $1, notation).figure != nil }
        guard isLong else { continue }
        var table = self
        table.long = (names[name], names[value])
        table.names = names + metrics
        table.rows = rows.indices.map { row in rows[row] + columns.map { $0[row] } }
        return table
      }
    }
    return nil
  }

  private static let mostMetrics = 60
  private static let longestMetric = 100

  private static func hasComma(_ text: String) -> Bool {
    text.contains(",") && Double(text.replacing(",", with: ".")) != nil
  }

  private mutating func readJSON(_ head: UnsafeBufferPointer<UInt8>) {
    var documents: [JSONTree] = []
    if JSONTree.hasLines(head) {
      for line in ByteSearch.lines(in: head, most: Self.mostRows) where line.upperBound < head.count {
        documents.append(.beginning(of: UnsafeBufferPointer(rebasing: head[line])))
      }
    } else {
      documents = [.beginning(of: head)]
    }
    let root = documents.count == 1 ? documents[0] : .array(documents)
    let above = Self.leaves(root).map { (name: "/" + $0.name, value: $0.value) }
    let found =
      Self.list(in: root, path: "", above: above) ?? ("", documents.map { Row(tree: $0, above: []) })
    path = found.path.isEmpty ? nil : found.path
    var order: [String] = []
    var indices: [String: Int] = [:]
    let tops = found.rows.prefix(Self.mostRows)
    let lists = tops.first.map { Self.lists(in: $0.tree) } ?? 0
    isSeries = lists > 1
    let flat = tops.flatMap { row in
      let places = isSeries ? (0..<lists).map { Optional($0) } : [nil]
      return places.map { Self.leaves(row.tree, element: $0) + row.above }
    }
    for (name, _) in flat.joined() where indices[name] == nil && order.count < Self.mostColumns {
      indices[name] = order.count
      order.append(name)
    }
    names = order
    rows = flat.map { leaves in
      var row = [String?](repeating: nil, count: order.count)
      for (name, value) in leaves { if let index = indices[name] { row[index] = value } }
      return row
    }
  }

  /// A row of a document, and the values above it by their paths from it.
  private struct Row {
    var tree: JSONTree
    var above: [(name: String, value: String)]
  }

  /// The list with most objects in it, or the list that each of them holds if only that one has figures.
  private static func list(
    in tree: JSONTree, path: String, above: [(name: String, value: String)], depth: Int = 0
  ) -> (path: String, rows: [Row])? {
    guard depth < 6 else { return nil }
    switch tree {
    case .array(let elements):
      let objects = elements.filter { if case .object = $0 { true } else { false } }
      guard let first = objects.first else { return nil }
      let own = (path: path.isEmpty ? "" : path + "[]", rows: objects.map { Row(tree: $0, above: above) })
      let hasFigures = leaves(first).contains { name, value in
        GuessedColumn(name, [value], FigureNotation()).figure != nil
      }
      if hasFigures { return own }
      let upper = above.prefix(mostColumns).map {
        ($0.name.hasPrefix("/") ? $0.name : "^." + $0.name, $0.value)
      }
      let inner = objects.prefix(mostRows).compactMap { object in
        let near = leaves(object).map { ("^." + $0.name, $0.value) }
        return list(in: object, path: own.path, above: upper + near, depth: depth + 1)
      }
      guard let inmost = inner.first else { return own }
      return (inmost.path, inner.filter { $0.path == inmost.path }.flatMap(\.rows))
    case .object(let members):
      return members.compactMap { member in
        list(
          in: member.value, path: path.isEmpty ? member.name : "\(path).\(member.name)", above: above,
          depth: depth + 1)
      }.max { $0.rows.count < $1.rows.count }
    case .leaf, .null: return nil
    }
  }

  private static func leaves(
    _ tree: JSONTree, _ path: String = "", element: Int? = nil, depth: Int = 0
  ) -> [(name: String, value: String)] {
    guard depth < 4, case .object(let members) = tree else { return [] }
    return members.flatMap { member in
      let name = path.isEmpty ? member.name : "\(path).\(member.name)"
      switch member.value {
      case .object: return leaves(member.value, name, element: element, depth: depth + 1)
      case .array(let elements) where element != nil:
        let place = element ?? 0
        return [(name, elements.indices.contains(place) ? elements[place].leaf?.text ?? "" : "")]
      case .array: return []
      default: return [(name, member.value.leaf?.text ?? "")]
      }
    }
  }

  /// The length of the longest list of numbers in a row.
  private static func lists(in tree: JSONTree, depth: Int = 0) -> Int {
    guard depth < 4, case .object(let members) = tree else { return 0 }
    return members.map { member in
      guard case .array(let elements) = member.value else { return lists(in: member.value, depth: depth + 1) }
      let numbers = elements.count { element in
        if case .leaf(.number) = element { true } else { false }
      }
      return 2 * numbers > elements.count ? elements.count : 0
    }.max() ?? 0
  }
}
