import CallModel
import Rendering

/// What a telephone, gateway or service reported about the media it received (RFC 6035, RFC 3611, `X-RTP-Stat`, a
/// summary). These are the vendor's figures; they are shown beside ours and never used in them.
enum MakerWords {
  /// Members of a report in the order of display, with names and units.
  private static let members: [(member: String, words: @Sendable (String) -> String)] = [
    ("mos_listening", { "MOS \($0)" }), ("mos_conversational", { "MOS \($0) in conversation" }),
    ("r_listening", { "R \($0)" }), ("r_conversational", { "R \($0) in conversation" }),
    ("loss_percent", { "\($0) % lost" }), ("lost", { "\($0) packets lost" }),
    ("discarded_percent", { "\($0) % discarded" }), ("skip_packet_count", { "\($0) packets skipped" }),
    ("jitter_ms", { "jitter \($0) ms" }),
    ("jitter_max_ms", { "at most \($0) ms" }), ("jitter_max_variance", { "jitter variance up to \($0)" }),
    ("rtt_ms", { "round trip \($0) ms" }),
  ]

  /// The last report of an end; nil if there is none.
  package static func of(_ end: EndAccount, in account: CallAccount) -> String? {
    let report = account.events.last { event in
      event.end == end.name && event.record.event == "media.quality-reported"
        && memberText("by", of: event.record.args) != nil && memberText("of", of: event.record.args) != "sent"
    }
    guard let args = report?.record.args, let by = memberText("by", of: args) else { return nil }
    let parts = members.compactMap { member, words in
      memberText(member, of: args).map { words(VisibleText.cut($0, to: 12)) }
    }
    guard !parts.isEmpty else { return nil }
    return "\(parts.joined(separator: ", ")) (\(VisibleText.cut(by, to: 20)))"
  }
}
