import Testing

@testable import CallStore

@Suite("Names stated in files")
struct StatedNameTests {
  private func view(_ path: String) -> ConnectionView {
    ConnectionView(key: 1, source: 1, sha256: "", path: path)
  }

  @Test(
    "the end",
    arguments: [
      ("/night/17/caller.log", "caller"), ("/night/17/Callee-2.json", "callee"), ("/caller/stats.json", nil),
      ("/night/caller-callee.pcap", nil), ("/night/recaller.log", nil), ("/night/écaller.log", nil),
      ("/night/—caller.log", "caller"), ("caller", "caller"), ("-", nil), ("", nil),
    ] as [(String, String?)])
  func end(path: String, stated: String?) { #expect(statedName(view(path)) == stated) }

  @Test("a name in the source takes precedence over the file's name")
  func said() {
    var view = view("/night/caller.log")
    view.name = "callee, call 2"
    #expect(statedName(view) == "callee")
    view.endpoint = "alice"
    #expect(statedName(view) == "alice")
  }

  @Test("captures named after the place where they were taken name no end, as each has both")
  func captured() {
    func ends(_ path: String, _ source: Int64) -> [ConnectionView] {
      [("10.0.0.1:20000", "10.0.0.2:30000"), ("10.0.0.2:30000", "10.0.0.1:20000")].enumerated().map {
        number, addresses in
        CallStoreTests.view(
          source * 10 + Int64(number), "\(addresses.0)>\(addresses.1)", path: path, source: source,
          [
            .addressLocal: [addresses.0], .addressRemote: [addresses.1],
            .ssrcIn: [number == 0 ? "1803362850" : "1513885969"], .call: ["c1"],
          ])
      }
    }
    let calls = groupCalls(ends("/x/caller.pcap", 1) + ends("/x/callee.pcap", 2))
    #expect(calls.map { $0.endpoints.map { Set($0.connections) } } == [[[10, 20], [11, 21]]])
  }

  @Test("the log of a rotated file")
  func log() {
    #expect(RotatedName(path: "/a/app.log.1").log == "/a/app.log")
    #expect(RotatedName(path: "/a/app-2026-11-20.log.gz").log == RotatedName(path: "/a/app.log").log)
    #expect(RotatedName(path: "/b/app.log").log != RotatedName(path: "/a/app.log").log)
  }
}
