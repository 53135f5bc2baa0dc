import CallModel
import Foundation
import IO
import SharedRecordings
import Testing

@Suite("Statistics printed by a mobile SDK")
struct GoogTextTests {
  /// Wrapped lines, comments and page furniture as they occur in printed examples.
  private let wrapped = """
    Appendix: examples

    ```
    id: googLibjingleSession_34, type: googLibjingleSession, timestamp:
    1445079424793.019043, values: (
        "googInitiator: true"
    ),
    id: Channel-audio-1, type: googComponent, timestamp: 1445079424793.019043, values: (
        "selectedCandidatePairId: Conn-audio-1-0",
        "googComponent: 1"
    ),
    id: Conn-audio-1-0, type: googCandidatePair, timestamp: 1445079424793.019043,
    values: (
        "googActiveConnection: true",
        "googLocalAddress: 10.254.20.195:61074",
        "googLocalCandidateType: local",
        "googRemoteCandidateType: stun",
       "googRtt: 12",
        "googTransportType: udp"
    ),
    id: ssrc_11_send, type: ssrc, timestamp: 1445079424793.019043, values: (
        "byesSent: 59363",
        "packetsSent: 573",
        "ssrc: 11",
    //If true, video resolution is decreased (due to bandwidth limitations)
        "googBandwidthLimitedResolution: true",
        "googCpuLimitedResolution: false",
        "googFrameWidthSent: 480",
        "googFrameHeightSent: 640",
        "googRtt: 38"
    ),
    id: ssrc_22_recv, type: ssrc, timestamp: 1445079424793.019043, values: (
        "audioOutputLevel: 32767",
        "packetsReceived: 580",
    ```

    User Guide, page 7

    ```
    "googDecodingCTN: 1156",
        "googDecodingPLC: 16",
        "googExpandRate: 0.0105591",
        "googJitterReceived: 1",
        "googFrameRateOutput: -1"
    )
    ```
    """

  @Test("the wrapped form, with what stands between its lines")
  func wrappedForm() throws {
    #expect(try recognised(wrapped) == .googText)
    let sink = try readSource(wrapped)
    let sent = try #require(sink.streams(.outbound).first)
    #expect(sent.facts.kind == .video)
    #expect(sent.last(.bytes) == 59363)
    #expect(sent.last(.rttMs) == 38)
    #expect(sent.last(.limitedBy) == Double(LimitedBy.bandwidth.rawValue))
    let received = try #require(sink.streams(.inbound).first)
    #expect(received.facts.kind == .audio)
    #expect(received.times == [1445079424793.019043])
    #expect(received.last(.audioLevel) == 1)
    #expect(received.last(.decodingPlc) == 16)
    #expect(received.last(.expandRate) == 0.0105591)
    #expect(received.last(.frameRateOutput) == nil, "-1 is goog's unknown")
    #expect(received.extras == ["{\"googDecodingCTN\":\"1156\"}"])
    let path = try #require(sink.transports[0]?.first)
    #expect([path.local, path.localType, path.remoteType] == ["10.254.20.195:61074", "host", "srflx"])
    #expect(path.rttMs == 12)
    #expect(sink.eventNames == [.mediaQualityLimited])
  }

  @Test("the one-line form, twice: two snapshots")
  func oneLine() throws {
    let line =
      "id: ssrc_1_recv,\ntype: ssrc,\ntimestamp: 1.444311978571E12,\nvalues: [ssrc: 1], [bytesReceived: 92193],\n[packetsReceived: 5]\n"
    let again = line.replacing("978571", with: "979571").replacing("Received: 5", with: "Received: 6")
    let sink = try readSource(line + again)
    #expect(sink.streams(.inbound).first?.series(.packets) == [5, 6])
    #expect(sink.streams(.inbound).first?.times == [1_444_311_978_571, 1_444_311_979_571])
  }

  @Test("a field a line, as the guide prints a report")
  func fieldByField() throws {
    let report = """
      2015-10-17 10:57:04.793 App[1:2] Report id : ssrc_1_recv
      2015-10-17 10:57:04.793 App[1:2] Report type : ssrc
      2015-10-17 10:57:04.793 App[1:2] Report timestamp : 1445079424793.019043
      2015-10-17 10:57:04.793 App[1:2] Report values : (
          "ssrc: 1",
          "[bytesReceived: 92193]",
          "packetsReceived: 5"
      )
      """
    let again = report.replacing("4793.0", with: "5793.0").replacing("Received: 5", with: "Received: 6")
    #expect(try recognised(report) == .googText)
    let stream = try #require(try readSource(report + "\n" + again).streams(.inbound).first)
    #expect(stream.series(.packets) == [5, 6])
    #expect(stream.series(.bytes) == [92193, 92193])
    #expect(stream.times == [1445079424793.019043, 1445079425793.019043])
  }

  @Test("other text is not taken for it")
  func others() throws {
    for text in [
      "id: 5, name: x", "hello\nworld", "", "%PDF-1.4",
      "id: a, type: user, timestamp: 1, values: (\n\"a: b\"\n)",
    ] {
      #expect(try recognised(text) == nil, "\(text)")
    }
  }

  @Test(
    "the printed appendix: an audio call and a video call",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
  func appendix() throws {
    let file = try #require(SharedRecordings.files("seeds").first { $0.contains("/001") })
    let text = String(decoding: try allBytes(of: InputFile(path: file)), as: UTF8.self)
    let start = try #require(text.range(of: "Appendix E: Examples", options: .backwards)?.lowerBound)
    let sink = try readSource(String(text[start...]))
    #expect(sink.connections.count == 2)
    #expect(sink.streams(.inbound, .audio).map { $0.last(.packets) } == [580, 181])
    #expect(sink.streams(.inbound, .video).map { $0.last(.packets) } == [0, 142])
    #expect(sink.streams(.outbound, .video).map { $0.last(.width) } == [480])
    #expect(sink.transports.values.flatMap { $0 }.compactMap(\.rttMs).sorted() == [12, 721])
    #expect(sink.notes.isEmpty, "\(sink.notes)")
  }
}
