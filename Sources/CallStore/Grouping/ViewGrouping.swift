import CallModel

/// Views with the same content that follow each other in time, each the only view of its source: statistics posted as
/// one file per poll, or a log split by the hour.
///
/// A relation of one of them applies to all, as only the time distinguishes them: they are compared as one view from
/// the first to the last. The cost per file is then the same for thousands of files as for two.
struct SplitFileGrouping {
  /// Views compared as one: their indices, and whether they are one end.
  struct Row {
    var places: [Int]
    var isOneEnd: Bool
    /// The view that represents them.
    var view: ConnectionView
  }

  /// All views, each in one row, in the order of their first index.
  private(set) var rows: [Row] = []

  init(_ views: [ConnectionView], corrections: Corrections) {
    var inSource: [Int64: Int] = [:]
    for view in views { inSource[view.source, default: 0] += 1 }
    var like: [Words: [Int]] = [:]
    for (place, view) in views.enumerated() {
      if inSource[view.source] == 1, !corrections.concern(view.part) {
        like[Words(view), default: []].append(place)
      } else {
        add([place], views)
      }
    }
    for places in like.values {
      for row in Self.following(places, views) { add(row, views) }
    }
    rows.sort { $0.places[0] < $1.places[0] }
  }

  /// The row of each view.
  var rowOfPlace: [Int: Int] {
    var found: [Int: Int] = [:]
    for (number, row) in rows.enumerated() {
      for place in row.places { found[place] = number }
    }
    return found
  }

  /// One row if its first two views are related; otherwise a row per view.
  private mutating func add(_ places: [Int], _ views: [ConnectionView]) {
    let relation = places.count > 1 ? ViewRelation.between(views[places[0]], views[places[1]]) : nil
    guard relation == .sameEnd || relation == .sameCall else {
      rows += places.map { Row(places: [$0], isOneEnd: true, view: views[$0]) }
      return
    }
    var view = views[places[0]]
    view.firstMs = places.compactMap { views[$0].firstMs }.min()
    view.lastMs = places.compactMap { views[$0].lastMs }.max()
    rows.append(Row(places: places.sorted(), isOneEnd: relation == .sameEnd, view: view))
  }

  /// Splits where a view begins too long after all previous ones end; views without a time stay separate.
  private static func following(_ places: [Int], _ views: [ConnectionView]) -> [[Int]] {
    var (timeless, timed): ([Int], [(firstMs: Double, lastMs: Double, place: Int)]) = ([], [])
    for place in places {
      if let first = views[place].firstMs, let last = views[place].lastMs {
        timed.append((first, last, place))
      } else {
        timeless.append(place)
      }
    }
    var rows = timeless.isEmpty ? [] : [timeless]
    var lastMs = -Double.infinity
    for next in timed.sorted(by: { ($0.firstMs, $0.place) < ($1.firstMs, $1.place) }) {
      if next.firstMs <= lastMs + ViewRelation.slackMs, lastMs > -.infinity {
        rows[rows.count - 1].append(next.place)
      } else {
        rows.append([next.place])
      }
      lastMs = max(lastMs, next.lastMs)
    }
    return rows
  }

  /// Everything that a relation between two sources depends on, except the time.
  private struct Words: Hashable {
    var given: String?
    var isWhole: Bool
    var call: String?
    var identities: [IdentityKind: Set<String>]

    init(_ view: ConnectionView) {
      (given, isWhole, call, identities) = (view.given, view.isWhole, view.call, view.identities)
    }
  }
}

/// Separates views that are related only by a name: a manifest assigned the same call name to each.
///
/// Files with the same name normally belong together, whatever their clocks. But if two folders of one name are apart,
/// each holds both ends, and they share no evidence and cover different times, two manifests gave their calls the same
/// name.
struct SharedNameGrouping {
  /// Which call with its name each view belongs to; 0 for views of a name with only one call.
  private(set) var home: [Int]

  /// - Parameters:
  /// - root: the set that each view is in by evidence, by index.
  /// - faces: whether a view faces another one by evidence.
  init(_ views: [ConnectionView], root: [Int], faces: (Int) -> Bool) {
    home = Array(repeating: 0, count: views.count)
    var named: [String: [Int]] = [:]
    for index in views.indices {
      if let given = views[index].given { named[given, default: []].append(index) }
    }
    for (name, members) in named {
      let folders = Dictionary(grouping: members) { Self.folder(of: views[$0].path, called: name) }
      guard folders.count > 1 else { continue }
      let groups = folders.compactMap { folder, members in
        folder.flatMap { FolderGroup($0, members, views, root: root, faces: faces) }
      }.sorted { ($0.firstMs, $0.folder) < ($1.firstMs, $1.folder) }
      var calls: [FolderGroup] = []
      for group in groups {
        if let place = calls.firstIndex(where: { !$0.isOther(than: group) }) {
          calls[place].take(group)
        } else {
          calls.append(group)
        }
      }
      guard calls.count > 1 else { continue }
      for index in members { home[index] = Self.nearest(views[index], calls, root: root[index]) }
    }
  }

  /// Whether two views with the same name are in the same call.
  func isOneCall(_ a: Int, _ b: Int) -> Bool { home[a] == home[b] }

  /// The folder on the path of a file that has the call's name.
  private static func folder(of path: String, called name: String) -> String? {
    guard let range = path.firstRange(of: "/\(name)/") else { return nil }
    return String(path[..<range.upperBound])
  }

  /// By evidence, by folder, or nearest in time.
  private static func nearest(_ view: ConnectionView, _ calls: [FolderGroup], root: Int) -> Int {
    if let own = calls.firstIndex(where: { $0.roots.contains(root) }) { return own }
    if let own = calls.firstIndex(where: { $0.folders.contains { view.path.hasPrefix($0) } }) { return own }
    guard let atMs = view.firstMs else { return 0 }
    return calls.indices.min { calls[$0].distanceMs(atMs) < calls[$1].distanceMs(atMs) } ?? 0
  }

  /// The views in one folder, both ends of a call.
  private struct FolderGroup {
    var folder: String { folders[0] }
    private(set) var folders: [String]
    private(set) var roots: Set<Int>
    private(set) var firstMs: Double
    private(set) var lastMs: Double

    /// Nil if an end or the time is missing: nothing contradicts the name then.
    init?(
      _ folder: String, _ members: [Int], _ views: [ConnectionView], root: [Int], faces: (Int) -> Bool
    ) {
      let ends = Set(members.compactMap { views[$0].isWhole ? nil : statedName(views[$0]) })
      guard ends.isSuperset(of: roleNames) || members.contains(where: faces),
        let first = members.compactMap({ views[$0].firstMs }).min(),
        let last = members.compactMap({ views[$0].lastMs }).max()
      else { return nil }
      folders = [folder]
      roots = Set(members.map { root[$0] })
      (firstMs, lastMs) = (first, last)
    }

    func isOther(than other: FolderGroup) -> Bool {
      roots.isDisjoint(with: other.roots)
        && max(firstMs, other.firstMs) - min(lastMs, other.lastMs) > ViewRelation.slackMs
    }

    mutating func take(_ other: FolderGroup) {
      folders += other.folders
      roots.formUnion(other.roots)
      (firstMs, lastMs) = (min(firstMs, other.firstMs), max(lastMs, other.lastMs))
    }

    func distanceMs(_ timeMs: Double) -> Double { max(firstMs - timeMs, timeMs - lastMs, 0) }
  }
}
