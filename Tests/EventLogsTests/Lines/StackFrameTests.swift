import CallModel
import Testing

@Suite("Frames of a stack are no callbacks")
struct StackFrameTests {
  static let frames = [
    "\tat com.example.rem.CallActivity.onCallFailed(CallActivity.java:108)",
    "\tat com.example.rem.CallActivity.onCallFailed(Native Method)",
    "\tat com.example.rem.CallActivity.onCallFailed(Unknown Source)",
    "W System.err: \tat com.example.rem.CallActivity.onCallFailed(CallActivity.java:108)",
    "   at Rem.Views.CallWindow.OnCallFailed(Call call, String msg) in C:\\src\\Rem\\CallWindow.cs:line 71",
    "   at Rem.Views.CallWindow.OnConnectionLost()",
    "    at Call.onCallFailed (/app/call.js:10:3)",
    "    at async Call.onCallFailed (file:///app/call.js:10:3)",
    "    at new onCallFailed (<anonymous>)",
    "onCallFailed@https://app.example/call.js:10:3",
    "onCallFailed @ call.js:108",
    "3   MyPhone   0x0000000104bd8000 -[CallController onCallFailed:] + 44",
    "#0      CallState.onCallFailed (package:app/call.dart:10:3)",
    "  File \"/app/call.py\", line 3, in onCallFailed",
  ]

  @Test("in the log of a call that goes on", arguments: frames)
  func ofCallThatGoesOn(frame: String) throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20 10:00:00.100 createCall sip:1001@rem.example.com
      2026-11-20 10:00:06.300 onStatusChanged: IN_CALL
      2026-11-20 10:00:20.000 could not update the view
      \(frame)
      2026-11-20 10:01:06.300 onStatusChanged: ENDED
      """)
    #expect(log.names == [.callCreated, .callEstablished, .callEnded])
  }

  @Test("in the message of an object")
  func message() throws {
    let log = try read(
      .sdkText,
      #"""
      {"message":"onRinging","timestamp":"2026-11-20T10:00:01.100Z"}
      {"message":"TypeError: x\n    at Call.onCallFailed (/app/call.js:10:3)\n    at Call.onEnded (/app/call.js:20:3)","timestamp":"2026-11-20T10:00:20.100Z"}
      {"message":"onEnded","timestamp":"2026-11-20T10:01:06.100Z"}
      """#)
    #expect(log.names == [.callRinging, .callEnded])
  }

  @Test("words that look like them are what they say")
  func words() throws {
    for line in [
      "failed at CallActivity.onCallFailed(5)", "onCallFailed (5) at 10:00:03", "look at onCallFailed: 5",
      "onCallFailed <Error: 0x600000c1>", "onCallFailed sip:bob@example.com:5060",
    ] {
      let log = try read(.sdkText, "2026-11-20 10:00:00.100 createCall\n2026-11-20 10:00:01.100 \(line)\n")
      #expect(log.names.count == 2, "\(line): \(log.names)")
    }
  }

  @Test("a long line in which many begin is read once", .timeLimit(.minutes(1)))
  func many() throws {
    let line = String(repeating: "at a(b) ", count: 60_000)
    let log = try read(
      .sdkText,
      "2026-11-20 10:00:00.100 createCall\n2026-11-20 10:00:01.100 onError: \(line)\n2026-11-20 10:00:02.100 onEnded\n"
    )
    #expect(log.names.first == .callCreated && log.names.last == .callEnded)
  }
}
