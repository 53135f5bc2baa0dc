import CallModel
import Testing

@testable import CallStore

@Suite("Views of connections are grouped by evidence")
struct GroupedCallsTests {
  @Test("every related pair is compared")
  func candidates() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let views = (0..<12).map { key in
        var identities: [IdentityKind: Set<String>] = [:]
        for kind in IdentityKind.allCases where Int.random(in: 0..<3, using: &random) == 0 {
          identities[kind] = ["\(70_000 + Int.random(in: 0..<6, using: &random))-long-enough"]
        }
        for kind in [IdentityKind.ssrcIn, .ssrcOut] {
          identities[kind] = ["\(70_000 + Int.random(in: 0..<9, using: &random))"]
        }
        var view = view(
          Int64(key), ["a", nil, "caller"].randomElement(using: &random) ?? nil,
          source: Int64.random(in: 0..<4, using: &random), identities)
        view.isWhole = Int.random(in: 0..<5, using: &random) == 0
        view.call = [nil, nil, "c1", "c2"].randomElement(using: &random) ?? nil
        view.given = [nil, nil, nil, "g1"].randomElement(using: &random) ?? nil
        return view
      }
      var compared: Set<[Int]> = []
      CandidateViewPairs(views, corrections: Corrections()).forEach { compared.insert([$0, $1]) }
      for a in views.indices {
        for b in views.indices.dropFirst(a + 1) where ViewRelation.between(views[a], views[b]) != nil {
          #expect(compared.contains([a, b]), "\(views[a]) \(views[b])")
        }
      }
    }
  }

  @Test(
    "two captures of the signalling of one SIP call have its two ends, and a proxy between them is neither's")
  func signallingTwice() {
    func ends(_ source: Int64, _ here: String, _ there: String) -> [ConnectionView] {
      [(here, there, CallDirection.outgoing), (there, here, .incoming)].enumerated().map { place, end in
        var view = view(
          source * 10 + Int64(place), "\(end.0)>\(end.1)", source: source,
          [.sip: ["FPs-LPxY"], .addressLocal: [end.0], .addressRemote: [end.1]])
        view.direction = end.2
        return view
      }
    }
    let direct = groupCalls(
      ends(1, "10.0.0.1:5060", "10.0.0.2:5060") + ends(2, "10.0.0.1:5060", "10.0.0.2:5060"))
    #expect(direct.map { $0.endpoints.map(\.connections.count) } == [[2, 2]])
    let proxied = groupCalls(
      ends(1, "10.0.0.1:5060", "10.0.0.9:5060") + ends(2, "10.0.0.9:5060", "10.0.0.2:5060"))
    #expect(proxied.map { $0.endpoints.map(\.connections.count) } == [[1, 1, 1, 1]])
  }

  @Test("thousands of calls in one source are grouped like few")
  func many() {
    let views = (0..<6000).map {
      view(Int64($0), "pc\($0 % 3000)", source: 1, [.ufragLocal: ["u\($0 % 3000)"], .sip: ["s\($0 % 3000)"]])
    }
    let calls = groupCalls(views)
    #expect(calls.count == 3000)
    #expect(calls.allSatisfy { $0.endpoints.count == 1 && $0.endpoints[0].connections.count == 2 })
    #expect(groupCalls((0..<2000).map { view(Int64($0), nil, [.call: ["one"]]) }).count == 1)
  }

  @Test("two calls of one end in a log stay separate, and match another reader's by call id")
  func laterCallsOfReports() {
    func part(_ key: Int64, _ name: String?, _ call: String, endpoint: String? = nil) -> ConnectionView {
      var view = view(key, name, source: 1, [.ssrcIn: ["100001", "100002"]])
      view.call = call
      view.endpoint = endpoint
      return view
    }
    let views = [
      part(1, "PC_0", "a", endpoint: "PC_0"), part(2, "PC_0, call 2", "b", endpoint: "PC_0"),
      part(3, "PC_0, call 3", "b"),
    ]
    #expect(groupCalls(views).map { $0.endpoints.map(\.connections) } == [[[1]], [[2, 3]]])
    #expect(groupCalls([part(1, nil, "a"), part(2, "call 2", "b")]).count == 2)
    let ends = ["alice", "bob"].enumerated().map { number, end in
      var view = view(Int64(number), "PC_0", source: 1, [.ssrcIn: ["10000\(number)"]])
      (view.call, view.endpoint) = ("a", end)
      return view
    }
    #expect(groupCalls(ends).map { $0.endpoints.map(\.name) } == [["alice", "bob"]])
  }

  @Test("two ends that hold each other's certificates are one call")
  func facingCertificates() {
    let a = view(1, "caller", [.fingerprintLocal: ["AA"], .fingerprintRemote: ["BB"]])
    let b = view(2, "callee", [.fingerprintLocal: ["BB"], .fingerprintRemote: ["AA"]])
    let calls = groupCalls([a, b])
    #expect(calls.count == 1)
    #expect(calls.first?.endpoints.map(\.name) == ["callee", "caller"])
  }

  @Test("a log and a dump of one end are one end, whatever they call it")
  func sameEndTwice() {
    let log = view(1, "caller", [.ufragLocal: ["abcd"], .ufragRemote: ["efgh"]])
    let dump = view(2, "12-1", [.ufragLocal: ["abcd"], .ufragRemote: ["efgh"]])
    let calls = groupCalls([dump, log])
    #expect(calls.map(\.endpoints.count) == [1])
    #expect(calls.first?.endpoints.first?.name == "caller")
    #expect(calls.first?.endpoints.first?.connections == [1, 2])
  }

  @Test("clients of one server share its certificate and nothing else")
  func oneServer() {
    let a = view(1, "PC_0", [.fingerprintLocal: ["AA"], .fingerprintRemote: ["SFU"]])
    let b = view(2, "PC_0", [.fingerprintLocal: ["BB"], .fingerprintRemote: ["SFU"]])
    #expect(groupCalls([a, b]).count == 2)
  }

  @Test("a certificate used again an hour later is another call")
  func certificateUsedAgain() {
    let keys: [IdentityKind: Set<String>] = [.fingerprintLocal: ["AA"], .fingerprintRemote: ["SFU"]]
    #expect(
      groupCalls([view(1, "PC_0", keys), view(2, "PC_0", first: 3_600_000, last: 3_700_000, keys)]).count == 2
    )
  }

  @Test("a capture meets a dump by its SSRCs, also with a wrong clock")
  func ssrcsAcrossClocks() {
    let dump = view(1, "caller", [.ssrcIn: ["274363589", "4283164691"]])
    let capture = view(2, nil, first: 7_200_000, last: 7_260_000, [.ssrcIn: ["274363589", "4283164691"]])
    #expect(groupCalls([dump, capture]).map(\.endpoints.count) == [1])
  }

  @Test("two receivers of the same sender with streams of their own are two ends", arguments: [0.0, 300_000])
  func listeners(first: Double) {
    func end(_ key: Int64, _ own: String) -> ConnectionView {
      view(
        key, "PC_0", first: key == 1 ? 0 : first, last: 600_000,
        [.ssrcIn: ["1680749614", "3475661459"], .ssrcOut: [own]])
    }
    #expect(groupCalls([end(1, "1048906431"), end(2, "2007858786")]).map(\.endpoints.count) == [2])
    #expect(groupCalls([end(1, "1048906431"), end(2, "1048906431")]).map(\.endpoints.count) == [1])
  }

  @Test("SSRCs that are not random prove nothing", arguments: ["1001", "2001", "0", "1"])
  func constantSsrcs(ssrc: String) {
    #expect(groupCalls([view(1, "a", [.ssrcIn: [ssrc]]), view(2, "b", [.ssrcOut: [ssrc]])]).count == 2)
  }

  @Test("the same SSRC in calls with different SIP Call-IDs, as sent by gateways, does not join them")
  func constantSsrcOfGateway() {
    let calls = (0..<3).map { number in
      view(
        number, "\(number)", source: 1, first: 500 * Double(number),
        [.sip: ["call\(number)@gw"], .ssrcIn: ["305419896"], .ssrcOut: ["77777777"]])
    }
    #expect(groupCalls(calls).count == 3)
    let dump = view(9, "caller", [.ssrcIn: ["305419896"], .ssrcOut: ["77777777"]])
    #expect(groupCalls([calls[0], dump]).count == 1)
  }

  @Test(
    "one pair of random SSRCs in two calls of the same hosts at once, without SIP, makes them no one call")
  func constantSsrcBesideEachOther() {
    func end(_ key: Int64, _ local: String, _ remote: String, isBack: Bool = false) -> ConnectionView {
      view(
        key, "\(key)", source: 1,
        [
          isBack ? .ssrcIn : .ssrcOut: ["305419896"], isBack ? .ssrcOut : .ssrcIn: ["1077777777"],
          .addressLocal: [local], .addressRemote: [remote],
        ])
    }
    let calls = [
      end(1, "192.0.2.1:4000", "192.0.2.2:5000"), end(2, "192.0.2.2:5000", "192.0.2.1:4000", isBack: true),
      end(3, "192.0.2.1:4002", "192.0.2.2:5002"), end(4, "192.0.2.2:5002", "192.0.2.1:4002", isBack: true),
    ]
    #expect(groupCalls(calls).map { $0.views.sorted() }.sorted { $0[0] < $1[0] } == [[1, 2], [3, 4]])
  }

  @Test(
    "captures on both sides of a border controller, which gives the call another Call-ID, are of one call")
  func borderController() {
    func end(_ key: Int64, _ source: Int64, _ call: String, _ ssrcs: [String], first: Double = 0)
      -> ConnectionView
    {
      view(
        key, "\(key)", source: source, first: first,
        [.sip: [call], .ssrcIn: [ssrcs[0]], .ssrcOut: [ssrcs[1]]])
    }
    let ssrcs = ["305419896", "77777777"]
    let caller = end(1, 1, "a@pbx", ssrcs)
    #expect(groupCalls([caller, end(2, 2, "b@sbc", ssrcs.reversed())]).map(\.endpoints.count) == [2])
    // One SSRC that all of a test tool's calls have, in both directions, or a day between: other calls.
    let one = [ssrcs[0], ssrcs[0]]
    #expect(groupCalls([end(1, 1, "a@pbx", one), end(2, 2, "b@sbc", one)]).count == 2)
    #expect(groupCalls([caller, end(2, 2, "b@sbc", ssrcs, first: 80_000_000)]).count == 2)
  }

  @Test("an echo has one SSRC in both directions, and two ends all the same")
  func echo() {
    let (here, there): (Set<String>, Set<String>) = (["10.0.0.1:4000"], ["10.0.0.2:5000"])
    let ssrc: Set<String> = ["3390111744"]
    let a = view(
      1, "a", source: 1, [.addressLocal: here, .addressRemote: there, .ssrcIn: ssrc, .ssrcOut: ssrc])
    let b = view(
      2, "b", source: 1, [.addressLocal: there, .addressRemote: here, .ssrcIn: ssrc, .ssrcOut: ssrc])
    #expect(groupCalls([a, b]).map(\.endpoints.count) == [2])
  }

  @Test("successive calls of a log stay separate in one session")
  func callsOfOneLog() {
    let session: [IdentityKind: Set<String>] = [.session: ["s1"]]
    let calls = groupCalls([
      view(1, "caller", source: 1, session), view(2, "caller, call 2", source: 1, first: 300_000, session),
    ])
    #expect(calls.map(\.endpoints.count) == [1, 1])
    #expect(calls.flatMap(\.endpoints).map(\.name) == ["caller", "caller"])
    #expect(groupCalls([view(1, nil, source: 1, session), view(2, "call 2", source: 1, session)]).count == 2)
    let same: [IdentityKind: Set<String>] = [.call: ["c1"]]
    #expect(groupCalls([view(1, nil, source: 1, same), view(2, "call 2", source: 1, same)]).count == 1)
  }

  @Test("one name in two files is no evidence")
  func sameNameOnly() {
    #expect(groupCalls([view(1, "caller"), view(2, "caller")]).count == 2)
  }

  @Test("the result does not depend on the order of the views")
  func anyOrder() {
    let views = [
      view(1, "caller", [.ufragLocal: ["a1"], .ufragRemote: ["b1"]]),
      view(2, "callee", [.ufragLocal: ["b1"], .ufragRemote: ["a1"]]),
      view(3, "12-1", [.ssrcOut: ["99999999"], .ufragLocal: ["a1"], .ufragRemote: ["b1"]]),
      view(4, nil, path: "/x/callee.pcap", [.ssrcIn: ["99999999"]]),
      view(5, "caller", [.ufragLocal: ["zz"], .ufragRemote: ["yy"]]),
    ]
    let expected = groupCalls(views)
    #expect(expected.count == 2)
    for _ in 0..<20 { #expect(groupCalls(views.shuffled()) == expected) }
  }

  @Test(
    "of several ends of one name each is numbered by what it is, and one that was named before keeps its name"
  )
  func endsOfOneName() {
    func ends(_ keys: [Int64], kept: [Int: String] = [:]) -> [String: String] {
      let views = keys.enumerated().map { place, key in
        var view = view(key, "PC_0", source: Int64(place), [.call: ["one call of all"]])
        view.endpoint = nil
        view.direction = .outgoing
        view.keptEnd = kept[place]
        return view
      }
      let sources = Dictionary(uniqueKeysWithValues: views.map { ($0.key, $0.sha256) })
      let ends = groupCalls(views).flatMap(\.endpoints)
      return Dictionary(uniqueKeysWithValues: ends.map { (sources[$0.connections[0]] ?? "", $0.name) })
    }
    let numbered = ["sha0": "caller", "sha1": "caller-2", "sha2": "caller-3"]
    for keys in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[Int64]] { #expect(ends(keys) == numbered) }
    #expect(
      ends([1, 2, 3], kept: [2: "caller"]) == ["sha2": "caller", "sha0": "caller-2", "sha1": "caller-3"])
    #expect(ends([1, 2, 3], kept: [0: "caller-2"])["sha0"] == "caller-2")
    #expect(ends([1, 2, 3], kept: [0: "caller-of-old"]) == numbered, "a name that is no longer its own goes")
  }

  /// Both ends of a call in a folder, each with its own keys, and a log of the caller that has none.
  private func parcel(
    _ folder: String, _ key: Int64, at first: Double, ends: [String] = ["caller", "callee"]
  ) -> [ConnectionView] {
    (ends + ["log"]).enumerated().map { index, end in
      var view = view(
        key + Int64(index), path: "\(folder)/\(end).jsonl", first: first, last: first + 30_000,
        end == "log" ? [:] : [.ufragLocal: ["\(folder) \(end)"]])
      view.given = "web-1"
      return view
    }
  }

  @Test("two folders with one name are two calls only if evidence and time agree")
  func sharedNames() {
    let berlin = parcel("/n/berlin/web-1", 1, at: 0)
    func calls(_ other: [ConnectionView]) -> [[Int64]] {
      groupCalls(berlin + other).map { $0.views.sorted() }.sorted { $0[0] < $1[0] }
    }
    #expect(calls(parcel("/n/paris/web-1", 11, at: 300_000)) == [[1, 2, 3], [11, 12, 13]])
    // At the same time they may be ends of one; one end alone may have a wrong clock; so may a folder of another name.
    #expect(calls(parcel("/n/paris/web-1", 11, at: 20_000)).count == 1)
    #expect(calls(parcel("/n/paris/web-1", 11, at: 300_000, ends: ["callee"])).count == 1)
    #expect(calls(parcel("/n/berlin/web-1/again", 11, at: 300_000)).count == 1)
    #expect(calls(parcel("/n/paris/second", 11, at: 300_000)).count == 1)
    var linked = parcel("/n/paris/web-1", 11, at: 300_000)
    linked[0].identities[.call] = ["id of both"]
    var first = berlin
    first[1].identities[.call] = ["id of both"]
    #expect(groupCalls(first + linked).count == 1)
  }

  @Test("manual corrections take precedence")
  func corrections() {
    let a = view(1, "caller", [.fingerprintLocal: ["AA"], .fingerprintRemote: ["BB"]])
    let b = view(2, "callee", [.fingerprintLocal: ["BB"], .fingerprintRemote: ["AA"]])
    var split = Corrections()
    split.split(.init(sha256: "sha1", name: "caller"), .init(sha256: "sha2", name: "callee"))
    #expect(groupCalls([a, b], corrections: split).count == 2)
    var link = Corrections()
    link.link(.init(sha256: "sha1", name: "x"), .init(sha256: "sha2", name: "y"))
    #expect(groupCalls([view(1, "x"), view(2, "y")], corrections: link).count == 1)
  }
}

