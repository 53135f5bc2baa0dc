import CallModel
import Testing

@Suite("Oracle's sign-in and frames in text")
struct OracleSignInTests {
  @Test(
    "a sign-in that was refused",
    arguments: [
      "wsc.ErrorInfo {\"code\":401,\"reason\":\"Unauthorized\"}", "onFailure: WSCStatusCodeUnauthorized",
      "Unable to connect. Please check your credentials.",
      "frame received: {\"control\":{\"type\":\"error\",\"package_type\":\"register\"},\"header\":{\"action\":\"connect\",\"error_code\":407}}",
      "WS << {\"control\":{\"type\":\"response\",\"package_type\":\"register\"},\"header\":{\"action\":\"connect\",\"response_code\":403}}",
    ])
  func refused(line: String) throws {
    let log = try read(
      .sdkText, "2026-11-20T10:00:00.000Z WSCSessionStateReconnecting\n2026-11-20T10:00:00.500Z \(line)\n")
    #expect(log.names == [.sessionReconnecting, .sessionFailed])
    #expect(log.records.last?.argument("code") != nil && log.records.last?.argument("words") != nil)
  }

  @Test("who sent a frame, by what a browser's record has beside it")
  func besideFrame() throws {
    let frame =
      #"{\"control\":{\"type\":\"request\",\"package_type\":\"call\",\"subsession_id\":\"s\"},\"header\":{\"action\":\"start\"}}"#
    for (way, event) in [("send", EventName.callRequestSent), ("receive", .callIncoming)] {
      let line = "{\"type\":\"\(way)\",\"time\":1795168800.5,\"opcode\":1,\"data\":\"\(frame)\"}\n"
      #expect(try read(.sdkText, line).names == [event])
    }
  }

  @Test("who sent a frame, by the word or the arrow in front of it")
  func direction() throws {
    func frame(_ front: String, _ type: String) -> String {
      "2026-11-20T10:00:00.000Z \(front) {\"control\":{\"type\":\"\(type)\",\"package_type\":\"call\",\"subsession_id\":\"s\"},"
        + "\"header\":{\"action\":\"start\",\"response_code\":180}}\n"
    }
    for (front, type, event) in [
      ("sending frame:", "request", EventName.callRequestSent), ("WS -->", "request", .callRequestSent),
      ("socket.onmessage", "request", .callIncoming), ("WS <--", "request", .callIncoming),
      ("[ws] ↓", "response", .callRinging), ("in:", "request", .callIncoming),
    ] {
      #expect(try read(.sdkText, frame(front, type)).names == [event], "\(front)")
    }
  }
}
