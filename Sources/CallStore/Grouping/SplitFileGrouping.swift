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
