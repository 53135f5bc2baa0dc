import CallModel

/// Who was in a conference, from when to when.
struct PageRoster {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    (self.account, self.zone, self.zeroMs) = (account, zone, zeroMs)
  }

  func write(to html: inout HTML) {
    let roster = Roster(account).people
    guard !roster.isEmpty else { return }
    html.element("section", ["class": "card", "id": "roster"]) { card in
      card.element("h2", "Who was there")
      card.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Participants"]
      ) { box in
        box.element("table") { table in
          table.element("thead") { head in
            head.element("tr") { row in
              for name in ["participant", "role", "joined", "left", "on stage", "presented"] {
                row.element("th", ["scope": "col"], name)
              }
            }
          }
          table.element("tbody") { body in
            for person in roster.prefix(500) {
              body.element("tr") { row in
                row.element("td", VisibleText.cut(person.name, to: 80))
                row.element("td", VisibleText.cut(person.role ?? CellText.unknown, to: 40))
                row.element("td", ["class": "n"], person.joinedMs.map(clock) ?? "before")
                row.element("td", ["class": "n"], person.leftMs.map(clock) ?? "stayed")
                row.element("td", ["class": "n"], person.stageMs > 0 ? Measure.duration(person.stageMs) : "")
                row.element(
                  "td", ["class": "n"], person.presentedMs > 0 ? Measure.duration(person.presentedMs) : "")
              }
            }
          }
        }
      }
    }
  }

  private func clock(_ timeMs: Double) -> String { zone.clockText(timeMs) ?? CellText.unknown }
}

/// The participants of a conference, from its events.
struct Roster {
  /// One participant.
  struct Person {
    var name: String
    var role: String?
    var joinedMs: Double?
    var leftMs: Double?
    var stageMs = 0.0
    var presentedMs = 0.0
  }

  private(set) var people: [Person] = []

  init(_ account: CallAccount) {
    var places: [String: Int] = [:]
    for event in account.ownEvents where event.record.event.hasPrefix("conference.") {
      let record = event.record
      guard let id = record.argument("participant") ?? record.argument("uuid") else { continue }
      if places[id] == nil {
        places[id] = people.count
        people.append(Person(name: id))
      }
      guard let place = places[id] else { continue }
      update(&people[place], record, lastMs: account.lastMs)
    }
    people.sort { ($0.joinedMs ?? 0, $0.name) < ($1.joinedMs ?? 0, $1.name) }
  }

  private func update(_ person: inout Person, _ record: EventRecord, lastMs: Double?) {
    if let name = record.argument("display_name") ?? record.argument("name"), !name.isEmpty {
      person.name = name
    }
    if let role = record.argument("role") { person.role = role }
    let length = record.timeMs.flatMap { from in (record.untilMs ?? lastMs).map { max(0, $0 - from) } } ?? 0
    switch record.event {
    case "conference.participant-joined": person.joinedMs = person.joinedMs ?? record.timeMs
    case "conference.participant-left": person.leftMs = record.timeMs
    case "conference.stage": person.stageMs += record.untilMs == nil ? 0 : length
    case "conference.presentation-started": person.presentedMs += length
    default: break
    }
  }
}
