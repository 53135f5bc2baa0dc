import Foundation

/// Files of calls with much in them, as a client and a tap write them.
enum LargeCall {
  private static let startMs = 1_767_225_600_000.0

  static func ssrc(_ stream: Int) -> Int { 70_000_000 + stream * 1001 }

  /// What one end of a conference hears and sees: a report every two seconds, a line each; every second stream is a picture.
  static func conference(streams: Int, seconds: Int) -> Data {
    var lines = ""
    for second in stride(from: 0, through: seconds, by: 2) {
      let time = startMs + Double(second) * 1000
      let reports = (0..<streams).map { stream -> String in
        let isVideo = stream % 2 == 1
        let packets = second * (isVideo ? 120 : 50)
        // Each stream loses packets for ten seconds at a time of its own.
        let lost = second > stream * 30 ? min(second - stream * 30, 10) * 8 : 0
        let common = """
          "R\(stream)":{"id":"R\(stream)","timestamp":\(time),"type":"inbound-rtp","kind":"\(isVideo ? "video" : "audio")",\
          "ssrc":\(ssrc(stream)),"mid":"\(stream)","packetsReceived":\(packets - lost),"packetsLost":\(lost),\
          "bytesReceived":\(packets * (isVideo ? 1000 : 80)),"jitter":0.00\(stream % 9 + 1),
          """
        let own =
          isVideo
          ? """
          "framesDecoded":\(second * 30),"framesReceived":\(second * 30),"framesPerSecond":30,"frameWidth":640,\
          "frameHeight":360,"freezeCount":0,"totalFreezesDuration":0,"jitterBufferDelay":\(second * 2),\
          "jitterBufferEmittedCount":\(second * 30)}
          """
          : """
          "totalSamplesReceived":\(second * 48_000),"concealedSamples":\(lost * 960),"audioLevel":0.1,\
          "totalAudioEnergy":\(Double(second) * 0.01),"jitterBufferDelay":\(second * 2400),\
          "jitterBufferEmittedCount":\(second * 48_000)}
          """
        return common + own
      }
      lines += "{\"ts\":\(time),\"pc\":\"guest\",\"report\":{\(reports.joined(separator: ","))}}\n"
    }
    return Data(lines.utf8)
  }

  /// A capture of one SIP call: five messages until it stands, so many INFO with their answers, a BYE and its answer.
  static func signalling(questions: Int) -> Data {
    var capture = Data()
    for word in [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, 1] as [UInt32] { capture.add(word) }
    var reports = 0
    func add(_ text: String, fromCaller: Bool) {
      let atMs = startMs + Double(reports) * 250
      capture.addPacket(text, fromCaller: fromCaller, atMs: atMs)
      reports += 1
    }
    func request(_ method: String, _ number: Int, type: String? = nil, body: String = "") {
      add(message("\(method) sip:callee@192.0.2.2 SIP/2.0", number, method, type, body), fromCaller: true)
    }
    func response(_ status: String, _ number: Int, _ method: String, type: String? = nil, body: String = "") {
      add(message("SIP/2.0 \(status)", number, method, type, body), fromCaller: false)
    }
    request("INVITE", 1, type: "application/sdp", body: description("192.0.2.1", 40_000))
    response("100 Trying", 1, "INVITE")
    response("180 Ringing", 1, "INVITE")
    response("200 OK", 1, "INVITE", type: "application/sdp", body: description("192.0.2.2", 50_000))
    request("ACK", 1)
    for number in 2..<2 + questions {
      request("INFO", number)
      response(number % 20 == 0 ? "481 Call/Transaction Does Not Exist" : "200 OK", number, "INFO")
    }
    request("BYE", 2 + questions)
    response("200 OK", 2 + questions, "BYE")
    return capture
  }

  private static func message(
    _ first: String, _ number: Int, _ method: String, _ type: String?, _ body: String
  )
    -> String
  {
    """
    \(first)
    Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK\(method)\(number)
    From: <sip:caller@192.0.2.1>;tag=a1
    To: <sip:callee@192.0.2.2>\(first.contains("INVITE") || first.contains("100") ? "" : ";tag=b2")
    Call-ID: large-ladder@192.0.2.1
    CSeq: \(number) \(method)
    \(type.map { "Content-Type: \($0)\n" } ?? "")Content-Length: \(body.utf8.count)

    """.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n" + body
  }

  private static func description(_ address: String, _ port: Int) -> String {
    """
    v=0
    o=- 1 1 IN IP4 \(address)
    s=-
    c=IN IP4 \(address)
    t=0 0
    m=audio \(port) RTP/AVP 0
    a=rtpmap:0 PCMU/8000

    """.replacingOccurrences(of: "\n", with: "\r\n")
  }
}

extension Data {
  fileprivate mutating func add(_ word: UInt32) {
    Swift.withUnsafeBytes(of: word.littleEndian) { append(contentsOf: $0) }
  }

  /// A record of a capture: Ethernet, IPv4, UDP between the ports of SIP. Checksums of 0 are not looked at.
  fileprivate mutating func addPacket(_ text: String, fromCaller: Bool, atMs: Double) {
    let (near, far): ([UInt8], [UInt8]) =
      fromCaller ? ([192, 0, 2, 1], [192, 0, 2, 2]) : ([192, 0, 2, 2], [192, 0, 2, 1])
    func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    var packet: [UInt8] = Array(repeating: 2, count: 12) + [8, 0]
    packet += [0x45, 0] + big(28 + text.utf8.count) + [0, 0, 0, 0, 64, 17, 0, 0] + near + far
    packet += big(5060) + big(5060) + big(8 + text.utf8.count) + [0, 0] + Array(text.utf8)
    add(UInt32(atMs / 1000))
    add(UInt32(atMs.truncatingRemainder(dividingBy: 1000) * 1000))
    add(UInt32(packet.count))
    add(UInt32(packet.count))
    append(contentsOf: packet)
  }
}
