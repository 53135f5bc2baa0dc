import Foundation

/// A format that is read, as a file into which texts are planted wherever it has room for any.
struct SecretCarrier {
  let name: String
  let file: (_ texts: [String]) -> Data

  static var all: [SecretCarrier] {
    var all = [
      SecretCarrier(name: "stats.jsonl") {
        lines($0) { #"{"ts":\#(time($1)),"pc":"caller","report":\#(report($0, $1))}"# }
      },
      SecretCarrier(name: "stats.json") {
        text("[" + $0.map { values(report($0, 1)) }.joined(separator: ",") + "]")
      },
      SecretCarrier(name: "goog.txt", file: goog),
      SecretCarrier(name: "webrtc_internals_dump.txt", file: internals),
      SecretCarrier(name: "rtcstats-v0.json", file: rtcstats0),
      SecretCarrier(name: "rtcstats-v2.jsonl") {
        text(
          #"{"path":"/","origin":"https://h.example","url":"https://h.example/?token=x","userAgent":"Chrome","time":1,"fileFormat":2}"#
        )
          + lines($0) {
            "[\"createOffer\",\"PC_0\",\(json($0)),\(time($1))]\n[\"getStats\",\"PC_0\",\(report($0, $1)),\(time($1))]"
          }
      },
      SecretCarrier(name: "rtcstats-v3.txt") {
        text(
          "RTCStatsDump\n{\"fileFormat\":3,\"userAgent\":\"Chrome\"}\n[\"create\",\"PC_0\",{},\(time(0))]\n")
          + lines($0) { text, _ in
            "[\"createOffer\",\"PC_0\",\(json(text)),1]\n[\"\(inner(text))\",null,\(json(text)),1]"
          }
      },
      SecretCarrier(name: "jitsi.jsonl") {
        text("[\"connectionInfo\",null,{\"clientProtocol\":\"3.1_STANDARD\"},\(time(0))]\n")
          + lines($0) {
            "[\"logs\",null,\(json($0)),\(time($1))]\n[\"identity\",\"PC_0\",{\"x\":\(json($0))},\(time($1))]"
          }
      },
      SecretCarrier(name: "events.sse") {
        lines($0) { text, index in
          let flat = flat(text)
          return
            ": \(flat)\nid: \(flat)\nevent: participant_update\ndata: {\"overlay_text\":\(json(text)),\"display_name\":\(json(text))}\n\n"
            + "event: \(flat)\ndata: \(flat)\n\n"
        }
      },
      SecretCarrier(name: "curl.txt") { lines($0) { text, _ in flat(text) } },
      SecretCarrier(name: "session.har") {
        text(
          "{\"log\":{\"entries\":[" + $0.map { "{\"request\":\(json($0))}" }.joined(separator: ",") + "]}}")
      },
      SecretCarrier(name: "sip.pcap", file: capture),
    ]
    for sdk in ["cisco-rem", "kandy-link", "oracle-wsc", "pexip", "rebtel", "w3c", "none"] {
      all.append(
        SecretCarrier(name: "\(sdk).events.jsonl") {
          lines($0) {
            let object = $0.hasPrefix("{\"") ? $0 : "{\"text\":\(json($0))}"
            return """
              {"ts":\(time($1)),"sdk":"\(sdk)","call":"c-\(sdk)","endpoint":"caller","event":"log","args":[\(json($0))]}
              {"ts":\(time($1)),"sdk":"\(sdk)","call":"c-\(sdk)","event":"\(inner($0))","args":\(object)}
              {"ts":\(time($1)),"sdk":"\(sdk)","call":"c-\(sdk)","event":"end","reason":\(json($0)),"userAgent":\(json($0))}
              {"time":"\(time($1))","action":"x","type":"y","callId":\(json($0))}
              {"control":{"type":"request","package_type":"call"},"header":\(object),"payload":\(json($0))}
              """
          }
        })
    }
    for (sdk, callback) in [
      ("cisco-rem", "onStatusChanged"), ("kandy-link", "callStatusChanged"),
      ("oracle-wsc", "callStateChanged"),
      ("pexip", "onStateChanged"), ("rebtel", "callDidEstablish"), ("generic", "createOffer"),
    ] {
      all.append(
        SecretCarrier(name: "\(sdk).nslog") {
          lines($0) {
            """
            2026-11-21 10:00:0\($1 % 10).123 App[1:2] \(flat($0))
            2026-11-21 10:00:0\($1 % 10).124 App[1:2] \(callback): \(flat($0))
            2026-11-21 10:00:0\($1 % 10).125 App[1:2] {"control":{"type":"request"},"header":{"x":\(json($0))}}
            """
          }
        })
    }
    return all
  }

  // MARK: Pieces

  private static func text(_ text: String) -> Data { Data(text.utf8) }
  private static func time(_ index: Int) -> Int { 1_795_226_153_000 + index * 1000 }

  private static func lines(_ texts: [String], _ line: (String, Int) -> String) -> Data {
    text(texts.enumerated().map { line($1, $0) + "\n" }.joined())
  }

  /// As a JSON string.
  private static func json(_ text: String) -> String { "\"" + inner(text) + "\"" }

  private static func inner(_ text: String) -> String {
    text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      .replacingOccurrences(of: "\r", with: "\\r").replacingOccurrences(of: "\n", with: "\\n")
  }

  /// On one line, as a log prints it.
  private static func flat(_ text: String) -> String {
    text.replacingOccurrences(of: "\r", with: "\\r").replacingOccurrences(of: "\n", with: "\\n")
  }

  private static func report(_ text: String, _ index: Int) -> String {
    """
    {"IT01A1":{"id":"IT01A1","type":"inbound-rtp","timestamp":\(time(index)),"ssrc":7,"kind":"audio","packetsReceived":\(index),\
    "mid":\(json(text)),"decoderImplementation":\(json(text)),"codecId":"C","note":\(json(text)),"more":{"x":\(json(text))}},\
    "C":{"id":"C","type":"codec","timestamp":\(time(index)),"mimeType":"audio/opus","sdpFmtpLine":\(json(text))},\
    "X":{"id":"X","type":"never-heard-of","timestamp":\(time(index)),"note":\(json(text))}}
    """
  }

  private static func values(_ report: String) -> String {
    let object = try? JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
    return (object ?? [:]).values.compactMap {
      (try? JSONSerialization.data(withJSONObject: $0)).map { String(decoding: $0, as: UTF8.self) }
    }.joined(separator: ",")
  }

  private static func goog(_ texts: [String]) -> Data {
    lines(texts) { text, index in
      "id: ssrc_\(index)_recv, type: ssrc, timestamp: \(time(index)).5, values: (\n"
        + "  \"packetsReceived: \(index)\",\n  \"googTrackId: \(flat(text))\",\n  \"ssrc: \(index)\"\n), \(flat(text))"
    }
  }

  private static func internals(_ texts: [String]) -> Data {
    let log = texts.enumerated().map {
      "{\"type\":\"createOfferOnSuccess\",\"value\":\(json($1)),\"timestamp\":\(time($0))},"
        + "{\"type\":\(json($1)),\"value\":\(json("\"" + $1)),\"timestamp\":\(time($0))}"
    }
    let stats = texts.enumerated().map {
      "\"IT\($0)-packetsReceived\":{\"startTime\":\"2026-11-21T02:00:00Z\",\"endTime\":\"2026-11-21T02:00:01Z\",\"statsType\":\"inbound-rtp\",\"values\":\"[1,2]\"},"
        + "\"IT\($0)-note\":{\"startTime\":\"2026-11-21T02:00:00Z\",\"endTime\":\"2026-11-21T02:00:01Z\",\"statsType\":\"inbound-rtp\",\"values\":\(json("[" + json($1) + "," + json($1) + "]"))}"
    }
    let media = texts.map {
      "{\"rid\":1,\"pid\":1,\"origin\":\(json($0)),\"request_id\":1,\"request_type\":\"getUserMedia\",\"audio\":\(json($0)),\"timestamp\":\(time(0))}"
    }
    return text(
      "{\"getUserMedia\":[\(media.joined(separator: ","))],\"UserAgent\":\(json(texts[0])),\"PeerConnections\":{\"1-1\":{\"pid\":1,"
        + "\"url\":\(json(texts[0])),\"rtcConfiguration\":\(json(texts[8])),\"constraints\":\(json(texts[9])),"
        + "\"updateLog\":[\(log.joined(separator: ","))],\"stats\":{\(stats.joined(separator: ","))}}}}")
  }

  private static func rtcstats0(_ texts: [String]) -> Data {
    let log = texts.enumerated().map {
      "{\"time\":\"2026-11-21T02:00:\(10 + $0).000Z\",\"type\":\"setLocalDescription\",\"value\":\(json($1))}"
    }
    return text(
      "{\"url\":\(json(texts[0])),\"userAgent\":\(json(texts[0])),\"peerConnections\":{\"PC_0\":[\(log.joined(separator: ","))]}}"
    )
  }

  /// SIP over UDP: the texts stand in headers, in reason phrases and in bodies.
  private static func capture(_ texts: [String]) -> Data {
    func big(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    var file: [UInt8] =
      [0xA1, 0xB2, 0xC3, 0xD4] + big(2, 2) + big(4, 2) + big(0, 8) + big(65535, 4) + big(101, 4)
    for (index, text) in texts.enumerated() {
      for first in ["INVITE sip:b@h.example SIP/2.0", "SIP/2.0 486 \(flat(text))"] {
        let body = text.hasPrefix("v=0") ? text + "m=audio 5000 RTP/AVP 0\r\n" : flat(text)
        let sip = Array(
          ("\(first)\r\nCall-ID: \(flat(text))\r\nFrom: <\(text.hasPrefix("sip:") ? text : "sip:a@h.example")>;tag=1\r\nTo: <sip:b@h.example>\r\n"
            + "CSeq: \(index) INVITE\r\nUser-Agent: \(flat(text))\r\nReason: \(flat(text))\r\nContent-Type: application/sdp\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
        let udp = big(5060, 2) + big(5060, 2) + big(8 + sip.count, 2) + [0, 0] + sip
        let ip =
          [0x45, 0] + big(20 + udp.count, 2) + [0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 10, 198, 51, 100, 20]
          + udp
        file += big(1_795_226_153 + index, 4) + big(0, 4) + big(ip.count, 4) + big(ip.count, 4) + ip
      }
    }
    return Data(file)
  }
}
