import CallModel

/// The connections that one client made, according to its own record: those of one page, or of one file.
///
/// They are one end, whatever they offer or answer: one for sending and one for receiving, one for each of the others,
/// one over a server and one beside it. Only two that face each other are two ends. Those at the same time are one call;
/// one that follows another is of the same call if the conversation goes on, else of the next.
enum ClientRecords {
  /// A record of more connections is not one client's, but that of a server or of many clients.
  static let most = 64

  /// A client, as far as a record tells: the page, or the file and what its connections are named after.
  private struct Client: Hashable {
    var source: Int64?
    var page: String
    /// The end that the record names, where it names several.
    var end: String?
  }

  /// Joins the connections of each client, unless two of them face each other.
  /// - Parameter facing: pairs of views that face each other.
  static func join(
    _ views: [ConnectionView], facing: [(Int, Int)], _ corrections: Corrections, calls: inout DisjointSets,
    ends: inout DisjointSets
  ) {
    let clients = clients(of: views)
    for members in clients where members.count > 1 {
      let known = Set(members)
      guard !facing.contains(where: { known.contains($0.0) && known.contains($0.1) }) else { continue }
      join(members, views, corrections, &calls, &ends)
    }
  }

  private static func clients(of views: [ConnectionView]) -> [[Int]] {
    var named: [Client: [Int]] = [:]
    for (place, view) in views.enumerated() where view.isOfClient && !view.isWhole && !view.isIdle {
      named[client(of: view), default: []].append(place)
    }
    var sources: [Client: Set<String?>] = [:]
    for client in named.keys {
      sources[Client(source: client.source, page: client.page), default: []].insert(client.end)
    }
    // What came before the end was named belongs to it, if only one is ever named.
    for (record, names) in sources where names.count == 2 && names.contains(nil) {
      guard let end = names.compactMap(\.self).first, let early = named.removeValue(forKey: record) else {
        continue
      }
      named[Client(source: record.source, page: record.page, end: end), default: []] += early
    }
    return named.values.map { $0.sorted() }.filter { $0.count <= most }.sorted { $0[0] < $1[0] }
  }

  private static func client(of view: ConnectionView) -> Client {
    let end = view.ownEnd ?? view.logged.end.flatMap { roleNames.contains($0) ? $0 : nil }
    if let page = view[.page].min() { return Client(source: nil, page: page, end: end) }
    let page = view.logged.end.flatMap(ConnectionName.page).map(String.init)
    return Client(source: view.source, page: page ?? "", end: end)
  }

  private static func join(
    _ members: [Int], _ views: [ConnectionView], _ corrections: Corrections, _ calls: inout DisjointSets,
    _ ends: inout DisjointSets
  ) {
    var sittings: [Sitting] = []
    let inOrder = members.sorted {
      (views[$0].firstMs ?? -.infinity, $0) < (views[$1].firstMs ?? -.infinity, $1)
    }
    for place in inOrder {
      let view = views[place]
      let others = members.filter { corrections.haveSplit(views[$0].part, view.part) }
      let isOpen = { (sitting: Sitting) in
        sitting.agrees(with: view) && sitting.members.allSatisfy { !others.contains($0) }
      }
      let number = sittings.lastIndex { isOpen($0) && $0.goesOn(in: view) }
      if let number {
        calls.join(sittings[number].members[0], place)
        ends.join(sittings[number].members[0], place)
        sittings[number].add(place, view)
      } else {
        sittings.append(Sitting(place, view))
      }
    }
  }

  /// Connections of a client in one call.
  private struct Sitting {
    private(set) var members: [Int] = []
    private var last: ConnectionView
    private var ids: Set<String>
    private var given: String?
    /// The number of the call of each end that its log distinguishes.
    private var numbers: [String?: Int]

    init(_ place: Int, _ view: ConnectionView) {
      (last, ids, given) = (view, view.callIDs, view.given)
      numbers = [view.logged.end: view.logged.number]
      members = [place]
    }

    mutating func add(_ place: Int, _ view: ConnectionView) {
      members.append(place)
      ids.formUnion(view.callIDs)
      given = given ?? view.given
      numbers[view.logged.end] = view.logged.number
      if (view.lastMs ?? -.infinity) > (last.lastMs ?? -.infinity) { last = view }
    }

    /// Whether the ids of a connection do not say that it is of another call.
    func agrees(with view: ConnectionView) -> Bool {
      let own = view.callIDs
      return (own.isEmpty || ids.isEmpty || !own.isDisjoint(with: ids))
        && (given == nil || view.given == nil || given == view.given)
        && numbers[view.logged.end].map { $0 == view.logged.number } ?? true
    }

    /// Whether a connection that begins later goes on with the call.
    func goesOn(in view: ConnectionView) -> Bool {
      guard let lastMs = last.lastMs, let firstMs = view.firstMs, firstMs - lastMs > Succession.handOverMs
      else {
        return true
      }
      // An id that both have is of a room or a call.
      if !ids.isDisjoint(with: view.callIDs) { return true }
      return firstMs - lastMs <= Succession.reconnectMs && last.isBroken
    }
  }
}

extension ConnectionView {
  /// The end that its record names; nil if that is the connection's own name.
  var ownEnd: String? { endpoint == logged.end ? nil : endpoint }

  /// The ids of its call.
  fileprivate var callIDs: Set<String> {
    self[.call].union(self[.session]).union(self[.sip]).union(call.map { [$0] } ?? [])
  }
}
