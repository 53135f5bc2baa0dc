import CallModel
import Testing

@Suite("TCP: what the capture misses is not what the receiver missed")
struct TCPTests {
  typealias C = CaptureBuilder

  /// Events of a kind, with their times in ms since the capture began.
  private func times(_ event: EventName, _ read: Recorder, since startUs: Int64) -> [Double] {
    read.events.filter { $0.event == event }.compactMap(\.timeMs)
      .map { ($0 - Double(startUs) / 1000).rounded() }.sorted()
  }

  /// Sound of A in TURN ChannelData, or framed by RFC 4571, that is not aligned to segments.
  private func sound(framed: Bool, missing: Set<Int>, acknowledges: Bool = true) -> ConnectionBuilder {
    var connection = ConnectionBuilder()
    connection.port = framed ? 9000 : 3478
    connection.missing = missing
    connection.acknowledges = acknowledges
    var waiting: [UInt8] = []
    for n in 0..<600 {
      let rtp = C.rtp(type: 111, sequence: n, timestamp: 960 * n, payload: 81)
      let channel = [0x40, 0x00] + C.be16(rtp.count) + rtp + [0, 0, 0]
      waiting += framed ? C.be16(rtp.count) + rtp : channel
      guard waiting.count >= 250 else { continue }
      connection.send(Array(waiting.prefix(250)), atMs: 20 * Double(n))
      waiting.removeFirst(250)
    }
    return connection
  }

  @Test(
    "a segment that was acknowledged and not captured costs what was in it, and is no loss",
    arguments: [false, true])
  func mediaBehindHole(framed: Bool) throws {
    let whole = try Recorder.read(sound(framed: framed, missing: []).builder.pcap())
    let read = try Recorder.read(sound(framed: framed, missing: [60]).builder.pcap())
    let (before, after) = (try #require(whole.streams.first), try #require(read.streams.first))
    #expect(read.streams.count == 1)
    #expect((before.totals.packets ?? 0) - (after.totals.packets ?? 0) <= 4)
    #expect(after.totals.lost == 0)
    #expect((after.totals.maxDeltaMs ?? 0) < 200)
    #expect(after.totals.extra?.contains("uncaptured") == true)
    #expect(read.notes.contains { $0.contains("in 1 place, 250 bytes") })
    #expect(whole.notes.allSatisfy { !$0.contains("TCP") })
    let concealed = try #require(read.samples[0]?.last?[.concealedSamples])
    #expect(concealed == whole.samples[0]?.last?[.concealedSamples])
  }

  @Test("without acknowledgements a hole is passed after a second, each packet at its own time")
  func unacknowledged() throws {
    let read = try Recorder.read(sound(framed: false, missing: [60], acknowledges: false).builder.pcap())
    let totals = try #require(read.streams.first).totals
    #expect((totals.packets ?? 0) >= 590 && totals.lost == 0)
    #expect((totals.maxDeltaMs ?? 0) < 200)
  }

  @Test("an ACK of a call that was not captured costs that message alone", arguments: [true, false])
  func missingSIPMessage(acknowledges: Bool) throws {
    var connection = ConnectionBuilder()
    connection.acknowledges = acknowledges
    connection.missing = [1]
    for n in 0..<3 { connection.call("call-\(n)", atMs: 15_000 * Double(n), seconds: 10) }
    let read = try Recorder.read(connection.builder.pcap())
    let start = connection.builder.startUs
    #expect(times(.callRequestSent, read, since: start) == [0, 15_000, 30_000])
    // Of the first the ACK is missing: it stood from the answer on at the latest.
    #expect(Set(times(.callEstablished, read, since: start)) == [2000, 17_030, 32_030])
    #expect(Set(times(.callEnded, read, since: start)) == [12_030, 27_030, 42_030])
  }

  @Test("what waits at the end of the capture is read, at its own time")
  func waitingAtTheEnd() throws {
    var connection = ConnectionBuilder()
    connection.acknowledges = false
    connection.missing = [1]
    connection.call("call-1", atMs: 0, seconds: 0.5)
    let read = try Recorder.read(connection.builder.pcap())
    #expect(Set(times(.callEnded, read, since: connection.builder.startUs)) == [2530])
  }

  @Test(
    "a direction that begins with something else is heard once a message begins",
    arguments: ["\r\n\r\n", "Content-Length: 4\r\n\r\nabcd", "what is this and why is it here"],
    [false, true])
  func strangeBeginning(first: String, hasSYN: Bool) throws {
    var connection = ConnectionBuilder()
    if hasSYN { connection.send([], atMs: -20, flags: 0x02) }
    connection.send(Array(first.utf8), atMs: -10)
    connection.call("call-1", atMs: 0, seconds: 1)
    let read = try Recorder.read(connection.builder.pcap())
    #expect(times(.callRequestSent, read, since: connection.builder.startUs) == [0])
    #expect(Set(times(.callEnded, read, since: connection.builder.startUs)) == [3030])
  }

  @Test("a SYN begins anew, whatever the connection before it carried")
  func anotherConnection() throws {
    var connection = ConnectionBuilder()
    connection.send([0x16, 3, 1, 2, 0] + [UInt8](repeating: 1, count: 600), atMs: -10)
    connection.send([], atMs: -5, flags: 0x02)
    connection.call("call-1", atMs: 0, seconds: 1)
    let read = try Recorder.read(connection.builder.pcap())
    #expect(times(.callRequestSent, read, since: connection.builder.startUs) == [0])
  }

  @Test("a WebSocket of which the beginning was not captured")
  func middleOfWebSocket() throws {
    let invite = CallBuilder.sip(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: CallBuilder.sdp("192.0.2.10", 40_000))
    let mask: [UInt8] = [1, 2, 3, 4]
    let frame =
      [0x81, 0x80 | 126] + C.be16(invite.count) + mask
      + invite.enumerated().map { $0.element ^ mask[$0.offset & 3] }
    for before in [[], [UInt8](repeating: 0xAA, count: 40)] {
      var connection = ConnectionBuilder()
      if !before.isEmpty { connection.send(before, atMs: -5) }
      connection.send(frame, atMs: 0, mss: 200)
      let read = try Recorder.read(connection.builder.pcap())
      #expect(read.events.contains { $0.event == .callRequestSent })
    }
  }

  @Test("a message that the snaplen cut tells what its head says")
  func cutMessage() throws {
    var connection = ConnectionBuilder()
    let invite = CallBuilder.sip(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: CallBuilder.sdp("192.0.2.10", 40_000))
    connection.send(invite, atMs: 0)
    connection.send(CallBuilder.sip("SIP/2.0 180 Ringing", "1 INVITE", toTag: "2"), atMs: 100, byB: true)
    let read = try Recorder.read(connection.builder.pcap(snaplen: 54 + invite.count - 40))
    #expect(read.events.contains { $0.event == .callRequestSent })
    #expect(read.events.contains { $0.event == .callRinging })
  }
}
