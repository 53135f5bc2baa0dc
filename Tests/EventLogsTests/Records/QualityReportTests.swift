import Testing

@testable import CallModel
@testable import EventLogs

@Suite("Quality reports of telephones (RFC 6035)")
struct QualityReportTests {
  private static let session = """
    VQSessionReport: CallTerm
    CallID: 6dg37f1890463
    LocalID: Anna <sip:anna@example.org;user=phone>
    RemoteID: "Bernd" <sip:bernd@example.net>
    LocalAddr: IP=192.0.2.100 PORT=5000 SSRC=1a3b5c7d
    RemoteAddr: IP=2001:db8::5 PORT=5002 SSRC=0x2468abcd
    LocalMetrics:
    Timestamps: START=2026-11-20T18:23:43Z STOP=2026-11-20T18:26:02.500Z
    SessionDesc: PT=18 PD="G729" SR=8000 FMTP="annexb = no" PLC=3
    JitterBuffer: JBA=3 JBR=2 JBN=40 JBM=80 JBX=120
    PacketLoss: NLR=5.0 JDR=2.0
    BurstGapLoss: BLD=0 BD=0 GLD=2.0 GD=500 GMIN=16
    Delay: RTD=200 ESD=140 IAJ=12
    Signal: SL=-18 NL=-50 RERL=127
    QualityEst: RLQ=82 RCQ=78 MOSLQ=3.9 MOSCQ=3.7 QoEEstAlg=P.564
    RemoteMetrics:
    PacketLoss: NLR=0.5 JDR=0
    QualityEst: RLQ=127 MOSLQ=4.2
    """

