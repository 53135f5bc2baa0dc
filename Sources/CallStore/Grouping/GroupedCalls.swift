import CallModel

/// One end of a call, from its views.
struct GroupedEndpoint: Equatable {
  var name: String
  var direction: CallDirection
  var connections: [Int64]
}

/// The views of one call, sorted into its ends.
struct GroupedCall: Equatable {
  var endpoints: [GroupedEndpoint]
  /// Views that belong to the call but to none of its ends.
  var whole: [Int64]

  /// All of its views.
  var views: [Int64] { endpoints.flatMap(\.connections) + whole }
}

/// Groups views of connections into calls and ends. The result depends only on the set of views, not on their order.
func groupCalls(_ unsorted: [ConnectionView], corrections: Corrections = Corrections()) -> [GroupedCall] {
  let views = unsorted.sorted { ($0.sha256, $0.name ?? "", $0.key) < ($1.sha256, $1.name ?? "", $1.key) }
  var calls = DisjointSets(views.count)
  var ends = DisjointSets(views.count)
  let like = SplitFileGrouping(views, corrections: corrections)
  for row in like.rows {
    for place in row.places.dropFirst() {
      calls.join(row.places[0], place)
      if row.isOneEnd { ends.join(row.places[0], place) }
    }
  }
  var facing: [(Int, Int)] = []
  var sameNamed: [(Int, Int)] = []
  let compared = like.rows.map(\.view)
  CandidateViewPairs(compared, corrections: corrections).forEach { first, second in
    let (a, b) = (like.rows[first].places[0], like.rows[second].places[0])
    // Already the same end, which is the strongest relation.
    guard ends.root(a) != ends.root(b) else { return }
    let (one, other) = (compared[first], compared[second])
    guard let relation = corrections.apply(to: ViewRelation.between(one, other), one, other) else { return }
    if relation == .named { return sameNamed.append((a, b)) }
    calls.join(a, b)
    if relation == .sameEnd {
      ends.join(a, b)
      for row in [like.rows[first], like.rows[second]] where !row.isOneEnd {
        for place in row.places { ends.join(a, place) }
      }
    }
    if relation == .facing { facing.append((a, b)) }
  }
  if !sameNamed.isEmpty {
    let faced = Set(facing.flatMap { [$0.0, $0.1] })
    let row = like.rowOfPlace
    let named = SharedNameGrouping(
      views, root: views.indices.map { calls.root($0) },
      faces: { row[$0].map { faced.contains(like.rows[$0].places[0]) } ?? false })
    for (a, b) in sameNamed where named.isOneCall(a, b) { calls.join(a, b) }
  }
  joinReplaced(views, corrections, calls: &calls, ends: &ends)
  ClientRecords.join(views, facing: facing, corrections, calls: &calls, ends: &ends)
  joinUnattributedParts(views, calls: &calls)
  let stated = statedNames(views)
  joinEndsOfOneName(views, stated, calls: &calls, ends: &ends)
  joinRotated(views, corrections, calls: &calls, ends: &ends)
  // Records that a source attributes to no end are not a call of their own beside those of its ends.
  // Neither are records of a session alone, unless they were assigned to a call.
  let isRelevant = views.map { !$0.isIdle || $0.given != nil || corrections.concern($0.part) }
  let sourcesWithEnds = Set(
    views.indices.filter { !views[$0].isWhole && isRelevant[$0] }.map { views[$0].source })
  return calls.groups.filter { members in
    members.contains { isRelevant[$0] && (!views[$0].isWhole || !sourcesWithEnds.contains(views[$0].source)) }
  }.map { members in
    // The root of a set is its first member, in the order of the views' content, not of import.
    let groups = Dictionary(grouping: members.filter { !views[$0].isWhole }) { ends.root($0) }
      .sorted { $0.key < $1.key }
    return GroupedCall(
      endpoints: nameEndpoints(groups.map { $0.value.map { (views[$0], stated[$0]) } }),
      whole: members.filter { views[$0].isWhole }.map { views[$0].key })
  }
}

