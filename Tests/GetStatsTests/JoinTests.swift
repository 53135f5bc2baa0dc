import CallModel
import Testing

@Suite("Related reports are joined")
struct JoinTests {
  /// A line of a run log with the given reports.
  private func line(_ second: Int, _ reports: [String]) -> String {
    let time = 1_700_000_000_000 + second * 1000
    let members = reports.map { report in
      "\"\(report.split(separator: " ")[0])\":{\"id\":\"\(report.split(separator: " ")[0])\",\"timestamp\":\(report.contains("\"timestamp\"") ? "0" : "\(time)"),"
        + report.split(separator: " ", maxSplits: 1)[1] + "}"
    }
    return "{\"ts\":\(time),\"pc\":\"caller\",\"report\":{\(members.joined(separator: ","))}}\n"
  }

  private func remote(_ time: Int, lost: Int, rtt: Double) -> String {
    "RI \"type\":\"remote-inbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"localId\":\"O\",\"packetsLost\":\(lost),"
      + "\"roundTripTime\":\(rtt),\"fractionLost\":0.5,\"jitter\":0.004,\"timestamp\":\(time)"
  }

  private func outbound(_ packets: Int, _ more: String = "") -> String {
    "O \"type\":\"outbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"remoteId\":\"RI\",\"packetsSent\":\(packets)\(more)"
  }

  @Test("remote gauges count once per RTCP packet, remote counters always")
  func remoteReports() throws {
    let sink = try readSource(
      line(1, [outbound(10), remote(1_700_000_000_500, lost: 1, rtt: 0.05)])
        + line(2, [outbound(20), remote(1_700_000_000_500, lost: 1, rtt: 0.05)])
        + line(3, [remote(1_700_000_002_500, lost: 3, rtt: 0.06), outbound(30)])
        + line(4, [outbound(40)]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.rttMs) == [50, nil, 60, nil])
    #expect(stream.series(.fractionLost) == [0.5, nil, 0.5, nil])
    #expect(stream.series(.lost) == [1, 1, 3, nil])
    #expect(stream.series(.packets) == [10, 20, 30, 40])
  }

  @Test(
    "a report of the far end without a time of its own counts where it says something new; its round trip holds"
  )
  func repeatedReports() throws {
    func remote(_ lost: Int, _ rtt: Double) -> String {
      "RI \"type\":\"remote-inbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"localId\":\"O\",\"packetsLost\":\(lost),"
        + "\"roundTripTime\":\(rtt),\"fractionLost\":0.5,\"jitter\":0.004"
    }
    let sink = try readSource(
      line(1, [outbound(10), remote(1, 0.05)]) + line(2, [outbound(20), remote(1, 0.05)])
        + line(3, [outbound(30), remote(3, 0.05)]) + line(4, [outbound(40), remote(3, 0.05)]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.fractionLost) == [0.5, nil, 0.5, nil])
    #expect(stream.series(.jitterMs) == [4, nil, 4, nil])
    #expect(stream.series(.rttMs) == [50, 50, 50, 50])
    #expect(stream.series(.lost) == [1, 1, 3, 3])
  }

  @Test("the same for remote figures in the sender's report")
  func repeatedOwnReports() throws {
    func sent(_ packets: Int, _ jitter: Int) -> String {
      "ssrc_7_send \"type\":\"ssrc\",\"ssrc\":\"7\",\"mediaType\":\"audio\",\"packetsSent\":\"\(packets)\","
        + "\"packetsLost\":\"0\",\"googRtt\":\"40\",\"googJitterReceived\":\"\(jitter)\""
    }
    let sink = try readSource(
      line(1, [sent(10, 3)]) + line(2, [sent(20, 3)]) + line(3, [sent(30, 4)]) + line(4, [sent(40, 4)]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.jitterMs) == [3, nil, 4, nil])
    #expect(stream.series(.rttMs) == [40, 40, 40, 40])
  }

  @Test("figures of sender reports are stored once per report, with its time")
  func senderReports() throws {
    func remote(_ time: Int, _ packets: Int) -> String {
      "RO \"type\":\"remote-outbound-rtp\",\"ssrc\":9,\"kind\":\"audio\",\"localId\":\"I\",\"packetsSent\":\(packets),\"timestamp\":\(time)"
    }
    let inbound =
      "I \"type\":\"inbound-rtp\",\"ssrc\":9,\"kind\":\"audio\",\"remoteId\":\"RO\",\"packetsReceived\":5"
    let sink = try readSource(
      line(1, [inbound, remote(1_700_000_000_500, 40)]) + line(2, [inbound, remote(1_700_000_000_500, 40)])
        + line(3, [inbound, remote(1_700_000_002_600, 130)])
        + line(4, [inbound, remote(1_700_000_004_000, 180)])
        + line(5, [inbound]))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(
      stream.series(.farPackets) == [40, nil, 130, nil, nil],
      "a report that is as old as the poll has no time of its own")
    #expect(stream.series(.farPacketsMs) == [1_700_000_000_500, nil, 1_700_000_002_600, nil, nil])
    #expect(stream.series(.packets) == [5, 5, 5, 5, 5])
  }

  @Test("captured frames come from the media source, for each encoding")
  func cameraSource() throws {
    func source(_ frames: Int) -> String {
      "SV2 \"type\":\"media-source\",\"kind\":\"video\",\"frames\":\(frames),\"width\":640,\"framesPerSecond\":20"
    }
    func picture(_ id: Int, _ frames: Int) -> String {
      "O\(id) \"type\":\"outbound-rtp\",\"ssrc\":\(id),\"kind\":\"video\",\"mediaSourceId\":\"SV2\",\"framesEncoded\":\(frames)"
    }
    let sink = try readSource(
      line(1, [picture(8, 2), picture(9, 4), source(20)])
        + line(2, [picture(8, 3), picture(9, 5), source(40)]))
    #expect(sink.streams(.outbound).map { $0.series(.framesCaptured) } == [[20, 40], [20, 40]])
    #expect(sink.streams(.outbound).map { $0.series(.frames) } == [[2, 3], [4, 5]])
    #expect(sink.notes.isEmpty)
  }

  @Test("the microphone's level comes from the media source")
  func mediaSource() throws {
    func source(_ energy: Double) -> String {
      "SA1 \"type\":\"media-source\",\"kind\":\"audio\",\"audioLevel\":0.25,\"totalAudioEnergy\":\(energy),"
        + "\"totalSamplesDuration\":2,\"echoReturnLoss\":-30,\"somethingNew\":1"
    }
    func sound(_ packets: Int) -> String {
      "O \"type\":\"outbound-rtp\",\"ssrc\":8,\"kind\":\"audio\",\"mediaSourceId\":\"SA1\",\"packetsSent\":\(packets)"
    }
    let camera =
      "SV2 \"type\":\"media-source\",\"kind\":\"video\",\"frames\":20,\"width\":640,\"framesPerSecond\":20"
    let sink = try readSource(
      line(1, [sound(50), source(0.5), camera]) + line(2, [source(0.75), sound(100), camera])
        + line(3, [sound(150)]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.audioLevel) == [0.25, 0.25, nil])
    #expect(stream.series(.totalAudioEnergy) == [0.5, 0.75, nil])
    #expect(sink.notes.isEmpty)
  }

  @Test("obsolete track reports add what the stream's own report lacks")
  func tracks() throws {
    let track =
      "T \"type\":\"track\",\"kind\":\"video\",\"framesReceived\":9,\"frameWidth\":640,\"frameHeight\":360,\"freezeCount\":2"
    let inbound =
      "I \"type\":\"inbound-rtp\",\"ssrc\":9,\"mediaType\":\"video\",\"trackId\":\"T\",\"packetsReceived\":5"
    let stream = try #require(try readSource(line(1, [inbound, track])).streams(.inbound).first)
    #expect(stream.last(.width) == 640)
    #expect(stream.last(.framesReceived) == 9)
    #expect(stream.last(.freezeCount) == 2)
  }

  @Test("a codec of the other kind with a stream's codec id is not the stream's")
  func codecOfTheOtherKind() throws {
    func codec(_ name: String) -> String {
      "C1 \"type\":\"codec\",\"mimeType\":\"\(name)\",\"payloadType\":96,\"clockRate\":90000"
    }
    let inbound =
      "I \"type\":\"inbound-rtp\",\"ssrc\":9,\"kind\":\"audio\",\"codecId\":\"C1\",\"packetsReceived\":5"
    let sink = try readSource(
      line(1, [codec("video/VP8"), inbound]) + line(2, [codec("audio/opus"), inbound]))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.facts.codec == "opus")
    #expect(sink.eventNames.isEmpty)
  }

  @Test("what is said of a codec before any packet came is no codec that changed", arguments: [0, 5])
  func codecBeforePackets(first: Int) throws {
    func poll(_ second: Int, _ codec: String, _ packets: Int) -> String {
      line(
        second,
        [
          "C1 \"type\":\"codec\",\"mimeType\":\"audio/\(codec)\"",
          "I \"type\":\"inbound-rtp\",\"ssrc\":9,\"kind\":\"audio\",\"codecId\":\"C1\",\"packetsReceived\":\(packets)",
        ])
    }
    let sink = try readSource(poll(1, "PCMU", first) + poll(2, "opus", 50) + poll(3, "opus", 100))
    #expect(sink.eventNames == (first > 0 ? [.mediaCodecChanged] : []))
  }

  @Test("the luma PSNR of the encoder is a column; its colours are kept beside it")
  func psnr() throws {
    func report(_ second: Int, _ luma: Double) -> String {
      outbound(
        second,
        ",\"psnrSum\":{\"u\":\(luma + 2),\"y\":\(luma),\"v\":\(luma + 3)},\"psnrMeasurements\":\(second)")
    }
    let sink = try readSource(line(1, [report(1, 38)]) + line(2, [report(2, 78.5)]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.psnrSum) == [38, 78.5])
    #expect(stream.series(.psnrMeasurements) == [1, 2])
    #expect(stream.extras.last?.contains("\"psnrSum\":{\"u\":80.5") == true)
  }

  @Test("limits of quality, resolution and codec are events when they change")
  func changes() throws {
    let codecs = [
      "C1 \"type\":\"codec\",\"mimeType\":\"video/VP8\",\"payloadType\":96,\"clockRate\":90000",
      "C2 \"type\":\"codec\",\"mimeType\":\"video/h264\",\"payloadType\":102,\"clockRate\":90000",
    ]
    let first = outbound(
      1, ",\"qualityLimitationReason\":\"none\",\"frameWidth\":640,\"frameHeight\":360,\"codecId\":\"C1\"")
    let second = outbound(
      2,
      ",\"qualityLimitationReason\":\"cpu\",\"frameWidth\":320,\"frameHeight\":180,\"codecId\":\"C2\",\"qualityLimitationDurations\":{\"cpu\":1.5,\"none\":3}"
    )
    let sink = try readSource(
      line(1, [first] + codecs) + line(2, [second] + codecs) + line(3, [second] + codecs))
    #expect(
      sink.eventNames == [.mediaCodecChanged, .mediaQualityLimited, .mediaResolutionChanged])
    #expect(sink.events[1].record.args == "{\"direction\":\"outbound\",\"ssrc\":7,\"reason\":\"cpu\"}")
    #expect(
      sink.events[2].record.args
        == "{\"direction\":\"outbound\",\"ssrc\":7,\"from\":\"640x360\",\"to\":\"320x180\"}")
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.limitedBy) == [0, 1, 1])
    #expect(stream.series(.limitedByCpuMs) == [nil, 1500, 1500])
    #expect(stream.facts.codec == "H264")
  }

  @Test("the selected pair, its ends, its change, its certificates")
  func path() throws {
    let fixed = [
      "L1 \"type\":\"local-candidate\",\"address\":\"10.0.0.1\",\"port\":5000,\"protocol\":\"udp\",\"candidateType\":\"host\",\"networkType\":\"wifi\",\"usernameFragment\":\"uf\"",
      "L2 \"type\":\"local-candidate\",\"ip\":\"2001:db8::1\",\"port\":6000,\"protocol\":\"udp\",\"candidateType\":\"relay\",\"relayProtocol\":\"tls\"",
      "R \"type\":\"remote-candidate\",\"address\":\"10.0.0.9\",\"port\":7000,\"candidateType\":\"srflx\",\"usernameFragment\":\"rf\"",
      "P1 \"type\":\"candidate-pair\",\"localCandidateId\":\"L1\",\"remoteCandidateId\":\"R\",\"currentRoundTripTime\":0.02,\"availableOutgoingBitrate\":300000",
      "P2 \"type\":\"candidate-pair\",\"localCandidateId\":\"L2\",\"remoteCandidateId\":\"R\",\"currentRoundTripTime\":0.2",
      "CF1 \"type\":\"certificate\",\"fingerprint\":\"aa:bb\",\"fingerprintAlgorithm\":\"sha-256\",\"base64Certificate\":\"MII\"",
      "CF2 \"type\":\"certificate\",\"fingerprint\":\"CC:DD\"",
    ]
    let transport =
      "T \"type\":\"transport\",\"dtlsState\":\"connected\",\"localCertificateId\":\"CF1\",\"remoteCertificateId\":\"CF2\",\"selectedCandidatePairId\":"
    let sink = try readSource(
      line(1, fixed + [transport + "\"P1\""]) + line(2, fixed + [transport + "\"P1\""])
        + line(3, fixed + [transport + "\"P2\""]))
    let samples = try #require(sink.transports[0])
    #expect(samples.map(\.rttMs) == [20, 20, 200])
    #expect(samples.map(\.local) == ["10.0.0.1:5000", "10.0.0.1:5000", "[2001:db8::1]:6000"])
    #expect(samples.map(\.localType) == ["host", "host", "relay"])
    #expect(samples[2].relayProtocol == "tls")
    #expect(samples[0].availableOutgoingBps == 300_000)
    #expect(sink.eventNames == [.icePairChanged])
    let identities = try #require(sink.connections[0]?.identities)
    for identity in [
      Identity(.fingerprintLocal, "AA:BB"), Identity(.fingerprintRemote, "CC:DD"),
      Identity(.ufragLocal, "uf"),
      Identity(.ufragRemote, "rf"), Identity(.addressLocal, "10.0.0.1:5000"),
      Identity(.addressRemote, "10.0.0.9:7000"),
    ] {
      #expect(identities.contains(identity), "\(identity)")
    }
  }

  private func pair(_ id: String, _ bytes: Int, on transport: String = "T") -> String {
    "\(id) \"type\":\"candidate-pair\",\"nominated\":true,\"state\":\"succeeded\",\"transportId\":\"\(transport)\","
      + "\"localCandidateId\":\"L\(id)\",\"bytesReceived\":\(bytes),\"bytesSent\":\(bytes)"
  }

  private func paths(_ polls: [[String]]) throws -> (pairs: [String?], events: [EventName]) {
    let ends = ["P1", "P2"].enumerated().map { place, id in
      "L\(id) \"type\":\"local-candidate\",\"address\":\"10.0.0.\(place)\",\"port\":5000,\"candidateType\":\"host\""
    }
    let text = polls.enumerated().map { line($0.offset + 1, ends + $0.element) }.joined()
    let sink = try readSource(text)
    return (try #require(sink.transports[0]).map(\.pair), sink.eventNames)
  }

  @Test(
    "where no transport names it, the pair is the one whose bytes grow: an ICE restart leaves the old one as it was"
  )
  func growingPair() throws {
    let changed = try paths([
      [pair("P1", 100)], [pair("P1", 9000)], [pair("P1", 9500), pair("P2", 20)],
      [pair("P1", 9500), pair("P2", 900)], [pair("P1", 9500), pair("P2", 1800)],
    ])
    #expect(changed.pairs == ["P1", "P2"])
    #expect(changed.events == [.icePairChanged])
  }

  @Test(
    "a pair that carries less stays, and so does one on which nothing comes any more while none other does")
  func stayingPair() throws {
    let beside = try paths((1...4).map { [pair("P1", $0 * 100), pair("P2", $0 * 9)] })
    let silent = try paths((1...4).map { [pair("P1", min($0, 2) * 100), pair("P2", 900)] }.reversed())
    let apart = try paths((1...4).map { [pair("P1", 100, on: "A"), pair("P2", $0 * 9, on: "B")] })
    for path in [beside, silent, apart] {
      #expect(path.pairs.count == 1)
      #expect(path.events.isEmpty)
    }
  }

  @Test("two transports without BUNDLE are no change of path, whichever comes to carry more")
  func transportsApart() throws {
    func transport(_ id: String, _ bytes: Int, _ poll: Int) -> String {
      "T\(id) \"type\":\"transport\",\"selectedCandidatePairId\":\"P\(id)\",\"dtlsState\":\"\(poll < 3 ? "connected" : "closed")\","
        + "\"bytesReceived\":\(bytes)"
    }
    let polls = [(100, 50), (200, 50), (300, 9000), (400, 18_000)].enumerated().map { poll, bytes in
      // That a fact changes makes it look again.
      [
        pair("P1", bytes.0), pair("P2", bytes.1), transport("1", bytes.0, poll),
        transport("2", bytes.1, poll),
      ]
        + [outbound(poll, ",\"mid\":\"\(poll)\"")]
    }
    let path = try paths(polls)
    #expect(Set(path.pairs) == ["P1"])
    #expect(path.events.isEmpty)
  }

  @Test("where aiortc gives the repeats the id of their media, they are not taken for it")
  func repeatsOfAiortc() throws {
    func poll(_ second: Int, ssrc: Int, packets: Int, lost: Int) -> String {
      line(
        second,
        [
          "remote-outbound-rtp_9 \"type\":\"remote-outbound-rtp\",\"ssrc\":5,\"kind\":\"video\",\"packetsSent\":50",
          "inbound-rtp_9 \"type\":\"inbound-rtp\",\"ssrc\":\(ssrc),\"kind\":\"video\",\"packetsReceived\":\(packets),\"packetsLost\":\(lost),\"jitter\":90",
        ])
    }
    let sink = try readSource(
      poll(1, ssrc: 5, packets: 50, lost: 0) + poll(2, ssrc: 6, packets: 3, lost: 1)
        + poll(3, ssrc: 6, packets: 4, lost: 2))
    let streams = sink.streams(.inbound)
    #expect(streams.map(\.facts.ssrc) == [5])
    #expect(streams.first?.series(.packets) == [50])
    #expect(
      sink.notes.keys.contains(
        "aiortc reports only the retransmissions of a stream (RTX), under the id of the media: left out"))
  }
}
