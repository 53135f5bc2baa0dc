import CallModel
import Testing

@Suite("rtcstats dumps of every family")
struct RtcstatsTests {
  private let start = 1_700_000_000_000.0

  private func stats(_ name: String, _ second: Double, _ value: String, pc: String = "PC_0") -> String {
    "[\"\(name)\",\"\(pc)\",\(value),\(Int(start + second * 1000))]\n"
  }

  @Test("sparse deltas: a report left out is unchanged, and takes the new time")
  func sparse() throws {
    let sink = try readSource(
      "{\"path\":\"/\",\"userAgent\":\"UA\",\"time\":1,\"fileFormat\":2}\n"
        + stats(
          "getstats", 1,
          "{\"A\":{\"timestamp\":0,\"type\":\"inbound-rtp\",\"kind\":\"audio\",\"ssrc\":1,\"packetsReceived\":5,\"packetsLost\":0},\"B\":{\"timestamp\":0,\"type\":\"inbound-rtp\",\"kind\":\"video\",\"ssrc\":2,\"packetsReceived\":7},\"timestamp\":1700000001000}"
        )
        + stats("getstats", 2, "{\"A\":{\"timestamp\":0,\"packetsReceived\":9},\"timestamp\":1700000002000}")
        + stats(
          "getstats", 3,
          "{\"A\":{\"timestamp\":0,\"packetsReceived\":9,\"packetsLost\":1},\"B\":{\"timestamp\":0,\"packetsReceived\":8},\"timestamp\":1700000003000}"
        ))
    #expect(sink.streams(.inbound, .audio).first?.series(.packets) == [5, 9, 9])
    #expect(sink.streams(.inbound, .audio).first?.series(.lost) == [0, 0, 1])
    #expect(sink.streams(.inbound, .video).first?.series(.packets) == [7, 7, 8])
    #expect(sink.streams(.inbound, .video).first?.times == [start + 1000, start + 2000, start + 3000])
    #expect(sink.connections[0]?.userAgent == "UA")
  }

