import Foundation
import Testing

@Suite("A call that rings on several devices, of which one answers")
struct AnsweredElsewhereTests {
  private static let rebtel: [String: String] = [
    "alice.log": """
    2026-11-26T10:00:00.000Z [callId=rx2] callUserWithId: bob
    2026-11-26T10:00:01.000Z [callId=rx2] callReceivedOnRemoteEnd:
    2026-11-26T10:00:06.000Z [callId=rx2] callEstablished:
    2026-11-26T10:01:06.000Z [callId=rx2] [call hangup]
    2026-11-26T10:01:06.050Z [callId=rx2] callEnded:

    """,
    "bob-ipad.log": """
    2026-11-26T10:00:00.950Z [callId=rx2] client:didReceiveIncomingCall:
    2026-11-26T10:00:05.900Z [callId=rx2] callEnded: endCause=REBCallEndCauseOtherDeviceAnswered

    """,
    "bob-phone.log": """
    2026-11-26T10:00:00.900Z [callId=rx2] client:didReceiveIncomingCall:
    2026-11-26T10:00:05.400Z [callId=rx2] [call answer]
    2026-11-26T10:00:06.000Z [callId=rx2] callEstablished:
    2026-11-26T10:01:06.100Z [callId=rx2] callEnded: endCause=REBCallEndCauseHungUp

    """,
  ]
  private static let kandy: [String: String] = [
    "caller.log": """
    2026-11-26T11:00:00.000Z [callId=km2] createOutGoingCall
    2026-11-26T11:00:01.000Z [callId=km2] callStatusChanged RINGING
    2026-11-26T11:00:06.000Z [callId=km2] callStatusChanged IN_CALL
    2026-11-26T11:01:06.000Z [callId=km2] callStatusChanged ENDED 9901

    """,
    "tablet.log": """
    2026-11-26T11:00:00.900Z [callId=km2] incomingCall
    2026-11-26T11:00:00.910Z [callId=km2] callStatusChanged RINGING
    2026-11-26T11:00:05.900Z [callId=km2] callStatusChanged ENDED 9904

    """,
  ]

  private func show(_ files: [String: String]) throws -> (row: [String: Any], story: String) {
    let folder = try TemporaryFolder()
    let paths = try files.sorted { $0.key < $1.key }.map { try folder.file($0.key, $0.value) }
    let rows = try Tool.run(["extract", "--only", "calls"] + paths).objects()
    #expect(rows.count == 1)
    let story = try Tool.run(["show", "--tz", "UTC"] + paths).output.split(whereSeparator: \.isWhitespace)
    return (try #require(rows.first), story.joined(separator: " "))
  }

  @Test(
    "it went as those tell who had it",
    arguments: [
      ["alice.log", "bob-ipad.log", "bob-phone.log"], ["bob-ipad.log", "bob-phone.log"],
      ["alice.log", "bob-ipad.log"], ["caller.log", "tablet.log"],
    ])
  func completed(names: [String]) throws {
    let logs = Self.rebtel.merging(Self.kandy) { first, _ in first }
    let (row, story) = try show(logs.filter { names.contains($0.key) })
    #expect(row["outcome"] as? String == "completed")
    #expect(row["verdict"] as? String == "unjudged")
    #expect(try (60_000...60_100).contains(#require(row["duration_ms"] as? Double)))
    #expect(!story.contains("another device"), "\(story)")
  }

  @Test("a caller whose log stops while the call is established leaves its end open")
  func open() throws {
    var logs = Self.rebtel.filter { $0.key != "bob-phone.log" }
    logs["alice.log"] = logs["alice.log"]?.split(separator: "\n").prefix(3).joined(separator: "\n")
    let (row, _) = try show(logs)
    #expect(row["outcome"] as? String == "unknown")
  }

  @Test(
    "of the device alone it is told that another one answered",
    arguments: [
      ("bob-ipad.log", "Answered on another device (otherDeviceAnswered)."),
      ("tablet.log", "Answered on another device (9904)."),
    ])
  func alone(name: String, sentence: String) throws {
    let logs = Self.rebtel.merging(Self.kandy) { first, _ in first }
    let (row, story) = try show(logs.filter { $0.key == name })
    #expect(row["outcome"] as? String == "cancelled")
    #expect(story.contains(sentence), "\(story)")
    #expect(!story.contains("before it was answered"))
  }
}
