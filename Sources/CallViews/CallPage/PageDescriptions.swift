import CallModel
import Rendering

/// The section on session descriptions (SDP) of each end in order, with the changes from one to the next.
struct PageDescriptions {
  /// A description set by an end.
  struct Described {
    package var end: String
    package var timeMs: Double?
    /// `local offer`, `remote answer`.
    package var what: String
    package var lines: [String]
    /// Lines added and removed since the previous one of the same end and side; nil for the first.
    package var changes: (added: [String], removed: [String])?
    /// What an answer accepted of the other side's offer; nil if it is no answer, or if its offer is unknown.
    package var answered: OfferAndAnswer?
  }

  package let all: [Described]
  private let zone: Zone
  /// Maximum number of descriptions on a page, and of lines in each; the database has all of them.
  private static let most = 40
  private static let maxLines = 400

  package init(_ account: CallAccount, _ zone: Zone) {
    self.zone = zone
    var all: [Described] = []
    var last: [String: [String]] = [:]
    // The last offer that each end tells of, or that was seen in the call.
    var offers: [String?: (author: String, lines: [String])] = [:]
    for event in account.ownEvents {
      /// Which side's an end told of; nil where what it sent was seen, as in SIP.
      let side: String?
      switch event.record.event {
      case .unknown where event.record.note == .description: side = nil
      case .sdpLocalSetting, .sdpOfferSent, .sdpAnswerSent: side = "local"
      case .sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived, .sdpRemoteSetting:
        side = "remote"
      default: continue
      }
      guard let text = event.record[.sdp], text.hasPrefix("v=") else { continue }
      let lines = text.split(whereSeparator: \.isNewline).prefix(Self.maxLines).map {
        VisibleText.cut(String($0), to: 300)
      }
      let end = event.end ?? "the call"
      let type = event.record[.type] ?? Self.type(of: event.record.event)
      var one = Described(
        end: end, timeMs: event.record.timeMs, what: [side, type].compactMap(\.self).joined(separator: " "),
        lines: lines)
      // Repeating the same description is no change.
      let author = "\(end) \(side ?? "")"
      if let before = last[author] {
        if before == lines { continue }
        one.changes = Self.changes(from: before, to: lines)
      }
      last[author] = lines
      if type == "offer" {
        offers[side.map { _ in end }] = (author, lines)
      } else if let offer = offers[side.map { _ in end }], offer.author != author {
        one.answered = OfferAndAnswer(offer: offer.lines, answer: lines)
      }
      all.append(one)
    }
    self.all = all
  }

  private static func type(of event: EventName) -> String { event.isOffer ? "offer" : "answer" }

  /// Lines that only one of them has, or has more often; the session version is ignored.
  package static func changes(from before: [String], to after: [String]) -> (
    added: [String], removed: [String]
  ) {
    func counts(_ lines: [String]) -> [String: Int] {
      lines.reduce(into: [:]) { if !$1.hasPrefix("o=") { $0[$1, default: 0] += 1 } }
    }
    func more(_ lines: [String], than other: [String: Int]) -> [String] {
      var left = other
      return lines.filter { line in
        guard !line.hasPrefix("o=") else { return false }
        if let count = left[line], count > 0 {
          left[line] = count - 1
          return false
        }
        return true
      }
    }
    return (more(after, than: counts(before)), more(before, than: counts(after)))
  }

  package func write(to html: inout HTML) {
    guard !all.isEmpty else { return }
    html.element("section", ["class": "card", "id": "sdp"]) { card in
      card.element("h2", "Session descriptions")
      card.element(
        "p", ["class": "note"],
        "As each end set them, in their order. Passwords and keys are not kept. + and − are against the one before of the same end and side; of an answer also against the offer that it answers, where they say what is agreed upon."
      )
      for one in all.prefix(Self.most) {
        card.element("details") { more in
          more.element("summary", title(one))
          if let answered = one.answered { write(answered, to: &more) }
          if let changes = one.changes {
            more.element("pre", ["class": "diff"]) { text in
              for line in changes.removed { text.element("del", "− \(line)\n") }
              for line in changes.added { text.element("ins", "+ \(line)\n") }
            }
            more.element("details") { whole in
              whole.element("summary", "the whole description")
              whole.element("pre", one.lines.joined(separator: "\n"))
            }
          } else {
            more.element("pre", one.lines.joined(separator: "\n"))
          }
        }
      }
      if all.count > Self.most {
        card.element(
          "p", ["class": "note"],
          "\(all.count - Self.most) later ones are not on this page: callqa events --json has them.")
      }
    }
  }

  private func write(_ answered: OfferAndAnswer, to html: inout HTML) {
    html.element(
      "p", ["class": "note"],
      answered.differences.isEmpty
        ? "All that was offered was taken as it was." : "Against the offer that it answers:")
    guard !answered.differences.isEmpty else { return }
    html.element("pre", ["class": "diff"]) { text in
      for section in answered.differences {
        text.text("\(section.name)\(section.isRefused ? ": refused" : "")\n")
        for line in section.removed { text.element("del", "− \(line)\n") }
        for line in section.added { text.element("ins", "+ \(line)\n") }
      }
    }
  }

  private func title(_ one: Described) -> String {
    let time = one.timeMs.flatMap { zone.preciseClockText($0) } ?? "no time"
    let media = one.lines.filter { $0.hasPrefix("m=") }.map { $0.dropFirst(2).prefix { $0 != " " } }.joined(
      separator: ", ")
    var title = "\(time) \(VisibleText.cut(one.end, to: 40)), \(one.what)"
    if !media.isEmpty { title += ": \(VisibleText.cut(media, to: 60))" }
    if let changes = one.changes {
      title +=
        changes.added.isEmpty && changes.removed.isEmpty
        ? ", nothing changed" : ", +\(changes.added.count) −\(changes.removed.count)"
    }
    if let words = one.answered?.words { title += "; \(words)" }
    return title
  }
}