  @Test("dense deltas: a report left out is gone, and starts anew when it comes back")
  func dense() throws {
    let sink = try readSource(
      stats(
        "getstats", 1,
        "{\"A\":{\"timestamp\":0,\"type\":\"inbound-rtp\",\"kind\":\"audio\",\"ssrc\":1,\"packetsReceived\":5,\"packetsLost\":3},\"C\":{\"timestamp\":0,\"type\":\"codec\"},\"timestamp\":1700000001000}"
      )
        + stats("getstats", 2, "{\"C\":{\"timestamp\":0},\"timestamp\":1700000002000}")
        + stats(
          "getstats", 3,
          "{\"A\":{\"timestamp\":0,\"type\":\"inbound-rtp\",\"kind\":\"audio\",\"ssrc\":1,\"packetsReceived\":1},\"C\":{},\"timestamp\":1700000003000}"
        ))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.times == [start + 1000, start + 3000])
    #expect(stream.series(.packets) == [5, 1])
    #expect(stream.series(.lost) == [3, nil], "what was said before the report went away holds no more")
  }

  @Test("format 3: numbers for methods, types and members; time in steps; null removes")
  func numbers() throws {
    let sink = try readSource(
      """
      RTCStatsDump
      {"fileFormat":3,"userAgent":"Firefox"}
      [39,"1",{},1700000000000]
      [2,"1",null,5]
      [3,"1",{"type":"offer","sdp":"v=0\\r\\na=ice-ufrag:ab\\r\\nm=audio 9 X 111\\r\\na=mid:0\\r\\n"},"c-1",5]
      [6,"1",{"type":"offer","sdp":"v=\\r\\nm=\\r\\n"},0.5]
      ["g","1",{"0":{"type":1,"10":7,"11":"audio","14":10,"15":1,"16":0.002,"12":"1"},"1":{"type":14,"6":"audio/opus","7":48000,"4":111},"2":{"type":4,"10":7,"74":"0","75":0.04,"t":1700000000500},"t":1700000001000},989.5]
      [1,"1",{"0":{"14":20,"999":true},"t":1700000002000},1000]
      ["g","1",{"0":null,"t":1700000003000},1000]
      ["close",null,1001,2353]
      """)
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.series(.packets) == [10, 20])
    #expect(stream.series(.lost) == [1, 1])
    #expect(stream.series(.rttMs) == [40, nil])
    #expect(stream.last(.jitterMs) == 2)
    #expect(stream.facts.codec == "opus")
    #expect(stream.times == [start + 1000, start + 2000])
    #expect(stream.extras == ["{\"999\":true}"])
    #expect(
      sink.eventNames == [
        .callCreated, .sdpOfferRequested, .sdpOfferCreated, .sdpLocalSetting, .callEnded,
      ])
    #expect(sink.events.map(\.record.timeMs) == [0, 5, 10, 10.5, 5353].map { start + $0 })
    #expect(sink.events[3].record.args == sink.events[2].record.args, "the sections left out are put back")
    #expect(sink.connections[0]?.identities.contains(Identity(.ufragLocal, "ab")) == true)
    #expect(sink.connections[0]?.direction == .outgoing)
  }

  @Test("as Chrome writes it: full reports, quoted states, two pages in one file")
  func chrome() throws {
    let sink = try readSource(
      """
      RTCStatsDump
      {"fileFormat":3}
      ["navigator.mediaDevices.getUserMedia","9-0",{"audio":""},"getUserMedia-9-1-0","http://x/",1700000000000]
      ["create","9-1",{},"http://x/",10.25]
      ["create","10-1",{},"http://x/",10]
      ["onconnectionstatechange","9-1","\\"connected\\"",1]
      ["getStats","9-1",{"I":{"id":"I","type":"inbound-rtp","ssrc":1,"timestamp":1700000001000,"packetsReceived":1,"[packetsReceived/s]":50}},978.75]
      ["getStats","9-1",{"J":{"id":"J","type":"inbound-rtp","ssrc":2,"timestamp":1700000002000,"packetsReceived":1}},1000]
      """)
    #expect(sink.streams(of: "9-1", .inbound).map(\.times) == [[start + 1000], [start + 2000]])
    #expect(sink.streams(.inbound).allSatisfy { $0.extras.isEmpty })
    #expect(
      sink.eventNames == [
        .mediaLocalRequested, .callCreated, .callCreated, .dtlsConnected, .callEstablished,
      ])
    #expect(sink.events[0].connection == sink.number(of: "9-1"))
    #expect(sink.events[3].record.argument("value") == "connected")
  }

  @Test("page events at load time are not a call")
  func pageLoads() throws {
    let sink = try readSource(
      """
      RTCStatsDump
      {"fileFormat":3}
      ["create",null,{"hardwareConcurrency":2,"screen":{"width":800}},1700000000000]
      ["create","9-1",{},"http://x/",3600000]
      ["onconnectionstatechange","9-1","\\"connected\\"",223]
      """)
    #expect(sink.eventNames == [.callCreated, .dtlsConnected, .callEstablished])
    #expect(sink.events.map(\.record.timeMs) == [3_600_000, 3_600_223, 3_600_223].map { start + $0 })
    #expect(sink.notes.keys.contains { $0.contains("page") })
  }

  @Test("Jitsi: a sequence number behind the time, lines without a time, secrets left out")
  func jitsi() throws {
    let sink = try readSource(
      """
      ["connectionInfo",null,{"userAgent":"Chrome"},1700000009000]
      ["create","PC_0",{"iceServers":[{"urls":"turn:x","username":"u","credential":"hunter2"}]},1700000000000,1]
      ["setRemoteDescription","PC_0",{"type":"offer","sdp":"v=0\\r\\na=ice-ufrag:rr\\r\\na=ice-pwd:sesame\\r\\n"},1700000000100,2]
      ["ondtlsstatechange","PC_0","connected"]
      """)
    #expect(sink.events.map(\.record.timeMs) == [start, start + 100, nil])
    #expect(sink.eventNames == [.callCreated, .sdpOfferReceived, .dtlsConnected])
    #expect(sink.connections[0]?.direction == .incoming)
    #expect(sink.connections[0]?.identities == [Identity(.ufragRemote, "rr")])
    let args = sink.events.map(\.record.args).joined()
    #expect(!args.contains("hunter2") && !args.contains("sesame"))
  }

  @Test("a broken line is rejected with its place; a cut last line makes the file truncated")
  func broken() throws {
    let good = stats("create", 0, "{}")
    let sink = try readSource(good + "[\"x\",,]\n" + good)
    #expect(sink.rejects.map(\.line) == [2])
    #expect(sink.rejects.first?.byte == good.utf8.count + 5)
    var error: SourceError?
    do { _ = try readSource(good + "[\"getStats\",\"PC_0\",{\"a\":") } catch let thrown as SourceError {
      error = thrown
    }
    #expect(error?.code == .truncated)
    #expect(error?.line == 2)
  }
}
