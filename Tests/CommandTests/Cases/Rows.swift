/// What rows have to be: how many, which ones in order, or what some of them are.
struct Rows: Sendable {
  private enum Wanted: Sendable {
    case count(Matcher)
    case all([Row])
    case every(Row)
    case any(Row)
    case none(Row)
    case first([Row])
    case last([Row])
  }

  /// Which rows are looked at.
  private let filter: Row?
  private let wanted: [Wanted]
  private let isInAnyOrder: Bool

  /// - Parameters:
  ///   - wanted: a number of rows, a list of them, or an object of `count`, `every`, `any`, `none`, `first` and `last`.
  ///   - filter: what rows have to be to be looked at.
  ///   - member: the path that every row stands for.
  ///   - short: the path that a row stands for which is no object.
  ///   - order: `any` if that of the list says nothing.
  init(
    _ wanted: JSONValue, where filter: JSONValue? = nil, of member: String? = nil, short: String? = nil,
    order: JSONValue? = nil
  ) throws {
    self.filter = try filter.map { try Row($0) }
    guard order == nil || order == .text("any") else { throw CaseError("\"order\" can only be \"any\"") }
    isInAnyOrder = order != nil
    func row(_ value: JSONValue) throws -> Row { try Row(value, of: member, short: short) }
    func rows(_ value: JSONValue) throws -> [Row] { try (value.list ?? [value]).map(row) }
    switch wanted {
    case .number: self.wanted = [.count(try Matcher(wanted))]
    case .list: self.wanted = [.all(try rows(wanted))]
    case .object(let object):
      guard !object.isEmpty else { throw CaseError("{} expects nothing") }
      self.wanted = try object.sorted { $0.key < $1.key }.map { name, value in
        switch name {
        case "count": .count(try Matcher(value))
        case "every": .every(try row(value))
        case "any": .any(try row(value))
        case "none": .none(try row(value))
        case "first": .first(try rows(value))
        case "last": .last(try rows(value))
        default: throw CaseError("rows have no \"\(name)\"")
        }
      }
    default: throw CaseError("rows cannot be \(wanted)")
    }
  }

  /// What was found where it is not what is wanted.
  func failure(_ all: [JSONValue]) -> String? {
    let rows = filter.map { filter in all.filter(filter.matches) } ?? all
    return wanted.allSatisfy { holds($0, of: rows) } ? nil : described(rows, of: all.count)
  }

  private func holds(_ wanted: Wanted, of rows: [JSONValue]) -> Bool {
    switch wanted {
    case .count(let count): count.matches(.number(Double(rows.count)))
    case .all(let list):
      rows.count == list.count && (isInAnyOrder ? Self.match(list, rows[...]) : Self.begin(rows, list))
    case .every(let row): !rows.isEmpty && rows.allSatisfy(row.matches)
    case .any(let row): rows.contains(where: row.matches)
    case .none(let row): !rows.contains(where: row.matches)
    case .first(let list): Self.begin(rows, list)
    case .last(let list): Self.begin(rows.suffix(list.count), list)
    }
  }

  private static func begin(_ rows: some Collection<JSONValue>, _ wanted: [Row]) -> Bool {
    rows.count >= wanted.count && zip(wanted, rows).allSatisfy { $0.matches($1) }
  }

  /// Whether each wanted row is one of the rows, and no two are the same one.
  private static func match(_ wanted: [Row], _ rows: ArraySlice<JSONValue>) -> Bool {
    var rows = Array(rows)
    return wanted.allSatisfy { row in rows.firstIndex(where: row.matches).map { rows.remove(at: $0) } != nil }
  }

  /// The rows as they were found: of each the members that are spoken of.
  private func described(_ rows: [JSONValue], of all: Int) -> String {
    let paths = Set(
      wanted.flatMap { wanted in
        switch wanted {
        case .count: [String]()
        case .all(let rows), .first(let rows), .last(let rows): rows.flatMap(\.paths)
        case .every(let row), .any(let row), .none(let row): row.paths
        }
      }
    ).sorted()
    let shown = rows.prefix(20).map { row in
      paths.isEmpty
        ? row.description
        : "{\(paths.map { "\"\($0)\": \(row.at($0)?.description ?? "absent")" }.joined(separator: ", "))}"
    }
    let more = rows.count > 20 ? ["… \(rows.count - 20) more"] : []
    let head = "\(rows.count) rows" + (filter == nil ? "" : " of \(all)")
    return ([head] + shown + more).joined(separator: "\n  ")
  }
}

/// What a row has to be: a value for each of some members.
struct Row: Sendable {
  private let members: [(path: String, matcher: Matcher)]

  init(_ wanted: JSONValue, of member: String? = nil, short: String? = nil) throws {
    if let member = member ?? (wanted.object == nil ? short : nil) {
      members = [(member, try Matcher(wanted))]
    } else if let object = wanted.object, !object.isEmpty {
      members = try object.map { ($0, try Matcher($1)) }
    } else {
      throw CaseError("a row is an object of members, not \(wanted); or name one with \"of\"")
    }
  }

  var paths: [String] { members.map(\.path) }

  func matches(_ row: JSONValue) -> Bool { members.allSatisfy { $0.matcher.matches(row.at($0.path)) } }
}