/// Joins records that a source attributes to no end with its call, if the source has only one.
private func joinUnattributedParts(_ views: [ConnectionView], calls: inout DisjointSets) {
  let places = Dictionary(grouping: views.indices) { views[$0].source }
  for index in views.indices where views[index].isWhole {
    let ends = (places[views[index].source] ?? []).filter { !views[$0].isWhole }
    let roots = Set(ends.map { calls.root($0) })
    if roots.count == 1, let end = ends.first { calls.join(index, end) }
  }
}

/// Within one call, views with the same end name are the same end (a log and a dump of `caller`).
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

/// Names of the two ends of a call without other names.
let roleNames = EndName.roles

/// The names of ends stated by their sources. The name of a file that has both ends of a flow says where it was captured,
/// and not which end it is.
private func statedNames(_ views: [ConnectionView]) -> [String?] {
  struct Flow: Hashable {
    var source: Int64
    var from: String
    var to: String
  }
  func flows(_ view: ConnectionView, _ from: IdentityKind, _ to: IdentityKind) -> [Flow] {
    view[from].flatMap { from in view[to].map { Flow(source: view.source, from: from, to: $0) } }
  }
  let received = Set(views.flatMap { flows($0, .addressRemote, .addressLocal) })
  return views.map { view in
    let hasBothEnds =
      view.endpoint == nil
      && flows(view, .addressLocal, .addressRemote).contains(where: received.contains)
    return hasBothEnds ? nil : statedName(view)
  }
}

/// The end's name stated by a source: in the log, as the connection's name, or in the file's name.
func statedName(_ view: ConnectionView) -> String? {
  if let endpoint = view.endpoint { return endpoint }
  if let name = view.logged.end, roleNames.contains(name) { return name }
  let file = view.path.split(separator: "/").last ?? ""
  let stated = roleNames.intersection(file.split { !$0.isLetter }.map { $0.lowercased() })
  guard stated.count == 1, let name = stated.first else { return nil }
  // In a capture, the sender of the INVITE is the caller, whatever the name of the file.
  let isSIP = !view[.sip].isEmpty && view.direction != .unknown
  return isSIP && (view.direction == .outgoing) != (name == "caller") ? nil : name
}

/// A view of an end, with the name it states.
private typealias Naming = (view: ConnectionView, stated: String?)

/// Names the ends of a call, given in the order of their content. If several have the same name, all but one get a
/// number: numbers from before this import stay, as they may have been written down; the others are numbered in order.
private func nameEndpoints(_ groups: [[Naming]]) -> [GroupedEndpoint] {
  var endpoints = groups.map { views in
    let direction = direction(of: views.map(\.view))
    return GroupedEndpoint(
      name: endpointName(views, direction: direction), direction: direction,
      connections: views.map(\.view.key).sorted())
  }
  let plain = Set(endpoints.map(\.name))
  var taken: Set<String> = []
  var open: [Int] = []
  for (index, views) in groups.enumerated() {
    let name = endpoints[index].name
    let kept = views.compactMap(\.view.keptEnd).filter {
      $0 == name || isNumbered($0, name) && !plain.contains($0)
    }
    .min()
    if let kept, taken.insert(kept).inserted { endpoints[index].name = kept } else { open.append(index) }
  }
  for index in open {
    let name = endpoints[index].name
    let numbered = (2...).lazy.map { "\(name)-\($0)" }
    let free = taken.contains(name) ? numbered.first { !taken.contains($0) && !plain.contains($0) } : name
    endpoints[index].name = free ?? name
    taken.insert(endpoints[index].name)
  }
  return endpoints.sorted { $0.name < $1.name }
}

/// Whether it is the name with a number, as used if several ends share a name.
private func isNumbered(_ numbered: String, _ name: String) -> Bool {
  let number = numbered.dropFirst(name.count + 1)
  return numbered.hasPrefix("\(name)-") && !number.isEmpty
    && number.utf8.allSatisfy { (48...57).contains($0) }
}

