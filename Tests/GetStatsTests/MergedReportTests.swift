import CallModel
import Testing

@Suite("A report merged with its remote report is read as both")
struct MergedReportTests {
  private static let inbound =
    "\"packetsReceived\":%,\"packetsLost\":2,\"jitter\":0.008,\"concealedSamples\":480,\"remoteId\":\"RO\",\"mid\":\"0\""
  private static let farOutbound =
    "\"packetsSent\":%,\"bytesSent\":900,\"reportsSent\":3,\"remoteTimestamp\":1,\"roundTripTime\":0.05,\"localId\":\"IT\""
  private static let outbound =
    "\"packetsSent\":%,\"retransmittedPacketsSent\":1,\"targetBitrate\":32000,\"remoteId\":\"RI\",\"mediaSourceId\":\"SA\""
  private static let farInbound =
    "\"packetsLost\":5,\"jitter\":0.004,\"fractionLost\":0.5,\"roundTripTime\":0.05,\"localId\":\"OT\""

  private static func ms(_ second: Int) -> Int { 1_700_000_000_000 + second * 1000 }

  private func report(
    _ id: String, _ type: String, _ ssrc: Int, _ second: Int, ageMs: Int = 0, _ members: String...
  ) -> String {
    "{\"id\":\"\(id)\",\"timestamp\":\(Self.ms(second) - ageMs),\"type\":\"\(type)\",\"kind\":\"audio\",\"ssrc\":\(ssrc),"
      + members.joined(separator: ",").replacing("%", with: "\(second * 50)") + "}"
  }

  /// Reports as `{...report, ...stats.get(report.remoteId), ...codec}` leaves them; the first poll knows of no far end.
  private func merged(_ second: Int) -> (inbound: String, outbound: String) {
    guard second > 1 else {
      return (
        report("IT", "inbound-rtp", 7, second, Self.inbound),
        report("OT", "outbound-rtp", 8, second, Self.outbound)
      )
    }
    let codec = "\"clockRate\":48000,\"mimeType\":\"audio/opus\",\"payloadType\":111"
    return (
      report("RO", "remote-outbound-rtp", 7, second, ageMs: 700, Self.inbound, Self.farOutbound, codec),
      report("RI", "remote-inbound-rtp", 8, second, ageMs: 300, Self.outbound, Self.farInbound, codec)
    )
  }

  /// A line as peermetrics' WebRTCStats writes it, and plainer ones.
  private func line(_ second: Int, _ shape: String) -> String {
    let (inbound, outbound) = merged(second)
    let head = "\"timestamp\":\(Self.ms(second)),\"connectionId\":\"c\""
    if shape == "list" { return "{\(head),\"stats\":[\(inbound),\(outbound)]}" }
    if shape == "by the id of the stream" {
      return "{\(head),\"stats\":{\"IT\":\(inbound),\"OT\":\(outbound)}}"
    }
    let far =
      second > 1
      ? "\"inbound\":{\"RI\":\(report("RI", "remote-inbound-rtp", 8, second, ageMs: 300, Self.farInbound))},"
        + "\"outbound\":{\"RO\":\(report("RO", "remote-outbound-rtp", 7, second, ageMs: 700, Self.farOutbound))}"
      : ""
    let whole =
      shape == "with the reports as they were"
      ? ",\"statsObject\":{\"IT\":\(report("IT", "inbound-rtp", 7, second, Self.inbound)),"
        + "\"OT\":\(report("OT", "outbound-rtp", 8, second, Self.outbound))}" : ""
    return "{\"event\":\"stats\",\(head),\"data\":{\"audio\":{\"inbound\":{\"IT\":\(inbound)},"
      + "\"outbound\":{\"OT\":\(outbound)}},\"remote\":{\"audio\":{\(far)}}}\(whole)}"
  }

  @Test(
    "in every place it may stand in",
    arguments: ["peermetrics", "list", "by the id of the stream", "with the reports as they were"])
  func merged(shape: String) throws {
    let sink = try readSource(
      (1...4).map { line($0, shape) }.joined(separator: "\n"), as: .getstatsLines)
    #expect(sink.streams.count == 2, "\(sink.streams)")
    let received = try #require(sink.streams(.inbound).first)
    #expect(received.times == (1...4).map { Double(Self.ms($0)) }, "the time of the poll")
    #expect(received.series(.packets) == [50, 100, 150, 200])
    #expect(received.series(.lost) == [2, 2, 2, 2] && received.series(.jitterMs) == [8, 8, 8, 8])
    #expect(received.series(.concealedSamples) == [480, 480, 480, 480])
    #expect(received.series(.farPackets) == [nil, 100, 150, 200] && received.last(.rttMs) == 50)
    let sent = try #require(sink.streams(.outbound).first)
    #expect(sent.series(.packets) == [50, 100, 150, 200] && sent.series(.rtxPackets) == [1, 1, 1, 1])
    #expect(sent.series(.rttMs) == [nil, 50, 50, 50] && sent.series(.lost) == [nil, 5, 5, 5])
    #expect(sent.series(.jitterMs) == [nil, 4, 4, 4] && sent.series(.fractionLost) == [nil, 0.5, 0.5, 0.5])
    #expect(sink.notes.keys.allSatisfy { $0.hasPrefix("reports of streams merged") }, "\(sink.notes)")
    #expect(shape == "with the reports as they were" || received.facts.codec == "opus")
  }

  @Test("a remote report with all counters printed as zero is only a remote report")
  func printedZeros() throws {
    let line =
      "{\"timestamp\":\(Self.ms(2)),\"connectionId\":\"c\",\"stats\":["
      + report("IT", "inbound-rtp", 7, 2, Self.inbound) + ","
      + report("RO", "remote-outbound-rtp", 7, 2, Self.farOutbound, "\"packetsReceived\":0") + "]}"
    let sink = try readSource(line, as: .getstatsLines)
    #expect(sink.streams.count == 1 && sink.streams(.inbound).first?.last(.packets) == 100)
    #expect(sink.notes.isEmpty)
  }
}
