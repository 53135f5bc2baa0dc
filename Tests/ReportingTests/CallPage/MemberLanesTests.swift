import CallModel
import Testing

@testable import CallViews

@Suite("Members that a reader may draw")
struct MemberLanesTests {
  private func stream(_ direction: StreamDirection, _ source: StreamSource = .stats) -> StreamAccount {
    StreamAccount(
      key: 1, source: source, chosen: true, direction: direction, kind: .audio, codec: nil, ssrc: 1,
      screen: false, firstMs: nil, lastMs: nil, figures: [:])
  }

  @Test("have the names that W3C gives them, behind the type of another report; captures have columns")
  func names() {
    #expect(DrawnMember(.packets, stream(.inbound)).title == "packetsReceived")
    #expect(DrawnMember(.packets, stream(.outbound)).title == "packetsSent")
    #expect(DrawnMember(.frames, stream(.outbound)).title == "framesEncoded")
    #expect(DrawnMember(.lost, stream(.inbound)).title == "packetsLost")
    #expect(DrawnMember(.lost, stream(.outbound)).title == "remote-inbound-rtp.packetsLost")
    #expect(DrawnMember(.rttMs, stream(.inbound)).title == "remote-outbound-rtp.roundTripTime")
    #expect(DrawnMember(.playoutSamples, stream(.inbound)).title == "media-playout.totalSamplesCount")
    #expect(DrawnMember(.expected, stream(.inbound, .capture)).title == "expected (capture)")
    #expect(DrawnMember(.packets, stream(.inbound)).unit == "packets")
  }

  @Test("sums are drawn by what they are sums over, with the unit of one of them, and enumerations as words")
  func means() {
    let decoding = DrawnMember(.decodeMs, stream(.inbound))
    #expect(
      decoding.title == "totalDecodeTime / framesDecoded" && decoding.unit == "ms" && !decoding.isCounter)
    #expect(DrawnMember(.processingDelayMs, stream(.inbound)).title.hasSuffix("/ jitterBufferEmittedCount"))
    #expect(DrawnMember(.qpSum, stream(.outbound)).title == "qpSum / framesEncoded")
    #expect(DrawnMember(.limitedBy, stream(.outbound)).words == ["none", "cpu", "bandwidth", "other"])
    #expect(DrawnMember(.limitedBy, stream(.outbound)).unit.isEmpty)
    // Whatever else grows is a growth a second; a sum over something is none.
    for metric in Metric.allCases where metric.info.summary.hasPrefix("Sum over") {
      #expect(StreamMemberSeries.counter(of: metric, .video) != nil, "\(metric)")
    }
  }

  @Test("of those without a column the counters are growth a second, in callqa's unit")
  func extras() {
    #expect(DrawnMember(extra: "totalAssemblyTime", group: .streams).unit == "ms")
    #expect(DrawnMember(extra: "remote-inbound-rtp.totalRoundTripTime", group: .streams).isCounter)
    #expect(DrawnMember(extra: "psnrSum.y", group: .streams).isCounter)
    #expect(!DrawnMember(extra: "media-source.framesPerSecond", group: .streams).isCounter)
    #expect(!DrawnMember(extra: "powerEfficientDecoder", group: .streams).isCounter)
    var series = ExtraSeries(.streams)
    series.take(#"{"totalAssemblyTime":1,"powerEfficientDecoder":true,"decoder":"x"}"#, atMs: 0)
    for second in 1...45 {
      // It is told every 5 s while it grows: 10 to 25 s it stood still, as it does from 30 s on.
      let samples = [
        4: #"{"powerEfficientDecoder":false}"#, 5: #"{"totalAssemblyTime":1.5}"#,
        10: #"{"totalAssemblyTime":2}"#, 30: #"{"totalAssemblyTime":3}"#,
      ]
      series.take(samples[second], atMs: Double(second) * 1000)
    }
    let drawn = Dictionary(uniqueKeysWithValues: series.all.map { ($0.0.name, $0.1.points) })
    #expect(drawn.count == 2)
    #expect(drawn["totalAssemblyTime"]?.map(\.high) == [0, 100, 100, 0, 0, 200, 0])
    #expect(drawn["totalAssemblyTime"]?.map(\.atMs) == [0, 5000, 10_000, 15_000, 25_000, 30_000, 35_000])
    #expect(drawn["powerEfficientDecoder"]?.map(\.high) == [1, 0])
  }

  @Test("a member without a column is a counter or a gauge by its name")
  func countersByName() {
    let counters = [
      "totalAssemblyTime", "packetsRepaired", "burstLossCount", "partialFramesLost", "rtxPacketsDiscarded",
      "synthesizedSamplesEvents", "relativePacketArrivalDelay", "transport.packetsSent",
      "remote-inbound-rtp.roundTripTimeMeasurements", "psnrSum", "googDecodingCTN", "googAdaptationChanges",
    ]
    let gauges = [
      "burstLossRate", "media-source.framesPerSecond", "media-source.width", "frameBitDepth", "framerateMean",
      "minPlayoutDelay", "averageRtcpInterval", "bitrate", "googFrameRateReceived", "googTargetDelayMs",
      "score",
    ]
    for name in counters { #expect(DrawnMember(extra: name, group: .streams).isCounter, "\(name)") }
    for name in gauges { #expect(!DrawnMember(extra: name, group: .streams).isCounter, "\(name)") }
    #expect(DrawnMember(extra: "relativePacketArrivalDelay", group: .streams).unit == "ms")
  }

  @Test("of points that say the same the first and the last are drawn")
  func repeats() {
    var series = Series()
    for (second, value) in [0.0, 0, 0, 0, 5, 5, 0].enumerated() { series.append(Double(second), value) }
    #expect(series.withoutRepeats.points.map(\.atMs) == [0, 3, 4, 5, 6])
  }
}
