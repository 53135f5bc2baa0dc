import CallModel
import Rendering
import Testing

@testable import CallViews

@Suite("Names of files, candidates and scores")
struct SourceNamesTests {
  private static func source(_ key: Int64, _ path: String) -> SourceFacts {
    SourceFacts(
      key: key, path: path, format: "pcap", status: "imported", reason: nil, skewMs: nil, rejected: 0,
      prunedMs: nil,
      notes: [])
  }

  @Test("files of one name are told apart by their folders")
  func folders() {
    let sources = [
      Self.source(1, "/t/one/call.pcap"), Self.source(2, "/t/two/call.pcap"),
      Self.source(3, "/t/two/caller.jsonl"),
      Self.source(4, "-"),
    ]
    #expect(
      SourceWords.names(sources) == [1: "one/call.pcap", 2: "two/call.pcap", 3: "caller.jsonl", 4: "-"])
    let deep = [Self.source(1, "/x/a/b/c/d/f"), Self.source(2, "/y/a/b/c/d/f")]
    #expect(SourceWords.names(deep) == [1: "b/c/d/f", 2: "b/c/d/f"])
    #expect(SourceWords.names([]).isEmpty)
  }

  @Test(
    "a candidate is shown by its kind, transport and address",
    arguments: [
      (
        #"{"sdpMid":"0","sdpMLineIndex":0,"candidate":"candidate:1 1 UDP 2122260223 192.0.2.5 50001 typ host generation 0"}"#,
        "host udp 192.0.2.5:50001"
      ),
      (
        #"{"candidate":"candidate:2 1 tcp 1518280447 2001:db8::7 9 typ relay raddr 0.0.0.0 rport 0","url":"turn:t"}"#,
        "relay tcp [2001:db8::7]:9 url=turn:t"
      ),
      (#"{"candidate":"none of these","sdpMid":"0"}"#, "candidate=none of these sdpMid=0"),
    ])
  func candidate(args: String, words: String) {
    let record = EventRecord(timeMs: 0, event: .iceCandidate, raw: "icecandidate", args: args)
    #expect(EventWords.arguments(record) == words)
  }

  @Test("a score without windows is shown, and its quality is not called unknown")
  func windowless() {
    var account = SampleAccount.call(ends: [SampleAccount.end("caller", []), SampleAccount.end("callee", [])])
    (account.call.scoreEndpoint, account.call.scoreMean) = ("callee", 86.4)
    let table = SideBySide(account).lines(width: 80, ink: TerminalStyle(TerminalFacts(colour: false)))
    #expect(table.contains { $0.hasPrefix("score") && $0.hasSuffix("86") }, "\(table)")
    let told = Unknowns(account).sentences
    #expect(
      told.contains("How the quality at the callee came about: its score is on record, and no window of it."),
      "\(told)")
    #expect(told.contains { $0.hasPrefix("The quality at the caller: ") }, "\(told)")
  }
}
