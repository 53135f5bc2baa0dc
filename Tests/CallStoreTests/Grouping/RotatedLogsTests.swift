import CallModel
import Testing

@testable import CallStore

@Suite("A log rotated during a call is one end")
struct RotatedLogsTests {
  private func ends(_ first: String, _ second: String, from firstMs: Double = 300_000, _ name: String? = nil)
    -> Int
  {
    var before = view(1, name, path: "/x/\(first)", [.call: ["c9"]])
    before.direction = .outgoing
    let after = view(2, path: "/x/\(second)", first: firstMs, last: firstMs + 60_000, [.call: ["c9"]])
    let calls = groupCalls([before, after])
    #expect(calls.count == 1)
    return calls[0].endpoints.count
  }

  @Test(
    "by the names of its parts",
    arguments: [
      ("app.log.1", "app.log"), ("app.log.2.gz", "app.log.1"), ("app.1.log", "app.log"),
      ("a.0.log", "a.1.log"),
      ("app-2026-11-20.log", "app-2026-11-21.log"), ("app_20261120-10.log.gz", "app_20261120-11.log"),
      ("app.log.2026-11-20T10", "app.log"),
    ])
  func parts(first: String, second: String) { #expect(ends(first, second) == 1) }

  @Test("other logs, and logs written at the same time, are two ends")
  func others() {
    #expect(ends("alice.log", "bob.log") == 2)
    #expect(ends("client-1.log", "client-2.log") == 2)
    #expect(ends("a/app.log", "b/app.log") == 2)
    #expect(ends("app.log.1", "app.log", from: 30_000) == 2)
    #expect(ends("app.log.1", "app.log", "alice") == 2)
  }
}
