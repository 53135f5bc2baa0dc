import CallModel
import Testing

@Suite("The calls of a page's connections")
struct PageCallsTests {
  private let calls = LoggedEnds(limit: 10).calls
  private let first = "k3v9x0a1b2c3d-1"
  private let second = "k3v9x0a1b2c3d-2"

  @Test("a connection keeps the first id that it is given")
  func keeps() {
    #expect(calls.call(of: first, named: nil) == nil)
    #expect(calls.call(of: first, named: "a") == "a")
    #expect(calls.call(of: first, named: "b") == "a", "the next call is named while this one closes")
    #expect(calls.call(of: first, named: nil) == "a")
    #expect(calls.call(of: second, named: "b") == "b")
  }

  @Test("the id of a call that is over is the next connection's only if no other follows")
  func inherits() {
    _ = calls.call(of: first, named: "a")
    calls.close(first)
    #expect(calls.call(of: second, named: "a") == nil)
    #expect(calls.settled(second) == "a")
    #expect(calls.call(of: second, named: "b") == "b")
    #expect(calls.settled(second) == "b")
  }

  @Test("connections of one call at one time have its id")
  func atOneTime() {
    _ = calls.call(of: first, named: "a")
    #expect(calls.call(of: second, named: "a") == "a")
  }

  @Test("a name that many connections may have says nothing of its call")
  func otherNames() {
    _ = calls.call(of: "caller", named: "a")
    calls.close("caller")
    #expect(calls.call(of: "caller", named: "b") == "b")
  }

  @Test(
    "the page in a connection's name",
    arguments: [
      ("k3v9x0a1b2c3d-2", "k3v9x0a1b2c3d"), ("18084-9", "18084"), ("PC_0", nil), ("caller-2", nil),
      ("pc-1", nil),
      ("", nil), ("-1", nil), ("k3v9x0a1b2c3d-", nil), ("K3v9x0a1b2c3d-1", nil),
      ("8d3f0c9e-1111-4222-8333-123456789012", nil),
    ])
  func page(name: String, page: String?) {
    #expect(ConnectionName.page(of: name).map(String.init) == page)
  }
}
