import CallModel
import Scoring
import Testing

@Suite("Findings on packets of which a receiver makes nothing")
struct UnplayableMediaTests {
  private func findings(_ raw: String, _ args: String, quiet: [QuietSpan] = []) -> [Finding] {
    var event = EventRecord(timeMs: 10_000, event: .unknown, raw: raw, args: args)
    event.timeMs = 10_000
    var context = FindingContext()
    context.events = [event]
    context.quiet = quiet
    var scan = FindingScan(streams: [])
    return scan.finish(context)
  }

  @Test(
    "each is told with its time and its figures",
    arguments: [
      (
        "capture.payload-type", #""payload_type":98,"agreed":"0, 101""#, "payload-type-not-agreed",
        Severity.error
      ),
      ("capture.srtp-reset", #""from_number":30399,"to_number":100"#, "srtp-sequence-reset", .error),
      ("capture.sparse", #""heard_ms":600"#, "sparse-sound", .error),
      ("capture.digital-silence", #""share":1"#, "far-end-silent", .info),
      ("capture.in-the-clear", "", "unencrypted-media", .warning),
      ("capture.packet-time", #""packet_ms":60,"agreed_ms":20"#, "packet-time-not-agreed", .info),
      (
        "capture.packet-time", #""packet_ms":60,"agreed_ms":20,"longest_ms":40"#, "packet-time-not-agreed",
        .warning
      ),
      ("capture.clock-jump", #""jump_ms":3600000"#, "timestamp-jump", .warning),
    ])
  func reported(raw: String, args: String, code: String, severity: Severity) throws {
    let rest = #""ssrc":8,"packets":30,"kind":"audio","until_ms":40000"#
    let found = findings(raw, "{" + (args.isEmpty ? "" : args + ",") + rest + "}")
    let finding = try #require(found.first)
    #expect(found.count == 1 && finding.name == code && finding.severity == severity)
    #expect(finding.startMs == 10_000 && finding.endMs == 40_000)
    #expect(finding.evidence.json.contains(#""ssrc":8"#))
    #expect(finding.text.hasPrefix("The"), "\(finding.text)")
  }

  @Test("who holds the call sends what it likes")
  func held() {
    let args = #"{"share":1,"packets":1500,"until_ms":40000}"#
    #expect(
      findings("capture.digital-silence", args, quiet: [QuietSpan(startMs: 5000, endMs: 45_000)]).isEmpty)
    #expect(findings("capture.digital-silence", args).count == 1)
  }

  @Test("at the end that sent it, that is said")
  func sent() throws {
    let args = #"{"payload_type":98,"agreed":"0","packets":500,"until_ms":40000,"sent":true}"#
    let finding = try #require(findings("capture.payload-type", args).first)
    #expect(finding.evidence.json.contains(#""sent_by":"this end""#) && finding.text.hasPrefix("This end"))
  }
}
