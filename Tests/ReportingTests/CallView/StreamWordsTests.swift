import CallModel
import Testing

@testable import Reporting

@Suite("Streams of an end in a line")
struct StreamWordsTests {
  private static func stream(_ ssrc: Int64, lost: Int64, concealed: Double, source: Int64 = 1)
    -> StreamAccount
  {
    StreamAccount(
      key: ssrc, pc: nil, source: .stats, chosen: true, direction: .inbound, kind: .audio, codec: "opus",
      ssrc: ssrc, screen: false, firstMs: nil, lastMs: nil,
      figures: [
        "packets": .integer(1000 - lost), "lost": .integer(lost), "concealed_share": .real(concealed),
        "source_id": .integer(source),
      ])
  }

  private static func end(_ streams: [StreamAccount]) -> EndAccount {
    var end = SampleAccount.end("caller", [])
    end.streams = streams
    return end
  }

  @Test("of several streams the worst is told, with its name, and what holds of the others")
  func worst() {
    let streams = (1000..<1020).map {
      Self.stream($0, lost: $0 == 1007 ? 150 : 0, concealed: $0 == 1007 ? 0.12 : 0)
    }
    #expect(
      StreamWords.received(Self.end(streams), .audio)
        == "worst of 20 streams: SSRC 1007, opus, 15 % lost, 12 % concealed; the other 19: 0 % lost")
    #expect(StreamWords.received(Self.end([streams[7]]), .audio) == "opus, 15 % lost, 12 % concealed")
  }

  @Test("an end's figures are those of one witness, and of the files in which its streams go on")
  func sources() {
    let streams = [
      Self.stream(1, lost: 0, concealed: 0, source: 1), Self.stream(2, lost: 0, concealed: 0, source: 1),
      Self.stream(2, lost: 0, concealed: 0, source: 4), Self.stream(3, lost: 0, concealed: 0, source: 7),
    ]
    #expect(Self.end(streams).mainSources == [1, 4])
    #expect(Self.end([]).mainSources == nil)
  }
}
