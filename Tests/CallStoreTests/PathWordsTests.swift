import Testing

@testable import CallStore

@Suite("What paths say")
struct PathWordsTests {
  @Test(
    "the end that a file's name states",
    arguments: [
      ("/night/17/caller.log", "caller"), ("/night/17/Callee-2.json", "callee"), ("/caller/stats.json", nil),
      ("/night/caller-callee.pcap", nil), ("/night/recaller.log", nil), ("/night/écaller.log", nil),
      ("/night/—caller.log", "caller"), ("caller", "caller"), ("-", nil), ("", nil),
    ] as [(String, String?)])
  func role(path: String, stated: String?) {
    let words = PathWords()
    #expect(words[path].role == stated)
    #expect(words[path].role == stated, "said again")
  }

  @Test("the log that a file is a part of")
  func log() {
    let words = PathWords()
    #expect(words["/a/app.log.1"].log == "/a/app.log")
    #expect(words["/a/app-2026-11-20.log.gz"].log == words["/a/app.log"].log)
    #expect(words["/b/app.log"].log != words["/a/app.log"].log)
  }
}
