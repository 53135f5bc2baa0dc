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
