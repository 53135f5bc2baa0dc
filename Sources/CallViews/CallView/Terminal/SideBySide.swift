import CallModel
import Rendering

/// The ends of a call side by side, one fact per line.
struct SideBySide {
  private let account: CallAccount
  /// Maximum number of ends; conferences are shown differently.
  private static let maxEnds = 3

  /// Facts that only the full view shows.
  private static let details: Set<String> = ["client", "sends", "points lost"]
  /// Short forms of facts of the full view.
  private static let short: [String: Fact] = [
    "network": { end, _ in PathWords.brief(end) },
    "hears": { end, _ in StreamWords.received(end, .audio, briefly: true) },
    "sees": { end, account in sees(end, in: account, briefly: true) },
  ]
  private let briefly: Bool

  package init(_ account: CallAccount, briefly: Bool = false) {
    (self.account, self.briefly) = (account, briefly)
  }

  private var shownFacts: [(name: String, fact: Fact)] {
    guard briefly else { return Self.facts.map { ($0.0, $0.1) } }
    return Self.facts.filter { !Self.details.contains($0.0) }.map { ($0.0, Self.short[$0.0] ?? $0.1) }
  }

  /// Whether anything besides its name is known of an end.
  package var hasFacts: Bool {
    shownFacts.contains { fact in account.ends.contains { fact.fact($0, account) != nil } }
  }

  /// The lines, cut to the width; a title precedes the names if it fits.
  package func lines(width: Int, ink: TerminalStyle, title: String? = nil) -> [String] {
    let shown = Array(account.ends.prefix(Self.maxEnds))
    guard !shown.isEmpty else { return [] }
    let label = 15
    let column = max(12, (width - label) / shown.count - 2)
    let isBeside = title.map { VisibleText.width($0) < label } ?? false
    var lines = title.map { isBeside ? [] : [ink(.heading, $0)] } ?? []
    lines += [line(isBeside ? title ?? "" : "", shown.map { VisibleText.visible($0.name) }, label, column)]
      .map {
        ink(.heading, $0)
      }
    for (name, fact) in shownFacts {
      let values = shown.map { fact($0, account) }
      guard values.contains(where: { $0 != nil }) else { continue }
      let wrapped = values.map { VisibleText.wrap($0 ?? CellText.unknown, to: column) }
      for row in 0..<(wrapped.map(\.count).max() ?? 1) {
        lines.append(line(row == 0 ? name : "", wrapped.map { row < $0.count ? $0[row] : "" }, label, column))
      }
    }
    let rest = account.ends.count - shown.count
    if rest > 0 { lines.append(ink(.faint, "and \(Plural.of(rest, "more end"))")) }
    return lines
  }

  private func line(_ name: String, _ values: [String], _ label: Int, _ column: Int) -> String {
    var text =
      VisibleText.fit(name, to: label)
      + values.map { VisibleText.fit($0, to: column) }.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    return text
  }

  package typealias Fact = @Sendable (EndAccount, CallAccount) -> String?

  package static let facts: [(String, Fact)] = [
    ("score", { end, account in score(of: end, in: account) }),
    (
      "points lost",
      { end, _ in
        guard let score = end.score else { return nil }
        let parts = score.causes.map { "\($0.cause.rawValue) \($0.points)" }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
      }
    ),
    ("person", { end, _ in end.person.map { VisibleText.visible($0) } }),
    ("client", { end, _ in end.client }),
    ("network", { end, _ in PathWords.of(end) }),
    ("hears", { end, _ in StreamWords.received(end, .audio) }),
    ("sees", { end, account in sees(end, in: account) }),
    ("sends", { end, _ in StreamWords.sent(end) }),
    ("its own word", { end, account in MakerWords.of(end, in: account) }),
  ]

  private static func sees(_ end: EndAccount, in account: CallAccount, briefly: Bool = false) -> String? {
    StreamWords.received(end, .video, briefly: briefly)
      ?? (account.isPicturePromised(to: end) ? "no packet came" : nil)
  }

  /// `76, lowest 0`; of a single end `76, lowest 0, MOS 3.9 (FB)`: the E-model's score exists for the worse end only, and
  /// beside another end without one it would look like a difference.
  private static func score(of end: EndAccount, in account: CallAccount) -> String? {
    guard let score = end.score else {
      // The windows behind it may be gone, or may never have been stored.
      return account.call.scoreEndpoint == end.name
        ? account.call.scoreMean.map { "\(Measure.points($0))" } : nil
    }
    // Rounded to an integer, so that it adds up to 100 with the points below it.
    var text = "\(CellText.fixed(score.mean, decimals: 0)), lowest \(score.lowest)"
    if account.ends.count == 1, let mos = account.call.mos {
      text += ", MOS " + Measure.opinion(mos, scale: account.call.mosScale)
    }
    return text
  }
}

/// What a telephone, gateway or service reported about the media it received (RFC 6035, RFC 3611, `X-RTP-Stat`, a
/// summary). These are the vendor's figures; they are shown beside ours and never used in them.
private enum MakerWords {
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
      event.end == end.name && event.record.event == .mediaQualityReported
        && event.record[.by] != nil && event.record[.of] != "sent"
    }
    guard let args = report?.record.args, let by = memberText("by", of: args) else { return nil }
    let parts = members.compactMap { member, words in
      memberText(member, of: args).map { words(VisibleText.cut(rounded($0), to: 12)) }
    }
    guard !parts.isEmpty else { return nil }
    let seen = memberText("seen_by", of: args) == "switch" ? ", of what it received from here" : ""
    return "\(parts.joined(separator: ", ")) (\(VisibleText.cut(by, to: 20))\(seen))"
  }

  /// A number with two decimals at most; other text as it is.
  private static func rounded(_ text: String) -> String {
    guard let point = text.firstIndex(of: "."), text[point...].count > 3, let value = Double(text) else {
      return text
    }
    return CellText.fixed(value, decimals: 2)
  }
}
