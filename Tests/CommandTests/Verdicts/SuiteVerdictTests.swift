import Foundation
import SharedRecordings
import Testing

@Suite("Verdicts on calls that were altered in a known way")
struct SuiteVerdictTests {
  /// Each with the word that it is to get.
  static let known = [
    ("g-av", "good"), ("g-mute-all", "good"), ("cg-cn-once", "good"), ("cs-after10", "silent"),
    ("cs-hold", "silent"), ("s-start-av", "silent"), ("s-digital", "silent"), ("s-video-start", "no-picture"),
    ("p-outage10", "poor"), ("cf-503", "failed"), ("f-busy", "not-set-up"), ("cu-sip", "unjudged"),
    ("u-early", "unjudged"), ("ct-voicemail", "not-sent"), ("ct-recorder", "not-sent"),
    ("ct-ptt", "not-sent"),
  ]

  @Test("the word is the right one", arguments: known)
  func word(id: String, word: String) throws {
    let row = try JudgedCall("suite/\(id)").row()
    #expect(row["verdict"] as? String == word)
    #expect(row["broken"] as? Int == (["silent", "failed"].contains(word) ? 1 : 0))
  }

  @Test(
    "the end and the time that were missing are named",
    arguments: [
      ("cs-after10", "callee, audio, 0:13 to end (50 s)"), ("cs-hold", "callee, audio, 0:43 to end (35 s)"),
      ("s-start-av", "callee, audio, 0:01 to end (59 s)"), ("s-digital", "callee, audio, 0:01 to end (59 s)"),
      ("s-video-start", "callee, video, 0:01 to end (59 s)"),
      ("p-outage10", "callee, audio, 0:25 to 0:35 (10 s)"),
      ("ct-voicemail", "caller, audio, 0:11 to end (27 s)"),
    ])
  func span(id: String, span: String) throws {
    let answer = try JudgedCall("suite/\(id)").answer()
    #expect(answer.contains(": \(span)"), "\(answer)")
  }

  @Test(
    "what everyday telephony does is no alarm",
    arguments: ["ct-voicemail", "ct-recorder", "ct-ptt", "cg-cn-once", "g-mute-all"])
  func controls(id: String) throws {
    let call = try JudgedCall("suite/\(id)")
    let answer = try call.answer()
    for word in ["silent:", "poor:", "Outage", "poor sound"] { #expect(!answer.contains(word), "\(answer)") }
    #expect(try #require(call.row()["poor_share"] as? Double? ?? 0) < 0.1)
  }

  /// Those whose files have other names, another order, packing, format, poll or place of the capture.
  private static let variants: [(String, String)] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: shared.path).sorted()) ?? []
    return known.flatMap { id, word in names.filter { $0.hasPrefix(id + "~") }.map { ($0, word) } }
  }()

  private static let shared = SharedRecordings.folder("verdicts/suite")

  @Test(
    "names, order, packing, format and the place of a capture do not change it",
    .enabled(if: !variants.isEmpty, "needs the calls in ../shared/verdicts"), arguments: variants)
  func invariant(id: String, word: String) throws {
    let verdict = try JudgedCall(id, in: Self.shared).row()["verdict"] as? String
    // Who saw less may know less.
    #expect(verdict == word || verdict == "unjudged", "\(verdict ?? "nothing")")
  }
}
