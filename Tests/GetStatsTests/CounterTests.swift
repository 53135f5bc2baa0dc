import CallModel
import Testing

@testable import GetStats

@Suite("Counters are validated")
struct CounterTests {
  private func line(_ time: Double, _ members: String, poll: Double? = nil, id: String = "I") -> String {
    "{\"ts\":\(poll ?? time),\"pc\":\"x\",\"report\":{\"\(id)\":{\"id\":\"\(id)\",\"type\":\"inbound-rtp\",\"timestamp\":\(time),\(members)}}}\n"
  }

  @Test("a lost count that wrapped below zero is negative, other figures below zero are unknown")
  func wraps() throws {
    let sink = try readSource(
      line(1.7e12, "\"ssrc\":1,\"packetsLost\":4294967290,\"packetsReceived\":-5,\"bytesReceived\":10"))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.last(.lost) == -6)
    #expect(stream.last(.packets) == nil)
    #expect(stream.last(.bytes) == 10)
    #expect(sink.notes.count == 2)
  }

  @Test(
    "figures of the path below zero or beyond 2^53 are unknown, and noted, and what was known before is no more"
  )
  func impossiblePath() throws {
    let lines = [("0.05", "1000"), ("-1", "1e17")].enumerated().map { second, figures in
      let time = 1_700_000_000_000 + second * 1000
      return "{\"ts\":\(time),\"pc\":\"x\",\"report\":{\"P\":{\"id\":\"P\",\"type\":\"candidate-pair\","
        + "\"timestamp\":\(time),\"nominated\":true,\"state\":\"succeeded\",\"currentRoundTripTime\":\(figures.0),"
        + "\"availableOutgoingBitrate\":300000,\"bytesSent\":\(figures.1)}}}\n"
    }
    let sink = try readSource(lines.joined())
    let path = try #require(sink.transports[0])
    #expect(path.map(\.rttMs) == [50, nil])
    #expect(path.map(\.bytesSent) == [1000, nil])
    #expect(sink.notes["below zero, taken as unknown: candidate-pair.currentRoundTripTime"] == 1)
    #expect(sink.notes["beyond 2^53, taken as unknown: candidate-pair.bytesSent"] == 1)
  }

  @Test(
    "text that holds a figure and is no number is unknown, and noted by its member; what says nothing is not")
  func noNumbers() throws {
    let sink = try readSource(
      line(
        1.7e12,
        "\"ssrc\":1,\"packetsReceived\":\"1,234\",\"jitter\":\"0,012\",\"bytesReceived\":\"75n\",\"packetsLost\":\"3\","
          + "\"nackCount\":\"\",\"pliCount\":\"NaN\",\"firCount\":null"))
    let stream = try #require(sink.streams(.inbound).first)
    for metric: Metric in [.packets, .jitterMs, .bytes, .nack, .pli, .fir] {
      #expect(stream.last(metric) == nil)
    }
    #expect(stream.last(.lost) == 3)
    #expect(
      sink.notes.keys.sorted()
        == ["bytesReceived", "jitter", "packetsReceived"].map {
          "no number, taken as unknown: inbound-rtp.\($0)"
        })
  }

  @Test("an impossible figure in a delta is unknown, not unchanged")
  func impossibleDelta() throws {
    let sink = try readSource(
      [
        #"["getstats","PC_0",{"A":{"timestamp":0,"type":"inbound-rtp","ssrc":1,"packetsReceived":5,"nackCount":2},"timestamp":1700000001000},1700000001000]"#,
        #"["getstats","PC_0",{"A":{"timestamp":0,"packetsReceived":9,"nackCount":-1},"timestamp":1700000002000},1700000002000]"#,
      ].map { $0 + "\n" }.joined(), as: .rtcstatsV2)
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.series(.packets) == [5, 9])
    #expect(stream.series(.nack) == [2, nil])
  }

  @Test("another SSRC under the same id is another stream; the same SSRC under another id is the same")
  func ssrcChange() throws {
    let sink = try readSource(
      line(1.7e12, "\"ssrc\":1,\"packetsReceived\":5")
        + line(1.7e12 + 1000, "\"ssrc\":2,\"packetsReceived\":1")
        + line(1.7e12 + 2000, "\"ssrc\":1,\"packetsReceived\":9", id: "J"))
    #expect(sink.streams(.inbound).map { $0.series(.packets) } == [[5, 9], [1]])
  }

  @Test("duplicate answers count once; unordered lines are accepted")
  func repeats() throws {
    let sink = try readSource(
      line(1.7e12, "\"ssrc\":1,\"packetsReceived\":5")
        + line(1.7e12, "\"ssrc\":1,\"packetsReceived\":5", poll: 1.7e12 + 9)
        + line(1.7e12 + 2000, "\"ssrc\":1,\"packetsReceived\":9")
        + line(1.7e12 + 1000, "\"ssrc\":1,\"packetsReceived\":7"))
    #expect(sink.streams(.inbound).first?.times == [1.7e12, 1.7e12 + 2000, 1.7e12 + 1000])
  }

  @Test("microseconds, seconds, ISO dates and page clocks are converted to the epoch")
  func clocks() throws {
    for (written, expected) in [
      ("1700000000000000", 1.7e12), ("1700000000.5", 1_700_000_000_500),
      ("\"2023-11-14T22:13:20.250Z\"", 1_700_000_000_250),
      ("250", 1_700_000_000_000),
    ] {
      let text =
        "{\"ts\":1700000000000,\"pc\":\"x\",\"report\":{\"I\":{\"type\":\"inbound-rtp\",\"timestamp\":\(written),\"packetsReceived\":1}}}"
      #expect(try readSource(text).streams(.inbound).first?.times == [expected], "\(written)")
    }
  }

  @Test("strings are read as numbers, nulls and NaN text as unknown")
  func strings() throws {
    let sink = try readSource(
      line(
        1.7e12,
        "\"ssrc\":\"12\",\"packetsReceived\":\"50\",\"jitter\":null,\"bytesReceived\":\"NaN\",\"audioLevel\":1e999"
      ))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.facts.ssrc == 12)
    #expect(stream.last(.packets) == 50)
    #expect(stream.last(.jitterMs) == nil)
    #expect(stream.last(.bytes) == nil)
    #expect(stream.last(.audioLevel) == nil)
  }

  @Test("an SSRC written as a signed 32-bit number is converted")
  func signedSSRC() throws {
    let sink = try readSource(
      line(1.7e12, "\"ssrc\":-2097881052,\"rtxSsrc\":\"-1\",\"packetsReceived\":50"))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.facts.ssrc == 2_197_086_244 && stream.facts.rtxSsrc == .max)
    #expect(sink.notes.keys.sorted() == ["SSRCs below zero: read as numbers of 32 bits without a sign"])
    let odd = try readSource(line(1.7e12, "\"ssrc\":-2.5,\"packetsReceived\":50"))
    #expect(odd.streams(.inbound).first?.facts.ssrc == nil)
    #expect(odd.notes.keys.sorted() == ["below zero, taken as unknown: inbound-rtp.ssrc"])
  }

  @Test("jitter that cannot be in seconds is unknown")
  func otherUnits() throws {
    let sink = try readSource(
      [("0.02", 1), ("1.5e8", 2), ("960", 3)].map { jitter, second in
        line(
          1.7e12 + Double(second) * 1000, "\"ssrc\":1,\"packetsReceived\":\(second * 50),\"jitter\":\(jitter)"
        )
      }.joined())
    #expect(sink.streams(.inbound).first?.series(.jitterMs) == [20, nil, nil])
    #expect(sink.notes.keys.contains { $0.hasPrefix("jitter of 10 s and more") })
  }

  @Test("aiortc: jitter in RTP units, loss as a byte, reports joined by their number")
  func aiortc() throws {
    let text = """
      {"ts":1700000000000,"pc":"x","report":{\
      "outbound-rtp_11":{"id":"outbound-rtp_11","type":"outbound-rtp","timestamp":1700000000000,"ssrc":5,"kind":"audio","packetsSent":9},\
      "remote-inbound-rtp_11":{"id":"remote-inbound-rtp_11","type":"remote-inbound-rtp","timestamp":1700000000000,"ssrc":99,"kind":"audio","packetsLost":3,"jitter":96,"fractionLost":64,"roundTripTime":0.01},\
      "inbound-rtp_12":{"id":"inbound-rtp_12","type":"inbound-rtp","timestamp":1700000000000,"ssrc":6,"kind":"video","packetsReceived":9,"jitter":900}}}
      """
    let sink = try readSource(text)
    let out = try #require(sink.streams(.outbound).first)
    #expect(out.last(.lost) == 3)
    #expect(out.last(.jitterMs) == 2)
    #expect(out.last(.fractionLost) == 0.25)
    #expect(sink.streams(.inbound).first?.last(.jitterMs) == 10)
  }

  @Test("a round trip longer than a connection lasts, or in whole seconds, is rejected; a long one is not")
  func roundTrips() throws {
    let lines = ["0.06", "4294967.295", "60", "1.5", "61.25"].enumerated().map { index, seconds in
      let time = 1_700_000_000_000 + 1000 * index
      return "{\"ts\":\(time),\"pc\":\"a\",\"report\":[{\"id\":\"P\",\"type\":\"candidate-pair\","
        + "\"timestamp\":\(time),\"nominated\":true,\"state\":\"succeeded\",\"bytesReceived\":\(index),"
        + "\"availableOutgoingBitrate\":\(index + 1),\"currentRoundTripTime\":\(seconds)}]}"
    }
    let sink = try readSource(lines.joined(separator: "\n"))
    #expect(sink.transports[0]?.map(\.rttMs) == [60, nil, nil, 1500, nil])
    let words =
      "round trips of over 30 s or of whole seconds, taken as unknown: candidate-pair.currentRoundTripTime"
    #expect(sink.notes[words] != nil, "\(sink.notes)")
  }

  @Test("a number with its type beside it")
  func typedNumbers() throws {
    let line =
      "{\"ts\":1700000000000,\"pc\":\"a\",\"report\":[{\"id\":\"I\",\"type\":\"inbound-rtp\",\"kind\":\"video\","
      + "\"timestamp\":1700000000000,\"ssrc\":{\"$numberLong\":\"3735928559\"},\"packetsReceived\":{\"$numberInt\":\"7\"}}]}"
    let stream = try #require(try readSource(line).streams(.inbound).first)
    #expect(stream.facts.ssrc == 3_735_928_559)
    #expect(stream.series(.packets) == [7])
  }
}
