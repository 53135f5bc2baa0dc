import CallModel
import Testing

@Suite("A request is what was answered to it")
struct RequestAnswerTests {
  private static let room = "pexip.example.com/api/client/v2/conferences/meet.alice"
  private static let call = "\(room)/participants/u1/calls/c1"

  private func story(_ lines: [String]) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map { "2026-11-20T10:00:0\($0.offset).000Z \($0.element)\n" }.joined())
  }

  @Test(
    "an acknowledgement that was refused, or never arrived, establishes no call",
    arguments: [
      ("POST https://\(call)/ack 403 (Forbidden)", "403"),
      (
        #"203.0.113.7 - - "POST /x/participants/u1/calls/c1/ack HTTP/1.1" 403 50 "-" "Mozilla/5.0""#, "403"
      ),
      ("XHRPOST https://\(call)/ack [HTTP/2 503 Service Unavailable 12ms]", "503"),
      ("POST https://\(call)/ack net::ERR_CONNECTION_TIMED_OUT", "ERR_CONNECTION_TIMED_OUT"),
      ("POST https://\(call)/ack failed: 404", "404"), ("POST https://\(call)/ack -> 500", "500"),
      ("POST https://\(call)/ack status=502 took=31", "502"), ("POST https://\(call)/ack failed", "failed"),
      (
        "https://\(call)/ack - Failed to load resource: the server responded with a status of 403 (Forbidden)",
        "403"
      ),
      ("app.js:13 503 https://\(call)/ack", "503"), ("call.ts:13:7 404 https://\(call)/ack", "404"),
      ("E 403 https://\(call)/ack", "403"),
      (
        #"Task <1> finished with error [-1001] Error Domain=NSURLErrorDomain Code=-1001 "The request timed out." UserInfo={NSErrorFailingURLStringKey=https://\#(call)/ack}"#,
        "failed"
      ),
      (#"XHR failed loading: POST "https://\#(call)/ack"."#, "failed"),
      (
        "Failed to load resource: the server responded with a status of 404 (Not Found) https://\(call)/ack",
        "404"
      ),
      (
        "Access to XMLHttpRequest at 'https://\(call)/ack' from origin 'https://app' has been blocked by CORS policy",
        "failed"
      ),
    ])
  func refused(line: String, code: String) throws {
    let story = try story(["makeCall meet.alice", line])
    #expect(story.log.names == [.callCreated, .callFailed])
    #expect(story.log.records.last?.argument("code") == code)
    #expect([.failed, .rejected].contains(story.attempt?.outcome))
    #expect(story.log.records.last?.argument("call_uuid") == "c1")
  }

  @Test(
    "an answer that is none of refusal, and none at all, leave it as it was",
    arguments: [
      "200", "", "204 No Content", "HTTP/1.1", #"HTTP/1.1" 200 500 "-""#, "450 ms", "{status: 'x', n: 403}",
      "failed=false", "in 403 ms", "took 403", "(try 2 of 7)",
    ])
  func accepted(answer: String) throws {
    let story = try story(["makeCall meet.alice", "POST https://\(Self.call)/ack \(answer)"])
    #expect(story.log.names == [.callCreated, .callEstablished])
  }

  @Test("every request of a call tells of its refusal")
  func others() throws {
    #expect(
      try story([
        "makeCall meet.alice", "POST https://\(Self.room)/request_token?x=1 403 (Forbidden)",
        "POST https://\(Self.room)/request_token 200",
        "POST https://\(Self.call)/ack 200", "refresh_token failed: 403", "refresh_token 401 token expired",
        "POST https://\(Self.call)/disconnect 403 (Forbidden)", "POST https://\(Self.room)/release_token 403",
      ]).log.names == [
        .callCreated, .tokenFailed, .tokenRequested, .callEstablished, .tokenFailed, .tokenFailed,
        .callUpdated, .tokenFailed,
      ])
    let offer = try story([
      "makeCall x", #""POST /x/participants/u1/calls HTTP/1.1" 503 5297 "-" "Mozilla/5.0""#,
    ])
    #expect(offer.log.names == [.callCreated, .callFailed])
    #expect(offer.log.records.last?.argument("words") == "service unavailable")
  }

  @Test("a preflight is no request")
  func preflight() throws {
    let log = try story([
      #""OPTIONS /api/client/v2/conferences/meet/request_token HTTP/1.1" 204 0 "-" "Mozilla/5.0""#,
      #""POST /api/client/v2/conferences/meet/request_token HTTP/1.1" 200 1297 "-" "Mozilla/5.0""#,
      "XHROPTIONS https://\(Self.call)/ack", "POST https://\(Self.call)/ack",
    ]).log
    #expect(log.names == [.tokenRequested, .callEstablished])
  }

  @Test("a run log gives the status among its arguments")
  func runLogs() throws {
    let log = try read(
      .runLog,
      runLog(
        "pexip", ["0 makeCall", #"90 calls {"sdp":"v=0"}"#, #"100 ack {"status":403}"#, #"110 dtmf ["403"]"#])
    )
    #expect(log.names == [.callCreated, .sdpOfferSent, .callFailed, .callDtmf])
  }

  @Test("keys pressed are requests too")
  func paths() throws {
    let log = try story([
      "makeCall x", "POST https://\(Self.call)/dtmf",
      "POST https://\(Self.room)/participants/u1/dtmf",
    ]).log
    #expect(log.names == [.callCreated, .callDtmf, .callDtmf])
  }

  @Test(
    "what has only one meaning is reported when it is asked, and once",
    arguments: [
      ("video_muted", EventName.callMuted), ("video_unmuted", .callUnmuted), ("unmute", .callUnmuted),
    ])
  func once(path: String, event: EventName) throws {
    let url = "POST https://\(Self.room)/participants/u1/\(path)"
    let story = try story([
      "makeCall x", "\(url)", "\(url) 200", "POST https://\(Self.room)/participants/u1/\(path)",
      "\(url) 200",
    ])
    #expect(story.log.names == [.callCreated, event, .sessionRequest, event, .sessionRequest])
    let refused = try self.story(["makeCall x", url, "\(url) 403"])
    #expect(path == "unmute" || refused.log.names == [.callCreated, event, .callUpdated])
  }

  @Test("a trace of curl is known by one request of an SDK, without any time")
  func trace() throws {
    let text = """
      *   Trying 10.1.2.3:443...
      * using HTTP/2
      > POST /api/client/v2/conferences/meet.bob/participants/80000000-0000-4000-8000-000000000001/calls HTTP/2
      > Host: px.example
      > accept: */*
      >
      < HTTP/2 503
      < content-type: application/json
      <
      {"status":"failed","result":"Service unavailable"}

      """
    #expect(try recognise(text) == .sdkText)
    #expect(try Story(.sdkText, text).attempt?.outcome == .failed)
    #expect(try recognise("see POST /api/client/v2/conferences/x/request_token\n") == nil)
  }

}