@Suite("A call gets the strongest name available")
struct CallNamesTests {
  private func view(
    path: String, given: String? = nil, call: String? = nil, _ identities: [IdentityKind: Set<String>] = [:]
  )
    -> ConnectionView
  {
    ConnectionView(
      key: 1, source: 1, sha256: "s", path: path, given: given, call: call, identities: identities)
  }

  @Test("given, then logged, then the folder, then its keys")
  func strength() throws {
    let path = "/calls/t04/caller.jsonl"
    #expect(name([view(path: path, given: "G", call: "L")])?.id == "G")
    #expect(name([view(path: path, call: "L")])?.id == "L")
    #expect(
      name([view(path: path)])
        == CallName(id: "t04", origin: .folder, folder: "/calls/t04"))
    let keys: [IdentityKind: Set<String>] = [.fingerprintLocal: ["AA"], .fingerprintRemote: ["BB"]]
    let keyed = try #require(name([view(path: path, keys)], holdsOthers: true))
    #expect(keyed.origin == .keys)
    #expect(keyed.id.hasPrefix("c-") && keyed.id.count == 14)
    #expect(keyed == name([view(path: "/elsewhere.jsonl", keys)], holdsOthers: true))
  }

  @Test("two calls with one server's certificate have different names")
  func oneCertificate() {
    let keys: [IdentityKind: Set<String>] = [.fingerprintRemote: ["SFU"]]
    let one = view(path: "/a.jsonl", keys)
    var other = one
    other.sha256 = "other"
    let shared = name([one], holdsOthers: true)?.id
    #expect(shared == name([other], holdsOthers: true)?.id)
    // One of them has that name already.
    #expect(name([one], holdsOthers: true, taken: shared) != name([other], holdsOthers: true, taken: shared))
  }

  private func name(_ views: [ConnectionView], holdsOthers: Bool = false, taken: String? = nil) -> CallName? {
    nameOfCall(views, holdsOthers: { _ in holdsOthers }, isFree: { $0 != taken })
  }

  @Test(
    "the innermost folder that holds all files",
    arguments: [
      (["/a/b/c.x", "/a/b/d.x"], "/a/b"), (["/a/b/c.x", "/a/d/e.x"], "/a"), (["/a/b/c.x"], "/a/b"),
      (["-"], nil),
      (["/c.x"], nil), (["/ab/c.x", "/a/c.x"], nil),
    ])
  func folders(paths: [String], folder: String?) {
    #expect(commonFolder(paths) == folder)
  }
}