/// The direction of an end's call. Where a client has several connections it is that of the first, if that one sends and
/// receives: over a server each client offers what it sends, and answers what it receives.
private func direction(of views: [ConnectionView]) -> CallDirection {
  let known = views.filter { $0.direction != .unknown }
  guard Set(views.map(\.logged.end)).count > 1, views.allSatisfy(\.isOfClient) else {
    return known.first?.direction ?? .unknown
  }
  let first = views.min { ($0.firstMs ?? .infinity, $0.key) < ($1.firstMs ?? .infinity, $1.key) }
  let all = views.filter { $0.logged.end == first?.logged.end }
  guard all.contains(where: { !$0[.ssrcIn].isEmpty }), all.contains(where: { !$0[.ssrcOut].isEmpty }) else {
    return .unknown
  }
  return all.lazy.map(\.direction).first { $0 != .unknown } ?? .unknown
}

private func endpointName(_ views: [Naming], direction: CallDirection) -> String {
  // The names of several connections of a client are none of the client.
  let isOfClient = Set(views.map(\.view.logged.end)).count > 1 && views.allSatisfy(\.view.isOfClient)
  let stated = views.compactMap { isOfClient && $0.stated == $0.view.logged.end ? nil : $0.stated }
  if let name = stated.min() ?? views.compactMap(\.stated).first(where: roleNames.contains) { return name }
  switch direction {
  case .outgoing: return "caller"
  case .incoming: return "callee"
  case .unknown: return isOfClient ? "endpoint" : views.compactMap { $0.view.logged.end }.min() ?? "endpoint"
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

  /// Members by set, in ascending order, sets by their first member.
  var groups: [[Int]] {
    var copy = self
    return Dictionary(grouping: parent.indices) { copy.root($0) }.values.map { $0.sorted() }
      .sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }
}

/// Joins the parts of a rotated log (`app.log.1`, `app.log`) within one call into one end.
///
/// The call is already known to be the same. Logs written at the same time are different ends, whatever their names.
func joinRotated(
  _ views: [ConnectionView], _ corrections: Corrections, calls: inout DisjointSets, ends: inout DisjointSets
) {
  var logs: [Log: [Int]] = [:]
  for (place, view) in views.enumerated() where !view.isWhole && view.firstMs != nil && view.lastMs != nil {
    logs[Log(call: calls.root(place), name: RotatedName(path: view.path).log), default: []].append(place)
  }
  for places in logs.values where places.count > 1 {
    let inOrder = places.sorted { (views[$0].firstMs ?? 0, $0) < (views[$1].firstMs ?? 0, $1) }
    for (before, after) in zip(inOrder, inOrder.dropFirst()) where goesOn(views[before], in: views[after]) {
      if !corrections.haveSplit(views[before].part, views[after].part) { ends.join(before, after) }
    }
  }
}

private struct Log: Hashable {
  var call: Int
  var name: String
}

private func goesOn(_ before: ConnectionView, in after: ConnectionView) -> Bool {
  guard let last = before.lastMs, let first = after.firstMs else { return false }
  let directions = Set([before.direction, after.direction]).subtracting([.unknown])
  let people = (before[.person], after[.person])
  return before.source != after.source && before.path != after.path && last <= first && directions.count < 2
    && LoggedCall(name: before.name).end == LoggedCall(name: after.name).end
    && before.endpoint == after.endpoint
    && (people.0.isEmpty || people.1.isEmpty || !people.0.isDisjoint(with: people.1))
}

/// The name of a log without its rotation suffix: a number after a dot, a day or hour, a compression suffix.
struct RotatedName {
  /// The path of the log without rotation.
  let log: String

  private static let packed: Set<Substring> = ["gz", "zst", "br", "bz2", "xz"]

  // Works on bytes: all separators are ASCII, and splitting by characters is slow.
  init(path: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
    var parts = bytes[start...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count > 1, let last = parts.last, Self.packed.contains(Substring(last)) { parts.removeLast() }
    let names = parts.enumerated().compactMap { place, part -> String? in
      if place > 0, !part.isEmpty, Self.isCount(part) { return nil }
      return String(Substring(Self.withoutDay(part)))
    }
    log = path[..<start] + names.joined(separator: ".")
  }

  // `1`, `20261120`, `2026-11-20`, `2026-11-20T10`.
  private static func isCount(_ part: Substring.UTF8View) -> Bool {
    part.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 95 || $0 == 84 }
  }

  // `app-2026-11-20`, `app_20261120-10`: from the year on, if only digits and separators follow.
  private static func withoutDay(_ part: Substring.UTF8View) -> Substring.UTF8View {
    for mark in part.indices where part[mark] == UInt8(ascii: "-") || part[mark] == UInt8(ascii: "_") {
      let rest = part[part.index(after: mark)...]
      if rest.prefix(8).count == 8, rest.starts(with: "20".utf8) || rest.starts(with: "19".utf8),
        isCount(rest)
      {
        return part[..<mark]
      }
    }
    return part
  }
}

/// The pairs of views that may be related: those that share a key. Other pairs need not be compared, which is nearly
/// all pairs for a source of thousands of calls.
struct CandidateViewPairs {
  /// Indices of views that share a key, in order: the views whose own key it is, and those that have it for the far
  /// end. The latter include all other clients of a server, and are not compared with each other.
  private struct SharedKey: Hashable {
    var own: [Int] = []
    var far: [Int] = []
  }

  private var groups: [SharedKey] = []

  /// Up to this number of views that share a key, all pairs are compared; beyond it, each view is compared with this
  /// many before it and at the start: a key that relates two of them relates all.
  private static let all = 128

  init(_ views: [ConnectionView], corrections: Corrections) {
    var sharing: [String: SharedKey] = [:]
    for index in views.indices {
      let view = views[index]
      for word in Self.words(of: view, corrections) { sharing[word, default: SharedKey()].own.append(index) }
      for (kind, name) in [(IdentityKind.fingerprintRemote, "fingerprint"), (.ufragRemote, "ufrag")] {
        for value in view[kind] { sharing["\(name) \(value)", default: SharedKey()].far.append(index) }
      }
    }
    // The same views often share several keys. Sorted, so that the result is deterministic.
    groups = Set(sharing.values).sorted {
      $0.own == $1.own
        ? $0.far.lexicographicallyPrecedes($1.far) : $0.own.lexicographicallyPrecedes($1.own)
    }
  }

  /// Calls the body with each pair, smaller index first; some pairs more than once.
  func forEach(_ body: (Int, Int) -> Void) {
    for group in groups {
      for (number, b) in group.own.enumerated() {
        let near = max(0, number - Self.all)
        for a in group.own[..<min(Self.all, near)] + group.own[near..<number] { body(a, b) }
      }
      for far in group.far {
        for own in group.own.prefix(Self.all) where own != far { body(min(own, far), max(own, far)) }
      }
    }
  }

  /// All keys by which `ViewRelation` or a correction can relate views. Kinds that match each other share a key.
  private static func words(of view: ConnectionView, _ corrections: Corrections) -> Set<String> {
    var words: Set<String> = []
    if let given = view.given { words.insert("given \(given)") }
    if let call = view.call { words.insert("call \(call)") }
    if let name = view.name { words.insert("name \(view.source) \(name)") }
    for (kind, values) in view.identities {
      let word: String
      switch kind {
      case .fingerprintLocal: word = "fingerprint"
      case .ufragLocal: word = "ufrag"
      case .fingerprintRemote, .ufragRemote: continue
      case .ssrcIn, .ssrcOut: word = "ssrc"
      case .call, .session, .sip, .connection: word = kind.rawValue
      default: continue
      }
      for value in values where ViewRelation.isEvidence(kind, value) { words.insert("\(word) \(value)") }
    }
    for other in corrections.linked(to: view.part) {
      words.formUnion([Self.word(other), Self.word(view.part)])
    }
    return words
  }

  private static func word(_ part: Corrections.Part) -> String { "part \(part.sha256) \(part.name)" }
}
