import CallModel
import Testing

@Suite("What telephones report of their quality, in captures")
struct ReportedQualityTests {
  private typealias C = CaptureBuilder
  private typealias S = CallBuilder

  private func publish(_ id: String, span: String = "") -> [UInt8] {
    let body =
      "VQSessionReport: CallTerm\r\nCallID: \(id)\r\nLocalID: <sip:alice@example.org>\r\n"
      + "LocalAddr: IP=192.0.2.10 PORT=5000 SSRC=0x1a3b5c7d\r\nLocalMetrics:\r\n\(span)PacketLoss: NLR=3.5 JDR=1\r\n"
      + "QualityEst: MOSLQ=3.4\r\n"
    return Array(
      ("PUBLISH sip:collector@example.org SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bKp\r\nFrom: <sip:alice@example.org>;tag=7\r\n"
        + "To: <sip:collector@example.org>\r\nCall-ID: other@example.org\r\nCSeq: 1 PUBLISH\r\nContent-Type: application/vq-rtcpxr\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
  }

  private func reports(_ b: C) throws -> [EventRecord] {
    try Recorder.read(b.pcap()).events.filter { $0.event == .mediaQualityReported }
  }

  private static func calls(_ recorder: Recorder) -> Set<String> {
    Set(recorder.connections.values.flatMap(\.identities).filter { $0.kind == .sip }.map(\.value))
  }

  @Test("a PUBLISH belongs to the call that it names, and counts once however often it is sent")
  func publishOfACall() throws {
    var b = S.sipCall()
    let id = try #require(Self.calls(try Recorder.read(b.pcap())).first)
    for ms in [200_000.0, 200_500] { b.addUDP(publish(id), atMs: ms, from: 5060, to: 5060) }
    let recorder = try Recorder.read(b.pcap())
    let reports = recorder.events.filter { $0.event == .mediaQualityReported }
    #expect(
      reports.count == 1 && reports.first?.argument("mos_listening") == "3.4"
        && reports.first?.argument("by") == "vq-rtcpxr")
    #expect(Self.calls(recorder) == [id])
  }

  @Test("a PUBLISH of a call that was not captured is a call with that report, and is not dropped")
  func publishAlone() throws {
    var b = C()
    b.addUDP(publish("lost@example.org"), atMs: 0, from: 5060, to: 5060)
    let recorder = try Recorder.read(b.pcap())
    #expect(
      recorder.events.filter { $0.event == .mediaQualityReported }.map { $0.argument("loss_percent") } == [
        "3.5"
      ])
    #expect(Self.calls(recorder) == ["lost@example.org"])
  }

  @Test(
    "of a call that was not captured the report tells when it stood and ended, by the capture's clock if the telephone has none",
    arguments: ["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
  func span(day: String) throws {
    let startMs = 1_767_225_600_000.0
    let start = day.prefix(10) + "T00:00:00Z"
    let stop = day.prefix(10) + "T00:02:00Z"
    var b = C()
    b.startUs = Int64(startMs) * 1000
    let span = "Timestamps: START=\(start) STOP=\(stop)\r\n"
    b.addUDP(publish("lost@example.org", span: span), atMs: 120_000, from: 5060, to: 5060)
    let recorder = try Recorder.read(b.pcap())
    let events = recorder.events.filter { $0.event.group == .call }
    #expect(events.map(\.event) == [.callEstablished, .callEnded])
    #expect(events.map(\.timeMs) == [startMs, startMs + 120_000])
    let ssrcs = recorder.connections.values.flatMap(\.identities).filter { $0.kind == .ssrcOut }.map(\.value)
    #expect(ssrcs == ["440097917"])
  }

  @Test("X-RTP-Stat of a BYE is reported at the end that sent it")
  func bye() throws {
    var b = C()
    func signal(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    signal(0, S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: S.sdp("192.0.2.10", 40_000)))
    signal(
      900, S.sip("SIP/2.0 200 OK", "1 INVITE", body: S.sdp("198.51.100.20", 50_000), toTag: "2"), back: true)
    signal(1000, S.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    var text = String(decoding: S.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", toTag: "2"), as: UTF8.self)
    text = text.replacing("\r\nCSeq:", with: "\r\nX-RTP-Stat: PS=100;PR=98;PL=2;JI=7\r\nCSeq:")
    signal(5000, Array(text.utf8))
    let reports = try reports(b)
    #expect(reports.map { $0.argument("of") } == ["received", "sent"])
    #expect(reports.first?.argument("lost") == "2" && reports.first?.argument("jitter_ms") == "7")
    #expect(reports.last?.argument("packets") == "100")
  }
}
