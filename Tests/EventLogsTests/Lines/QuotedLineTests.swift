import CallModel
import Testing

@Suite("A line that a logger or a viewer of logs put in quotes")
struct QuotedLineTests {
  private static let quoted: [@Sendable (String) -> String] = [
    { #"time=§ level=info msg="\#($0.replacing("\"", with: "\\\""))""# },
    { #"§,INFO,"\#($0.replacing("\"", with: "\"\""))""# },
    { #""§","host","\#($0.replacing("\"", with: "\"\""))""# },
    { #"§ "\#($0.replacing("\"", with: "\\\""))""# },
  ]

  private func story(_ lines: [String], _ quote: (String) -> String) throws -> Story {
    try Story(
      .sdkText,
      lines.enumerated().map {
        quote($0.element).replacing("§", with: "2026-11-20T10:00:0\($0.offset).000Z") + "\n"
      }
      .joined())
  }

  @Test("the code at the end of a sentence does not hold the quote", arguments: quoted.indices)
  func sentence(form: Int) throws {
    let story = try story(
      [
        "createOutGoingCall bob@domain", "callStatusChanged: CALLSTATES_DIALING",
        "Call is ended because of reason Not Found with code 404",
      ], Self.quoted[form])
    #expect(story.log.records.last?.argument("code") == "404")
    #expect(story.attempt?.outcome == .failed)
    #expect(story.log.records.compactMap(\.timeMs).count == story.log.records.count)
  }

  @Test("quotes within it are the line's own", arguments: quoted.indices)
  func inner(form: Int) throws {
    let reason = try story(
      ["makeCall meet.vmr", #"onDisconnect "Conference host ended the conference""#], Self.quoted[form])
    #expect(reason.log.records.last?.argument("code") == "Conference host ended the conference")
    let frame =
      #"WSC >> {"control":{"type":"request","package_type":"call","subsession_id":"c1","message_state":"initial"},"header":{"action":"start","initiator":"a@b","target":"c@d"}}"#
    #expect(try story([frame], Self.quoted[form]).log.names == [.callRequestSent])
  }

  @Test(
    "arguments that a console prints one by one",
    arguments: ["'%', '$'", "\"%\", \"$\"", "'%', { status: '$' }"])
  func arguments(form: String) throws {
    let lines = [("createCall", "sip:a@b.c"), ("onStatusChanged", "SETUP"), ("onStatusChanged", "BUSY")]
    let story = try story(
      lines.map { form.replacing("%", with: $0.0).replacing("$", with: $0.1) }, { "§ I ReactNativeJS: \($0)" }
    )
    #expect(story.log.names == [.callCreated, .callCreated, .callFailed])
    #expect(story.attempt?.outcome == .busy)
    let failed = try self.story(["'createCall', 'x'", "'onDialFailed', 'NO_MB_CAPACITY'"], { "§ \($0)" })
    #expect(failed.log.records.last?.argument("code") == "NO_MB_CAPACITY")
  }
}
