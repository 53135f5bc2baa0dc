/// A SIP call that goes on beyond its setup, for tests: A calls, B answers with tag 2 at one second, and both talk.
struct TalkBuilder {
  typealias C = CaptureBuilder

  var builder = C()
  private var numbers = [0, 0]
  private var timestamps = [0, 0]

  init() {
    request(0, "INVITE", 1, body: CallBuilder.sdp("192.0.2.10", 40_000), toTag: "")
    answer(1000, "200 OK", "1 INVITE", body: CallBuilder.sdp("198.51.100.20", 50_000))
    request(1050, "ACK", 1)
  }

  /// A request of A, or of B.
  mutating func request(
    _ ms: Double, _ method: String, _ number: Int, body: String = "", extra: String = "", toTag: String = "2",
    content: String = "application/sdp", byB: Bool = false
  ) {
    let message = CallBuilder.sip(
      "\(method) sip:bob@example.org SIP/2.0", "\(number) \(method)", body: body, extra: extra, toTag: toTag,
      content: content)
    send(ms, byB ? Self.turned(message) : message, back: byB)
  }

  /// An answer of B to A, or of A to B.
  mutating func answer(
    _ ms: Double, _ status: String, _ sequence: String, body: String = "", byA: Bool = false
  ) {
    let message = CallBuilder.sip("SIP/2.0 \(status)", sequence, body: body, toTag: "2")
    send(ms, byA ? Self.turned(message) : message, back: !byA)
  }

  /// A description offered, and answered so long after.
  mutating func agree(
    _ ms: Double, _ number: Int, offer: String, answer reply: String, byB: Bool = false, afterMs: Double = 10
  ) {
    request(ms, "INVITE", number, body: Self.sdp(offer, ofB: byB), byB: byB)
    answer(ms + afterMs, "200 OK", "\(number) INVITE", body: Self.sdp(reply, ofB: !byB), byA: byB)
    request(ms + afterMs + 10, "ACK", number, byB: byB)
  }

  /// A description of an end: the direction of its sound, or the address `0.0.0.0`.
  static func sdp(_ direction: String, ofB: Bool) -> String {
    let whole = CallBuilder.sdp(ofB ? "198.51.100.20" : "192.0.2.10", ofB ? 50_000 : 40_000)
    if direction == "0.0.0.0" {
      return whole.replacing("c=IN IP4 192.0.2.10", with: "c=IN IP4 0.0.0.0")
    }
    return whole + "a=\(direction)\r\n"
  }

  /// Sound every 20 ms of A, or of B; `skipping` so much of RTP time before.
  mutating func talk(from start: Double, to end: Double, byB: Bool, skippingMs: Double = 0) {
    let side = byB ? 1 : 0
    timestamps[side] += Int(skippingMs * 48)
    for ms in stride(from: start, to: end, by: 20) {
      let rtp = C.rtp(
        type: 98, sequence: numbers[side], timestamp: timestamps[side], ssrc: 7 + side, payload: 60)
      builder.addUDP(rtp, atMs: ms, back: byB)
      numbers[side] += 1
      timestamps[side] += 960
    }
  }

  /// What a capture at one end gives.
  func read(at end: String = "caller") throws -> Recorder {
    var sorted = builder
    sorted.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(sorted.pcap(), name: "\(end).pcap")
  }

  private mutating func send(_ ms: Double, _ message: [UInt8], back: Bool) {
    builder.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
  }

  /// The same of a request of B: From and To change places.
  private static func turned(_ message: [UInt8]) -> [UInt8] {
    let text = String(decoding: message, as: UTF8.self)
      .replacing("From: <sip:alice@example.org>;tag=1", with: "From: <sip:bob@example.org>;tag=2")
      .replacing("To: <sip:bob@example.org>;tag=2", with: "To: <sip:alice@example.org>;tag=1")
    return Array(text.utf8)
  }
}
