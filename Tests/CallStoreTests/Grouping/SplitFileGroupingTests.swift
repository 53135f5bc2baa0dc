import CallModel
import Testing

@testable import CallStore

@Suite("Files of a call with the same content are compared as one")
struct SplitFileGroupingTests {
  @Test("thousands of successive files with the same content are compared as one per end")
  func snapshots() {
    /// One file per second, each a snapshot of an end with a dozen keys.
    func end(_ number: Int64, _ count: Int64, from firstMs: Double = 0) -> [ConnectionView] {
      let (own, far) = ("\(number)", "\(3 - number)")
      return (0..<count).map { poll in
        let at = firstMs + Double(poll) * 1000
        return view(
          number * 100_000 + Int64(firstMs) + poll, "PC_0", path: "/x/\(number)-\(poll).json", first: at,
          last: at,
          [
            .fingerprintLocal: ["f\(own)"], .fingerprintRemote: ["f\(far)"], .ufragLocal: ["u\(own)"],
            .ufragRemote: ["u\(far)"], .ssrcIn: Set((0..<6).map { "\(far)0000\($0)" }),
            .ssrcOut: Set((0..<6).map { "\(own)0000\($0)" }),
          ])
      }
    }
    let views = end(1, 2000) + end(2, 2000)
    #expect(SplitFileGrouping(views, corrections: Corrections()).rows.count == 2)
    let clock = ContinuousClock()
    var calls: [GroupedCall] = []
    let time = clock.measure { calls = groupCalls(views) }
    #expect(calls.map { $0.endpoints.map(\.connections.count) } == [[2000, 2000]])
    #expect(time < .seconds(20), "\(time)")
    // An hour of silence between two calls of the same keys.
    let keys: [IdentityKind: Set<String>] = [.ufragLocal: ["u1"], .ufragRemote: ["u2"]]
    let again = [0.0, 30_000, 90_000, 4_000_000].enumerated().map { number, at in
      view(Int64(number), first: at, last: at, keys)
    }
    #expect(groupCalls(again).map { $0.views.count }.sorted() == [1, 3])
  }

  @Test("representatives give the same result as comparing all pairs")
  func likeViews() {
    for seed in UInt64(0)..<300 {
      var random = SplitMix64(seed: seed)
      // Not both: keys that say of a pair that its ends face each other, and SSRCs that say that they are one, leave it to
      // how far apart the two lie.
      let evidence: [IdentityKind] =
        Bool.random(using: &random) ? [.ufragLocal, .ufragRemote] : [.ssrcIn, .ssrcOut]
      let kinds: [[IdentityKind: Set<String>]] = (0..<4).map { _ in
        var identities: [IdentityKind: Set<String>] = [:]
        for kind in evidence + [.sip, .call]
        where Bool.random(using: &random) {
          identities[kind] = ["\(70_000 + Int.random(in: 0..<3, using: &random))"]
        }
        return identities
      }
      let views = (0..<14).map { key in
        let first = Double.random(in: 0..<400_000, using: &random)
        var view = view(
          Int64(key), first: first, last: first + Double.random(in: 0..<40_000, using: &random),
          kinds.randomElement(using: &random) ?? [:])
        if Int.random(in: 0..<6, using: &random) == 0 { (view.firstMs, view.lastMs) = (nil, nil) }
        view.isWhole = Int.random(in: 0..<8, using: &random) == 0
        return view
      }
      var calls = DisjointSets(views.count)
      var ends = DisjointSets(views.count)
      for a in views.indices {
        for b in views.indices.dropFirst(a + 1) {
          guard let relation = ViewRelation.between(views[a], views[b]) else { continue }
          calls.join(a, b)
          if relation == .sameEnd { ends.join(a, b) }
        }
      }
      let pairwise = Set(
        calls.groups.map {
          Set(
            Dictionary(grouping: $0.filter { !views[$0].isWhole }) { ends.root($0) }.values.map {
              Set($0.map(Int64.init))
            })
        })
      #expect(Set(groupCalls(views).map { Set($0.endpoints.map { Set($0.connections) }) }) == pairwise)
    }
  }
}
