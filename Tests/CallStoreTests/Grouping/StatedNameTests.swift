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

  @Test("the log of a rotated file")
  func log() {
    #expect(RotatedName(path: "/a/app.log.1").log == "/a/app.log")
    #expect(RotatedName(path: "/a/app-2026-11-20.log.gz").log == RotatedName(path: "/a/app.log").log)
    #expect(RotatedName(path: "/b/app.log").log != RotatedName(path: "/a/app.log").log)
  }
}
