import CallModel
import Testing

@testable import CallStore

@Suite("The connections of one client's record")
struct ClientRecordsTests {
  private func own(
    _ key: Int64, _ name: String?, source: Int64 = 1, _ first: Double = 0, _ last: Double = 60_000,
    _ identities: [IdentityKind: Set<String>] = [:], call: String? = nil, endpoint: String? = nil
  ) -> ConnectionView {
    var view = view(key, name, source: source, first: first, last: last, identities)
    (view.isOfClient, view.call, view.endpoint) = (true, call, endpoint)
    return view
  }

  private func ends(_ views: ConnectionView..., broken: Set<Int64> = []) -> [[Int]] {
    let views = views.map { view in
      var view = view
      view.isBroken = broken.contains(view.key)
      return view
    }
    return groupCalls(views).map { $0.endpoints.map(\.connections.count) }.sorted { $0.count < $1.count }
  }

  @Test("at one time are one end of one call, whatever they send and receive")
  func atOneTime() {
    let sends: [IdentityKind: Set<String>] = [.ssrcOut: ["100001"]]
    let receives: [IdentityKind: Set<String>] = [.ssrcIn: ["100002"]]
    #expect(ends(own(1, "a", 0, 60_000, sends), own(2, "b", 0, 60_000, receives)) == [[2]])
    #expect(ends(own(1, "PC_0"), own(2, "PC_1", 20_000), own(3, "PC_2", 40_000, 90_000)) == [[3]])
    #expect(ends(own(1, "PC_0"), own(2, "PC_1", source: 2)) == [[1], [1]], "two files")
  }

  @Test("that face each other are two ends")
  func facing() {
    let a = own(1, "pc1", 0, 60_000, [.ssrcOut: ["100001"], .ssrcIn: ["100002"]])
    let b = own(2, "pc2", 0, 60_000, [.ssrcOut: ["100002"], .ssrcIn: ["100001"]])
    #expect(ends(a, b) == [[1, 1]])
  }

  @Test("that follow each other are one call while it goes on")
  func succession() {
    let first = own(1, "PC_0", 0, 60_000)
    #expect(ends(first, own(2, "PC_1", 62_000, 90_000)) == [[2]], "handed over")
    #expect(ends(first, own(2, "PC_1", 80_000, 90_000)) == [[1], [1]], "hung up and called again")
    #expect(ends(first, own(2, "PC_1", 80_000, 90_000), broken: [1]) == [[2]], "reconnected")
    #expect(ends(first, own(2, "PC_1", 130_000, 190_000), broken: [1]) == [[1], [1]], "given up")
  }

  @Test("are of the calls that they name")
  func named() {
    #expect(ends(own(1, "pc1", call: "x"), own(2, "pc2", 30_000, 50_000, call: "y")) == [[1], [1]])
    #expect(ends(own(1, "pc1", call: "x"), own(2, "pc2", 200_000, 250_000, call: "x")) == [[2]])
    #expect(
      ends(own(1, "pc1", call: "x"), own(2, "pc2", 30_000, 50_000, call: "y"), own(3, "pc3", 31_000, 50_000))
        == [[1], [2]])
  }

  @Test("are of the end that they name")
  func endsOfRecord() {
    #expect(
      ends(own(1, "pc1", call: "x", endpoint: "anna"), own(2, "pc2", call: "x", endpoint: "ben")) == [[1, 1]])
    #expect(ends(own(1, "pc1", endpoint: "anna"), own(2, "pc2", 20_000)) == [[2]], "named later")
    #expect(ends(own(1, "caller"), own(2, "callee")) == [[1], [1]])
  }

  @Test("of several pages are apart, and those of a page are together in any file")
  func pages() {
    #expect(ends(own(1, "31-1"), own(2, "32-1")) == [[1], [1]])
    #expect(
      ends(
        own(1, "k3v9x0a1b2-1", 0, 60_000, [.page: ["k3v9x0a1b2"]]),
        own(2, "k3v9x0a1b2-2", source: 2, 10_000, 60_000, [.page: ["k3v9x0a1b2"]])) == [[2]])
  }

  @Test("of two clients are two ends, though a server passes a stream on to both with its SSRC")
  func keptSSRC() {
    let heard: [IdentityKind: Set<String>] = [.ssrcIn: ["1787255735"]]
    func listener(_ key: Int64, _ certificate: String) -> ConnectionView {
      own(key, "sub", source: key, 0, 60_000, heard.merging([.fingerprintLocal: [certificate]]) { a, _ in a })
    }
    #expect(ends(listener(1, "AA"), listener(2, "BB")) == [[1, 1]])
    #expect(ends(listener(1, "AA"), listener(2, "AA")) == [[2]])
    #expect(
      ends(
        own(1, "a", source: 1, 0, 60_000, heard, endpoint: "anna"),
        own(2, "b", source: 2, 0, 60_000, heard, endpoint: "ben")) == [[1, 1]])
  }

  @Test("of a server are not one end")
  func server() {
    let views = (0..<100).map { own(Int64($0), "user \($0)") }
    #expect(groupCalls(views).count == 100)
  }

  @Test("are separated by hand")
  func split() {
    let views = [own(1, "PC_0"), own(2, "PC_1")]
    var corrections = Corrections()
    corrections.split(views[0].part, views[1].part)
    #expect(groupCalls(views, corrections: corrections).count == 2)
  }

  @Test("that were offered and answered over a server are neither caller nor callee")
  func roles() {
    var (publisher, subscriber) = (own(1, "PC_0"), own(2, "PC_1"))
    (publisher.direction, subscriber.direction) = (.outgoing, .incoming)
    #expect(groupCalls([publisher, subscriber]).map { $0.endpoints.map(\.direction) } == [[.unknown]])
  }
}
