import CallModel

/// One end of a call as the views of it make it out.
struct GroupedEndpoint: Equatable {
  var name: String
  var direction: CallDirection
  var connections: [Int64]
}

/// The views that belong to one call, sorted into its ends.
struct GroupedCall: Equatable {
  var endpoints: [GroupedEndpoint]
  /// Views that belong to the call and to no end of it.
  var whole: [Int64]

  /// All of its views.
  var views: [Int64] { endpoints.flatMap(\.connections) + whole }
}

/// Sorts views of connections into calls and ends. The result depends on the set of views alone, not on their order.
func groupCalls(_ unsorted: [ConnectionView], corrections: Corrections = Corrections()) -> [GroupedCall] {
  let views = unsorted.sorted { ($0.sha256, $0.name ?? "", $0.key) < ($1.sha256, $1.name ?? "", $1.key) }
  var calls = DisjointSets(views.count)
  var ends = DisjointSets(views.count)
  let like = LikeViews(views, corrections: corrections)
  for row in like.rows {
    for place in row.places.dropFirst() {
      calls.join(row.places[0], place)
      if row.isOneEnd { ends.join(row.places[0], place) }
    }
  }
  var facing: Set<Int> = []
  var namesakes: [(Int, Int)] = []
  let compared = like.rows.map(\.view)
  TieCandidates(compared, corrections: corrections).forEach { first, second in
    let (a, b) = (like.rows[first].places[0], like.rows[second].places[0])
    // One end already: no word could tie them more.
    guard ends.root(a) != ends.root(b) else { return }
    let (one, other) = (compared[first], compared[second])
    guard let tie = corrections.apply(to: Tie.between(one, other), one, other) else { return }
    if tie == .named { return namesakes.append((a, b)) }
    calls.join(a, b)
    if tie == .sameEnd {
      ends.join(a, b)
      for row in [like.rows[first], like.rows[second]] where !row.isOneEnd {
        for place in row.places { ends.join(a, place) }
      }
    }
    if tie == .facing { facing.formUnion([first, second]) }
  }
  if !namesakes.isEmpty {
    let rowOfPlace = like.rowOfPlace
    let named = Namesakes(
      views, root: views.indices.map { calls.root($0) },
      faces: { rowOfPlace[$0].map(facing.contains) ?? false })
    for (a, b) in namesakes where named.isOneCall(a, b) { calls.join(a, b) }
  }
  joinReplaced(views, corrections, calls: &calls, ends: &ends)
  joinWholes(views, calls: &calls)
  let stated = views.map(statedName)
  joinEndsOfOneName(views, stated, calls: &calls, ends: &ends)
  joinRotated(views, corrections, calls: &calls, ends: &ends)
  // What a source says of no end in particular is no call of its own beside those of its ends.
  // Neither is what tells of a session alone, unless somebody says that it is of one.
  let telling = views.map { !$0.isIdle || $0.given != nil || corrections.concern($0.part) }
  let told = Set(views.indices.filter { !views[$0].isWhole && telling[$0] }.map { views[$0].source })
  return calls.groups.filter { members in
    members.contains { telling[$0] && (!views[$0].isWhole || !told.contains(views[$0].source)) }
  }.map { members in
    let groups = Dictionary(grouping: members.filter { !views[$0].isWhole }) { ends.root($0) }
    return GroupedCall(
      endpoints: nameEndpoints(groups.values.map { $0.map { (views[$0], stated[$0]) } }),
      whole: members.filter { views[$0].isWhole }.map { views[$0].key })
  }
}

/// What a source says of no end in particular belongs to its call, where the source speaks of one call only.
private func joinWholes(_ views: [ConnectionView], calls: inout DisjointSets) {
  let places = Dictionary(grouping: views.indices) { views[$0].source }
  for index in views.indices where views[index].isWhole {
    let ends = (places[views[index].source] ?? []).filter { !views[$0].isWhole }
    let roots = Set(ends.map { calls.root($0) })
    if roots.count == 1, let end = ends.first { calls.join(index, end) }
  }
}

/// Within one call, views that carry the same end's name are that end (a log and a dump of `caller`).
private func joinEndsOfOneName(
  _ views: [ConnectionView], _ stated: [String?], calls: inout DisjointSets, ends: inout DisjointSets
) {
  var first: [String: Int] = [:]
  for index in views.indices {
    guard !views[index].isWhole, let name = stated[index] else { continue }
    let key = "\(calls.root(index))/\(name)"
    if let other = first[key] { ends.join(index, other) } else { first[key] = index }
  }
}

/// What the two ends of a call are called where nothing else names them.
let roleNames: Set<String> = ["caller", "callee"]

/// The end's name where a source states it: in the log, as the connection's own name, or in the file's.
func statedName(_ view: ConnectionView) -> String? {
  if let endpoint = view.endpoint { return endpoint }
  if let name = view.logged.end, roleNames.contains(name) { return name }
  let file = view.path.split(separator: "/").last ?? ""
  let stated = roleNames.intersection(file.split { !$0.isLetter }.map { $0.lowercased() })
  guard stated.count == 1, let name = stated.first else { return nil }
  // Who sent the INVITE called, whatever a capture of it is named.
  let isSIP = !view[.sip].isEmpty && view.direction != .unknown
  return isSIP && (view.direction == .outgoing) != (name == "caller") ? nil : name
}

/// A view of an end, with the name it states.
private typealias Naming = (view: ConnectionView, stated: String?)

private func nameEndpoints(_ groups: [[Naming]]) -> [GroupedEndpoint] {
  var endpoints = groups.map { views in
    let direction = views.map(\.view.direction).first { $0 != .unknown } ?? .unknown
    return GroupedEndpoint(
      name: endpointName(views, direction: direction), direction: direction,
      connections: views.map(\.view.key).sorted())
  }
  endpoints.sort { ($0.name, $0.connections.first ?? 0) < ($1.name, $1.connections.first ?? 0) }
  var seen: [String: Int] = [:]
  for index in endpoints.indices {
    let count = (seen[endpoints[index].name] ?? 0) + 1
    seen[endpoints[index].name] = count
    if count > 1 { endpoints[index].name += "-\(count)" }
  }
  return endpoints
}

private func endpointName(_ views: [Naming], direction: CallDirection) -> String {
  if let stated = views.compactMap(\.stated).min() { return stated }
  switch direction {
  case .outgoing: return "caller"
  case .incoming: return "callee"
  case .unknown: return views.compactMap { $0.view.logged.end }.min() ?? "endpoint"
  }
}

/// Union-find over indices.
struct DisjointSets {
  private var parent: [Int]

  init(_ count: Int) { parent = Array(0..<count) }

  mutating func root(_ index: Int) -> Int {
    var node = index
    while parent[node] != node {
      parent[node] = parent[parent[node]]
      node = parent[node]
    }
    return node
  }

  mutating func join(_ a: Int, _ b: Int) {
    let (low, high) = (min(root(a), root(b)), max(root(a), root(b)))
    parent[high] = low
  }

  /// Members by set, each in ascending order, sets by their first member.
  var groups: [[Int]] {
    var copy = self
    return Dictionary(grouping: parent.indices) { copy.root($0) }.values.map { $0.sorted() }
      .sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }
}
