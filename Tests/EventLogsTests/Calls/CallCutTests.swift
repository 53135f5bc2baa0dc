import CallModel
import EventLogs
import Testing

@Suite("A log that tells of several calls is cut into them")
struct CallCutTests {
  /// Lines in short: seconds, the SDK's name, more members.
  private func log(_ lines: [String]) throws -> Collector {
    let text = lines.map { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      let ts = scriptStart + 1000 * (Double(words[0]) ?? 0)
      let more = words.count > 2 ? ",\(words[2])" : ""
      return "{\"ts\":\(ts),\"sdk\":\"cisco-rem\",\"event\":\"\(words[1])\"\(more)}\n"
    }
    return try read(.runLog, text.joined())
  }

  /// The events of each call in short, in the order in which the calls began.
  private func calls(_ log: Collector) -> [String] {
    Dictionary(grouping: log.events) { $0.connection ?? -1 }.sorted { $0.key < $1.key }
      .map { $0.value.map { String($0.record.event.rawValue.dropFirst(5)) }.joined(separator: " ") }
  }

  private let completed = ["0 createCall", "1 onRinging", "4 onInCall", "30 onEnded"]
  private let busy = ["300 createCall", "301 onRinging", "303 onBusy", "304 onEnded"]

  @Test(
    "by its id, wherever the line has it",
    arguments: [#""call":"ID""#, #""callId":"ID""#, #""args":{"callId":"ID"}"#, #""args":{"call_id":"ID"}"#])
  func ids(member: String) throws {
    func with(_ id: String, _ lines: [String]) -> [String] {
      lines.map { "\($0) \(member.replacing("ID", with: id))" }
    }
    let found = try log(with("c1", completed) + with("c2", busy))
    #expect(calls(found) == ["created ringing established ended", "created ringing failed ended"])
    #expect(found.facts.keys.sorted().map { found.facts[$0]?.call } == ["c1", "c2"])
  }

  @Test("calls that overlap are told apart by their ids")
  func overlap() throws {
    let found = try log([
      #"0 createCall "callId":"c1""#, #"4 onInCall "callId":"c1""#, #"10 createCall "callId":"c2""#,
      #"12 onBusy "callId":"c2""#, "12.1 onEnded", #"30 onEnded "callId":"c1""#,
    ])
    #expect(calls(found) == ["created established ended", "created failed ended"])
  }

  @Test("a late word on a call that is over does not turn back to it")
  func lateWord() throws {
    let found = try log([
      #"0 createCall "callId":"c1""#, #"30 onEnded "callId":"c1""#, #"60 createCall "callId":"c2""#,
      #"61 onConnectionQualityChanged "callId":"c1""#, "62 onInCall", "90 onEnded",
    ])
    #expect(calls(found).last == "created established ended")
  }

  @Test(
    "a stream that begins anew after its participant had left is another meeting's; a reconnect, or one after the media, is not",
    arguments: [("disconnect", 2), ("call_disconnected", 1), ("presentation_stop", 1)])
  func streams(last: String, count: Int) throws {
    func meeting(_ hour: Int, _ last: String) -> String {
      ["participant_sync_begin", "participant_create", "participant_sync_end", last].enumerated().map {
        let stamp = "2026-11-20T\(hour):00:0\($0.offset)Z"
        let data =
          $0.element == "participant_create" ? #"{"uuid":"u-\#(hour)"}"# : #"{"reason":"Remote disconnect"}"#
        return "\(stamp) event: \($0.element)\n\(stamp) data: \(data)\n\(stamp)\n"
      }.joined()
    }
    let log = try read(.sse, meeting(10, last) + meeting(11, "disconnect"))
    #expect(Set(log.events.map(\.connection)).count == count)
    let begun = log.records.filter { $0.event == .conferenceRosterSyncing }
    #expect(begun.map { $0.argument("reconnect") } == [nil, count == 1 ? "1" : nil])
  }

  @Test("one call with ids of two kinds is one call")
  func twoKindsOfID() throws {
    let found = try read(
      .runLog,
      runLog(
        "oracle-wsc", [#"0 WSC_CS_Started {"callId":"a"}"#, #"5 WSC_CS_Established {"subsession_id":"b"}"#]
      )
      .replacing("\"call\":\"c1\",", with: ""))
    #expect(Set(found.events.map(\.connection)).count == 1)
  }

  @Test("without ids, what opens a call after the last one ended begins another")
  func withoutIDs() throws {
    let found = try log(completed + busy)
    #expect(calls(found) == ["created ringing established ended", "created ringing failed ended"])
    #expect(found.facts.keys.sorted().map { found.facts[$0]?.name } == [nil, "call 2"])
    #expect(
      calls(try log(busy + ["900 onIncomingCall", "905 onInCall", "950 onEnded"]))
        == ["created ringing failed ended", "alerting established ended"])
  }

  @Test("an end keeps its name and its SDK in its later calls")
  func laterCalls() throws {
    let found = try log(
      ["0 SETUP", "4 IN_CALL", "30 ENDED", "60 SETUP", "64 IN_CALL"].map { "\($0) \"endpoint\":\"caller\"" })
    #expect(calls(found) == ["created established ended", "created established"])
    #expect(found.facts.values.map(\.endpoint) == ["caller", "caller"])
    #expect(Set(found.facts.values.map(\.name)) == ["caller", "caller, call 2"])
    #expect(found.facts.values.map(\.sdk) == ["cisco-rem", "cisco-rem"])
  }

  @Test("the same tried again within seconds of a failure is an attempt of one call")
  func redial() throws {
    #expect(calls(try log(busy + ["309 createCall", "312 onInCall"])).count == 1)
    #expect(calls(try log(busy + ["330 createCall", "332 onInCall"])).count == 2)
    #expect(calls(try log(busy + ["309 onIncomingCall", "312 onInCall"])).count == 2)
  }

  @Test("another callee is another call, however soon")
  func otherCallee() throws {
    func dialled(_ first: String, _ second: String) throws -> Int {
      calls(
        try log(["0 createCall \(first)", "0.5 SETUP", "1 onBusy", "5 createCall \(second)", "9 onInCall"])
      ).count
    }
    #expect(try dialled(#""args":{"callee":"sip:alice@x"}"#, #""args":{"callee":"sip:bob@x"}"#) == 2)
    #expect(try dialled(#""args":{"callee":"sip:alice@x"}"#, #""args":{"callee":"SIP:Alice@x"}"#) == 1)
    #expect(try dialled(#""args":["alice"]"#, #""args":["bob"]"#) == 2)
    #expect(try dialled(#""args":["<Call: 0x1>"]"#, #""args":["<Call: 0x2>"]"#) == 1)
    #expect(try dialled(#""args":{"video":true}"#, #""args":{"video":false}"#) == 1)
  }

  @Test("no new call: a state told late, a line out of order, an offer after a failure")
  func noNewCall() throws {
    #expect(calls(try log(completed + ["30.5 onRinging"])).count == 1)
    #expect(calls(try log(completed + ["0.5 createCall"])).count == 1)
    let restart = [
      "0 createCall", "4 onInCall", "9 onCallFailed", #"12 createOfferOnSuccess "value":"x""#, "13 onInCall",
    ]
    #expect(calls(try log(restart)).count == 1)
  }

  @Test(
    "what is told of a time before the call is another call's: the older part of a log stands behind the newer",
    arguments: [true, false])
  func olderPart(isOver: Bool) throws {
    let newer = isOver ? completed : Array(completed.dropLast())
    let before = ["-3600 createCall", "-3599 onRinging", "-3595 onInCall", "-3500 onEnded"]
    let found = try log(["-4000 onSessionStarted"] + newer + before + ["300 onIncomingCall", "303 onInCall"])
    #expect(
      calls(found).dropFirst() == ["created ringing established ended", "alerting established"])
    #expect(calls(found).first?.contains("created ringing established") == true)
    if isOver {
      let amid = try log(completed + Array(before.dropFirst(2)))
      #expect(calls(amid) == ["created ringing established ended", "established ended"])
    }
  }

  @Test("a line that comes late by less than a second, or within the call, is not of an older part")
  func lateLine() throws {
    #expect(calls(try log(completed + ["-0.5 createCall"])).count == 1)
    #expect(calls(try log(["0 onInCall", "-20 createCall", "30 onEnded"])).count == 1)
    #expect(calls(try log(["0 onEnded", "-37 createCall", "-36 onRinging", "-35 onInCall"])).count == 1)
    #expect(calls(try log(["0 onEnded", "-3700 createCall", "-3600 onInCall"])).count == 2)
  }

  @Test("what leads up to a call goes with it, and with the former one where no call came of it")
  func preludes() throws {
    let ended = completed + ["60 getUserMedia", "61 getUserMediaOnSuccess"]
    #expect(Set(try log(ended).events.map(\.connection)).count == 1)
    let found = try log(ended + ["62 createCall", "64 onInCall"])
    #expect(calls(found).count == 2)
    #expect(
      found.events.map(\.record.timeMs) == found.events.map(\.record.timeMs).sorted { ($0 ?? 0) < ($1 ?? 0) })
    let later = found.events.filter { $0.connection == found.events.last?.connection }.map(\.record.event)
    #expect(later == [.mediaLocalRequested, .mediaLocalAcquired, .callCreated, .callEstablished])
    let left = try log(
      ["0 createCall", "4 onInCall", "600 getUserMedia", "601 getUserMediaOnSuccess", "602 createCall"])
    #expect(
      Dictionary(grouping: left.events) { $0.connection ?? -1 }.mapValues(\.count).values.sorted() == [2, 3])
    let older = try log(completed + ["-60 getUserMedia", "-59 createCall", "-50 onInCall"])
    #expect(older.events.filter { $0.connection == older.events.last?.connection }.count == 3)
  }
}