  @Test("has every figure under its own name and unit, of what came in and of what the far end got")
  func figures() throws {
    let report = try #require(QualityReport.reports(in: Self.session).first)
    #expect(
      report.kind == "VQSessionReport" && report.reason == "CallTerm" && report.callID == "6dg37f1890463")
    #expect(report.local == "anna@example.org" && report.remote == "bernd@example.net")
    #expect(report.localAddress == "192.0.2.100:5000" && report.remoteAddress == "[2001:db8::5]:5002")
    #expect(report.localSSRC == 0x1A3B_5C7D && report.remoteSSRC == 0x2468_ABCD)
    #expect(
      report.received.figures == [
        "loss_percent": 5, "discarded_percent": 2, "burst_loss_percent": 0, "burst_ms": 0,
        "gap_loss_percent": 2, "gap_ms": 500,
        "rtt_ms": 200, "end_system_delay_ms": 140, "jitter_ms": 12, "signal_dbm": -18, "noise_dbm": -50,
        "r_listening": 82,
        "r_conversational": 78, "mos_listening": 3.9, "mos_conversational": 3.7, "jitter_buffer_ms": 40,
        "jitter_buffer_max_ms": 80,
      ])
    #expect(report.received.codec == "G729")
    // 127 is "not available".
    #expect(report.sent.figures == ["loss_percent": 0.5, "discarded_percent": 0, "mos_listening": 4.2])
  }

  @Test("has times of any zone, and none that cannot be")
  func times() {
    let utc = QualityReport.milliseconds("2026-11-20T18:23:43Z")
    #expect(utc == 1_795_199_023_000)
    #expect(QualityReport.milliseconds("2026-11-20T19:23:43.250+01:00") == utc.map { $0 + 250 })
    #expect(
      QualityReport.milliseconds("2026-13-20T18:23:43Z") == nil
        && QualityReport.milliseconds("yesterday, some time ago") == nil)
  }

  @Test("several in one file are one after the other, with the SIP messages around them left out")
  func several() {
    let text =
      "PUBLISH sip:c@example.org SIP/2.0\r\nContent-Type: application/vq-rtcpxr\r\n\r\n" + Self.session
      + "\r\nVQIntervalReport:\r\nCallID: x\r\nLocalMetrics:\r\nPacketLoss: NLR=1\r\n"
    #expect(QualityReport.reports(in: text).map(\.kind) == ["VQSessionReport", "VQIntervalReport"])
    #expect(Array(text.utf8).withUnsafeBufferPointer { QualityReportReader.recognises($0) })
  }

  @Test("what cannot be is left out, and nothing in it does harm")
  func hostile() {
    let text =
      "VQSessionReport\u{0}: x\nVQSessionReport: CallTerm\nCallID: \(String(repeating: "A", count: 100_000))\nLocalMetrics:\n"
      + "PacketLoss: NLR=nan JDR=1e999\nDelay: RTD=-5 IAJ=99999999\nQualityEst: MOSLQ=9 RLQ=121 MOSCQ=4.0 MOSCQ\n"
    let report = QualityReport.reports(in: text).first
    #expect(
      report?.received.figures.isEmpty != false || report?.received.figures == ["mos_conversational": 4])
    #expect((report?.callID?.utf8.count ?? 0) <= 200)
    #expect(QualityReport.reports(in: String(repeating: "VQSessionReport:\n", count: 100_000)).count <= 200)
    for line in [
      "", "Hello VQSessionReport: x", "{\"VQSessionReport\": 1}", "INVITE sip:a SIP/2.0\nVQSessionReport: x",
    ] {
      #expect(!Array(line.utf8).withUnsafeBufferPointer { QualityReportReader.recognises($0) }, "\(line)")
    }
  }

  @Test(
    "a trace of SIP may have lines of its own before the message",
    arguments: [
      "2026/11/20 18:26:02.123456 192.0.2.100:5060 -> 198.51.100.11:5060\n",
      "<--- SIP read from UDP:192.0.2.100:5060 --->\n", "#\nU 192.0.2.100:5060 -> 198.51.100.11:5060\n", "",
    ])
  func trace(head: String) {
    func isKnown(_ text: String) -> Bool {
      Array(text.utf8).withUnsafeBufferPointer { QualityReportReader.recognises($0) }
    }
    let message = "PUBLISH sip:collector@example.org SIP/2.0\r\nEvent: vq-rtcpxr\r\n\r\n"
    #expect(isKnown(head + message + Self.session))
    #expect(!isKnown(head + message.replacing("PUBLISH", with: "INVITE") + Self.session))
    #expect(
      !isKnown(head + String(repeating: "a line of something else\n", count: 4) + message + Self.session))
  }

  @Test("a file of reports names both people, and says how many figures were left out")
  func file() throws {
    let text = Self.session.replacing("MOSLQ=3.9", with: "MOSLQ=9.9").replacing("IAJ=12", with: "IAJ=abc")
    let sink = try read(.qualityReport, text)
    #expect(sink.notes == ["figures of quality reports out of range, left out: 2"])
    let people = sink.identities.filter { $0.kind == .person }.map(\.value)
    #expect(Set(people) == ["anna@example.org", "bernd@example.net"])
    #expect(
      sink.names == [.callEstablished, .mediaQualityReported, .mediaQualityReported, .callEnded])
  }

  @Test("of a header of a BYE: packets, loss, jitter and codecs of either way")
  func header() throws {
    let report = try #require(
      QualityReport(
        header: "X-RTP-Stat",
        "CS=33;PS=1622;OS=259520;PR=1626/1630;OR=260160;PL=4/1;JI=29;EN=G711U;DE=G711A;IP=192.0.2.7:4000;XX=1"
      ))
    #expect(report.received.figures == ["packets": 1626, "bytes": 260_160, "lost": 4, "jitter_ms": 29])
    #expect(report.sent.figures == ["duration_s": 33, "packets": 1622, "bytes": 259_520, "lost": 1])
    #expect(report.received.codec == "G711A" && report.sent.codec == "G711U" && report.unknown == 2)
    #expect(QualityReport(header: "X-RTP-Stat", "nothing of note") == nil)
  }
}
