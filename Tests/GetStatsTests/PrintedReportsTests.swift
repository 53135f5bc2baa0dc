import Testing

@testable import GetStats

@Suite("Reports in debug output")
struct PrintedReportsTests {
  private func json(_ text: String) -> String? {
    var reports = PrintedReports()
    var found: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let bytes = Array(line.utf8)
      if let json = bytes.withUnsafeBufferPointer({ reports.take($0).json }) {
        found = String(decoding: json, as: UTF8.self)
      }
    }
    return found
  }

  @Test("Android's RTCStatsReport: bare types and ids, texts in quotes, exponents, lists")
  func android() {
    #expect(
      json(
        #"stats: { timestampUs: 1.7951688E15, stats: ["#
          + #"{ timestampUs: 1.7951688E15, type: inbound-rtp, id: IT01A1, ssrc: 7, kind: "audio", jitter: 1.0E-4, ended: false, trackIds: ["a", "b"]}, "#
          + #"{ timestampUs: 1.7951688E15, type: codec, id: C1, mimeType: "audio/opus"} ] }"#)
        == #"[{"timestampUs":1.7951688E15,"type":"inbound-rtp","id":"IT01A1","ssrc":7,"kind":"audio","jitter":1.0E-4,"ended":false,"trackIds":["a","b"]},{"timestampUs":1.7951688E15,"type":"codec","id":"C1","mimeType":"audio/opus"}]"#
    )
  }

  @Test("iOS's RTCStatistics goes on over lines, and quotes what has a point or a sign")
  func apple() {
    #expect(
      json(
        "id: IT01A1, type: inbound-rtp, timestamp: 1795168800000000, values: {\n    jitter = \"0.004\";\n    kind = audio;\n    packetsLost = \"-1\";\n    packetsReceived = 120;\n    transportId = 5;\n}"
      )
        == #"[{"id":"IT01A1","type":"inbound-rtp","timestamp":1795168800000000,"values":{"jitter":0.004,"kind":"audio","packetsLost":-1,"packetsReceived":120,"transportId":5}}]"#
    )
  }

  @Test("Python's repr: classes, None, True, a datetime in UTC")
  func python() {
    #expect(
      json(
        "{'I1': RTCInboundRtpStreamStats(timestamp=datetime.datetime(2026, 11, 20, 10, 0, 1, 500000, tzinfo=datetime.timezone.utc), type='inbound-rtp', id='I1', ssrc=7, kind='audio', remote=None, ok=True)}"
      )
        == #"[{"timestamp":1795168801500.0,"type":"inbound-rtp","id":"I1","ssrc":7,"kind":"audio","remote":null,"ok":true}]"#
    )
  }

  @Test("Node's console.log: a Map, or one object over lines")
  func node() {
    #expect(
      json("Map(1) { 'I1' => { id: 'I1', type: 'inbound-rtp', timestamp: 1795168800000, ssrc: 7 } }")
        == #"[{"id":"I1","type":"inbound-rtp","timestamp":1795168800000,"ssrc":7}]"#)
  }

  @Test(
    "what is damaged, deep or hostile is no report, and ends",
    arguments: [
      "{ timestampUs: 1, stats: [{ type: inbound-rtp, id: I1",
      String(repeating: "{", count: 5000) + "type: inbound-rtp,",
      "type: inbound-rtp, type: inbound-rtp,", "x='type: inbound-rtp,", "((((type='inbound-rtp'))))",
      "[[[,,,:::===type: inbound-rtp,]]]", "{type: inbound-rtp, id\u{0}: \"\\",
    ])
  func hostile(_ text: String) {
    let found = json(text)
    #expect(found == nil || found?.hasPrefix("[") == true)
  }
  @Test(
    "a datetime that is no date has no time, and the report is kept",
    arguments: ["1e300, 1, 1", "2026, 1e300, 1", "2026, 13, 1", "-1e18, 1, 1"])
  func impossibleDate(_ parts: String) {
    #expect(
      json("[A(timestamp=datetime.datetime(\(parts)), type='inbound-rtp', id='I1')]")
        == #"[{"timestamp":null,"type":"inbound-rtp","id":"I1"}]"#)
  }

  @Test("reports over several lines are read again after a text of too many lines was given up")
  func afterTooMany() {
    let endless =
      "id: I1, type: inbound-rtp, timestamp: 1, values: {\n" + String(repeating: "a = 1;\n", count: 2100)
    let next = "id: I2, type: inbound-rtp, timestamp: 2, values: {\n    ssrc = 7;\n}"
    #expect(json(endless + next)?.contains("\"id\":\"I2\"") == true)
  }
}
