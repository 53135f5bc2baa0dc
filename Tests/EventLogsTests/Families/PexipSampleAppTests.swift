import CallModel
import Testing

@Suite("What the guide's example application for iOS prints")
struct PexipSampleAppTests {
  private static let lines: [(ms: Int, text: String)] = [
    (0, #"Attempting to join conference Optional("404")"#), (410, "OK, we're in"),
    (420, "Creating event source..."), (800, "Event source opened"),
    (900, message("participant_sync_begin", "")),
    (950, message("participant_create", #"{"uuid": "u-1", "display_name": "Zoe", "is_muted": "NO"}"#)),
    (990, message("participant_sync_end", "")), (30000, "Creating call object"), (30010, "Creating call"),
    (30020, "Setting constraints with videoEnabled: true"), (30100, "About to offer"),
    (30200, "got OK for offer completion handler for RTCSessionDescription"), (30210, "got error: nil"),
    (31000, "We've completed ICE gathering, send up the completed SDP"),
    (31010, "Call object said our SDP is: RTCSessionDescription:"), (31800, "Their SDP is: v=0"),
    (31900, "Setting remote SDP on connection, status: nil"), (32200, "Call c-1 acknowledged"),
    (32600, "We've established media"),
    (33000, message("participant_update", #"{"uuid": "u-1", "display_name": "Zoe", "is_muted": "YES"}"#)),
    (37000, " -- token refreshed --"),
  ]

  private static func message(_ event: String, _ data: String) -> String {
    let escaped = data.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    return
      #"Got message Optional("\#(event)") with id Optional("MTI=") and it contained Optional("\#(escaped)")"#
  }

  private func story(_ more: [(ms: Int, text: String)]) throws -> Story {
    try Story(
      .sdkText,
      (Self.lines + more).map { ms, text in
        let seconds = "\(ms / 1000 + 100)".dropFirst()
        return
          "2026-11-20 10:00:\(seconds).\("\(ms % 1000 + 1000)".dropFirst())+0000 app[412:90211] \(text)\n"
      }.joined())
  }

  @Test("the whole call: joining, the media added later, their setup, a hang-up")
  func call() throws {
    let story = try story([
      (59000, "Tearing down call and media"), (59300, "call disconnected"),
      (59300, "Disconnected media stack"),
      (59400, "Token released, event source closed, we're outta here"),
    ])
    #expect(
      story.log.names == [
        .tokenRequested, .sessionConnected, .conferenceRosterSyncing, .conferenceParticipantPresent,
        .conferenceRosterSynced, .callCreated, .sdpOfferRequested, .sdpOfferCreated, .iceGatheringComplete,
        .sdpOfferSent, .sdpAnswerReceived, .sdpRemoteSet, .callEstablished, .iceConnected, .callMuted,
        .tokenRefreshed, .callEnded, .tokenReleased,
      ])
    #expect(story.attempt?.outcome == .completed)
    #expect(story.attempt?.setupMs == 2200)
    #expect(story.lasted(.gathering) == 800)
    #expect(story.lasted(.signalling) == 790)
    #expect(story.log.identities.isSuperset(of: [Identity(.person, "Zoe"), Identity(.session, "c-1")]))
    #expect(story.events(.callMuted).first?.argument("participant") == "u-1")
  }

  @Test("what the server sends is read as in its stream, its reasons and its secrets too")
  func messages() throws {
    let story = try story([
      (50000, Self.message("refer", #"{"alias": "other", "token": "c2VjcmV0LXRva2VuLWhlcmU"}"#)),
      (59000, Self.message("disconnect", #"{"reason": "Timer expired awaiting token refresh"}"#)),
    ])
    #expect(story.events(.callTransferred).count == 1)
    #expect(story.events(.callEnded).first?.argument("code") == "Timer expired awaiting token refresh")
    #expect(story.attempt?.outcome == .dropped)
    #expect(!story.log.records.map(\.args).joined().contains("c2VjcmV0"))
  }

  @Test("what any application may print so tells no SDK", arguments: ["greeting", "disconnect", "mute"])
  func strangers(event: String) throws {
    let text = #"Got message Optional("\#(event)") with id Optional("1") and it contained Optional("hello")"#
    #expect(try read(.sdkText, "2026-11-20T10:00:00Z \(text)\n").events.isEmpty)
  }
}
