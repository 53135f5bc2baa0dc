import CallModel
import Rendering

/// The section on events in order; minor ones are hidden by a style that a checkbox disables.
struct PageEvents {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  package init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    (self.account, self.zone, self.zeroMs) = (account, zone, zeroMs)
  }

  package func write(to html: inout HTML) {
    guard !account.ownEvents.isEmpty else { return }
    let shown = ShownEvents(account.ownEvents)
    let participants = Participants(account)
    html.element("section", ["class": "card events", "id": "events"]) { card in
      card.element("h2", "Events")
      let minor = shown.events.filter { EventWords.isChatter($0) }.count
      if minor > 0 {
        card.element("label", ["class": "note"]) { label in
          label.open("input", ["type": "checkbox", "id": "minor"])
          label.text(" also \(Plural.of(minor, "minor event")) (candidates, names that are not known)")
        }
      }
      for sentence in ClockWords.sentences(account) { card.element("p", ["class": "note"], sentence) }
      card.scrollBox("Events") { box in
        box.table(["time", "into the call", "end", "event", "details"], isNumber: (...1).contains) { body in
          for event in shown.events { write(event, participants, &body) }
        }
      }
      if !shown.left.isEmpty {
        let kinds = shown.left.prefix(8).map { "\($0.count) of \(VisibleText.cut($0.kind, to: 60))" }
        let others = shown.left.dropFirst(8).reduce(0) { $0 + $1.count }
        card.element("p", ["class": "note"]) { note in
          note.text(
            "Left out: \((kinds + (others > 0 ? [Plural.of(others, "other")] : [])).joined(separator: ", ")). "
          )
          note.element("code", "callqa events \(ShellWord.quoted(account.call.id))")
          note.text(" lists all.")
        }
      }
    }
  }

  private func write(_ event: AccountEvent, _ participants: Participants, _ html: inout HTML) {
    let record = event.record
    html.element("tr", ["class": EventWords.isChatter(event) ? "minor" : nil]) { row in
      row.element("td", ["class": "n"]) { cell in
        guard let time = record.timeMs else { return cell.text("no time") }
        let hash = "#t=" + CellText.fixed((time - zeroMs) / 1000, decimals: 3)
        cell.element("a", ["href": hash], zone.preciseClockText(time) ?? "?")
      }
      row.element(
        "td", ["class": "n"],
        record.timeMs.map {
          ($0 < zeroMs ? "−" : "+") + CellText.fixed(abs($0 - zeroMs) / 1000, decimals: 3, keepingZeros: true)
            + " s"
        } ?? "")
      row.element("td", VisibleText.cut(event.end ?? "", to: 40))
      row.element("td") { cell in
        cell.text(EventWords.name(record))
        if let until = record.untilMs, let from = record.timeMs {
          cell.text(" for \(Measure.duration(until - from))")
        }
      }
      row.element("td") { cell in
        cell.text(EventWords.arguments(record, valueWidth: 80, participants: participants))
        if let anomaly = record.anomaly {
          cell.text(" ")
          cell.element("span", ["class": "badge warning"], VisibleText.cut(anomaly, to: 200))
        }
      }
    }
  }
}

/// Selects the events of a long call for the table on its page: of events that repeat, only the first ones.
struct ShownEvents {
  let events: [AccountEvent]
  /// Omitted events by kind: `media.resolution-changed (caller)` and their number.
  private(set) var left: [(kind: String, count: Int)] = []
  /// Maximum number of rows of a table that is shown in full.
  private static let few = Limit.pageEvents.value
  /// Maximum number of rows of one kind in a longer table.
  private static let ofAKind = Limit.pageEventsOfKind.value
  /// Maximum number of rows in total.
  private static let most = Limit.pageEventsSelected.value

  init(_ all: [AccountEvent]) {
    guard all.count > Self.few else {
      events = all
      return
    }
    var (counts, missing): ([String: Int], [String: Int]) = ([:], [:])
    var order: [String] = []
    var shown: [AccountEvent] = []
    for event in all {
      let kind = Self.kind(event)
      let count = counts[kind, default: 0]
      if count == 0 { order.append(kind) }
      counts[kind] = count + 1
      if event.record.anomaly != nil || count < Self.ofAKind, shown.count < Self.most {
        shown.append(event)
      } else {
        missing[kind, default: 0] += 1
      }
    }
    left = order.compactMap { kind in missing[kind].map { (kind, $0) } }
    events = shown
  }

  private static func kind(_ event: AccountEvent) -> String {
    EventWords.name(event.record) + (event.end.map { " (\($0))" } ?? "")
  }
}
