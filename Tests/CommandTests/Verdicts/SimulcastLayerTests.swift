import Foundation
import Testing

@Suite("An end that is left in a small layer")
struct SimulcastLayerTests {
  /// Two ends of a call, a report a second: the caller sends three layers, the callee is shown one of `lines`.
  private func findings(lines: Double, lost: Double = 0, layers: [Double] = [180, 360, 720]) throws
    -> [String]
  {
    let folder = try TemporaryFolder()
    let start = 1_795_226_153_000.0
    var caller = "", callee = ""
    for second in 0..<60 {
      let (ts, count) = (start + Double(second) * 1000, Double(second))
      var sent: [String: Any] = [:]
      for (place, height) in layers.enumerated() {
        sent["OV\(place)"] = [
          "id": "OV\(place)", "type": "outbound-rtp", "kind": "video", "timestamp": ts,
          "ssrc": 7_001_001 + place,
          "rid": "r\(place)", "framesEncoded": count * 20, "frameHeight": height,
          "frameWidth": height * 16 / 9,
          "packetsSent": count * 60, "bytesSent": count * 60_000, "active": true,
        ]
      }
      let received: [String: Any] = [
        "IV": [
          "id": "IV", "type": "inbound-rtp", "kind": "video", "timestamp": ts, "ssrc": 9_001_001,
          "framesDecoded": count * 20, "framesReceived": count * 20, "frameHeight": lines,
          "frameWidth": lines * 16 / 9, "packetsReceived": count * 60, "packetsLost": count * lost,
          "bytesReceived": count * 60_000, "totalInterFrameDelay": count, "jitter": 0.004,
        ]
      ]
      for (name, report) in [("caller", sent), ("callee", received)] {
        let line: [String: Any] = ["ts": ts, "pc": name, "call": "c1", "endpoint": name, "report": report]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
        if name == "caller" { caller += text } else { callee += text }
      }
    }
    for (name, text) in [("caller", caller), ("callee", callee)] {
      try Data(text.utf8).write(to: folder.url.appendingPathComponent("\(name).stats.jsonl"))
    }
    let database = folder.url.appendingPathComponent("c.sqlite").path
    try Tool.run("import", folder.url.path, "--db", database, "--quiet")
    return try Tool.run("findings", "--db", database, "--json").objects().compactMap { $0["code"] as? String }
  }

  @Test("is reported where a larger layer was sent all the while and hardly anything was lost")
  func small() throws {
    #expect(try findings(lines: 180).contains("low-simulcast-layer"))
  }

  @Test("is not told of the largest layer, of one layer alone, or where packets were lost")
  func none() throws {
    #expect(try !findings(lines: 720).contains("low-simulcast-layer"))
    #expect(try !findings(lines: 180, layers: [720]).contains("low-simulcast-layer"))
    #expect(try !findings(lines: 180, lost: 5).contains("low-simulcast-layer"))
  }
}
