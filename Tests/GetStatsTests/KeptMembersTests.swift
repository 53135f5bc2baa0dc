import CallModel
import Testing

@Suite("Members without a column are stored when they change")
struct KeptMembersTests {
  private func line(_ second: Int, _ reports: [String]) -> String {
    let time = 1_700_000_000_000 + second * 1000
    let members = reports.map {
      "\"\($0.prefix { $0 != " " })\":{\"timestamp\":\(time),\($0.drop { $0 != " " })}"
    }
    return "{\"ts\":\(time),\"pc\":\"caller\",\"report\":{\(members.joined(separator: ","))}}\n"
  }

  private func inbound(_ packets: Int, assembly: Double, isEfficient: Bool = true) -> String {
    "I \"type\":\"inbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"packetsReceived\":\(packets),"
      + "\"powerEfficientDecoder\":\(isEfficient),\"totalAssemblyTime\":\(assembly)"
  }

  @Test("once, words at once when they change, counters after 5 s; those that no table has, every time")
  func changes() throws {
    let sink = try readSource(
      line(1, [inbound(10, assembly: 0.5)]) + line(2, [inbound(20, assembly: 0.5)])
        + line(3, [inbound(30, assembly: 0.75) + ",\"mystery\":1"])
        + line(4, [inbound(40, assembly: 0.75, isEfficient: false) + ",\"mystery\":1"])
        + line(8, [inbound(50, assembly: 1.5, isEfficient: false)])
        + line(9, [inbound(60, assembly: 1.75, isEfficient: false)]))
    #expect(
      sink.streams(.inbound).first?.extras == [
        #"{"powerEfficientDecoder":true,"totalAssemblyTime":0.5}"#,
        #"{"mystery":1}"#, #"{"powerEfficientDecoder":false,"totalAssemblyTime":0.75,"mystery":1}"#,
        #"{"totalAssemblyTime":1.75}"#,
      ])
  }

  @Test("those of the far end, of the source and of the path stand behind the type of their report")
  func beside() throws {
    let outbound =
      "O \"type\":\"outbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"remoteId\":\"R\",\"mediaSourceId\":\"S\","
      + "\"packetsSent\":5,\"encodingIndex\":1,\"scalabilityMode\":\"L1T3\""
    let remote =
      "R \"type\":\"remote-inbound-rtp\",\"ssrc\":7,\"kind\":\"video\",\"localId\":\"O\",\"totalRoundTripTime\":0.25"
    let source = "S \"type\":\"media-source\",\"kind\":\"video\",\"width\":1280"
    let transport =
      "T \"type\":\"transport\",\"selectedCandidatePairId\":\"P\",\"selectedCandidatePairChanges\":2,"
      + "\"packetsSent\":9,\"tlsVersion\":\"FEFC\""
    let pair =
      "P \"type\":\"candidate-pair\",\"state\":\"succeeded\",\"currentRoundTripTime\":0.04,\"packetsSent\":8,"
      + "\"totalRoundTripTime\":0.12,\"requestsSent\":4,\"responsesReceived\":3,\"requestsReceived\":6,\"responsesSent\":5"
    let sink = try readSource(line(1, [outbound, remote, source, transport, pair]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.facts.encodingIndex == 1 && stream.facts.scalabilityMode == "L1T3")
    #expect(
      stream.extras == [#"{"media-source.width":1280,"remote-inbound-rtp.totalRoundTripTime":0.25}"#])
    let path = try #require(sink.transports[0]?.first)
    #expect(path.pairChanges == 2 && path.totalRttMs == 120)
    #expect(path.requestsSent == 4 && path.responsesReceived == 3)
    #expect(path.requestsReceived == 6 && path.responsesSent == 5)
    #expect(
      path.extra
        == #"{"candidate-pair.packetsSent":8,"transport.tlsVersion":"FEFC","transport.packetsSent":9}"#)
  }

  @Test(
    "pairs whose checks were counted are reported at the end, the one in use first, as they were last heard")
  func pairs() throws {
    func pair(_ id: String, _ more: String) -> String {
      "\(id) \"type\":\"candidate-pair\",\"localCandidateId\":\"L\",\"remoteCandidateId\":\"R\",\(more)"
    }
    let ends = [
      "L \"type\":\"local-candidate\",\"address\":\"10.0.0.1\",\"port\":5000,\"candidateType\":\"host\",\"networkType\":\"wifi\",\"protocol\":\"udp\"",
      "R \"type\":\"remote-candidate\",\"address\":\"192.0.2.1\",\"port\":6000,\"candidateType\":\"relay\"",
      "T \"type\":\"transport\",\"selectedCandidatePairId\":\"P2\"",
    ]
    let failed = pair("P1", "\"state\":\"in-progress\",\"requestsSent\":7,\"responsesReceived\":0")
    let used = pair(
      "P2",
      "\"state\":\"succeeded\",\"nominated\":true,\"requestsSent\":3,\"responsesReceived\":2,\"totalRoundTripTime\":0.05,"
        + "\"currentRoundTripTime\":0.02,\"bytesSent\":900,\"bytesReceived\":800")
    // A pair that is given up is in no later snapshot.
    let sink = try readSource(line(1, ends + [failed, used]) + line(2, ends + [used]))
    let record = try #require(sink.events.first { $0.record.event == .mediaPathPairs }?.record)
    #expect(
      record.args
        == #"{"count":2,"candidate_pairs":[{"selected":true,"nominated":true,"state":"succeeded","local_type":"host","remote_type":"relay","#
        + #""local":"10.0.0.1:5000","remote":"192.0.2.1:6000","protocol":"udp","local_network":"wifi","requests_sent":3,"#
        + #""responses_received":2,"rtt_ms":25,"bytes_sent":900,"bytes_received":800},"#
        + #"{"selected":false,"nominated":false,"state":"in-progress","local_type":"host","remote_type":"relay","#
        + #""local":"10.0.0.1:5000","remote":"192.0.2.1:6000","protocol":"udp","local_network":"wifi","requests_sent":7,"#
        + #""responses_received":0}]}"#)
  }
}
