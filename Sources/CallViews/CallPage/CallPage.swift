import Bytes
import CallModel
import CallStore
import IO
import Rendering

/// One call as a self-contained page: it fetches nothing, and text from the call is never interpreted as markup.
public struct CallPage {
  package let account: CallAccount
  package let zone: Zone
  package let lanes: [TimelineLane]
  private let resources: PageResources
  let zeroMs: Double
  /// Relative URL of the report that links to the page; nil for a standalone page.
  package var report: String?
  /// The call as Markdown, to be copied; nil if the page was not made from a store.
  private var markdown: String?
  /// Packets of its captured streams; empty if no capture was read again for the page.
  package var packets: [PacketExcerpt] = []

  /// The page of a call read from a store. Rethrows errors of the store.
  public init(_ account: CallAccount, in store: Store, zone: Zone, resources: PageResources) throws {
    let zeroMs = account.zeroMs ?? 0
    self.init(
      account, lanes: try TimelineLaneBuilder.lanes(account, in: store, zeroMs: zeroMs), zone: zone,
      resources: resources)
    let places = try EvidencePlace.places(ofCall: account.call.key, in: store)
    markdown = CallMarkdown(account, places: places, zone: zone).text
  }

  package init(_ account: CallAccount, lanes: [TimelineLane], zone: Zone, resources: PageResources) {
    self.account = account
    self.zone = zone
    self.lanes = lanes
    self.resources = resources
    zeroMs = account.zeroMs ?? 0
  }

  /// The page in UTF-8.
  public func bytes() -> [UInt8] {
    var html = HTML()
    html.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    html.open("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    html.markup("<meta name=\"referrer\" content=\"no-referrer\">\n")
    html.element("title", VisibleText.cut(account.call.id, to: 120) + " · callqa")
    html.open("style")
    html.trusted(resources.style)
    html.close("style")
    html.markup("\n</head>\n<body>\n")
    html.element("main") { main in
      if let report {
        main.element("nav", ["class": "back", "aria-label": "Back"]) { nav in
          nav.element("a", ["href": report], "‹ The report")
          nav.element("a", ["href": "\(report)#worst"], "Open these first")
        }
      }
      body(&main)
    }
    html.json(
      id: "call-data",
      PageData(
        account, lanes: lanes, packets: packets, markdown: markdown, zone: zone, zeroMs: zeroMs
      ).text)
    html.markup("\n")
    html.open("script")
    html.trusted(resources.script)
    html.close("script")
    html.markup("\n</body>\n</html>\n")
    return html.bytes
  }

  private var policy: String { PageSecurity.policy(script: resources.script, style: resources.style) }

  private func body(_ main: inout HTML) {
    PageHead(account, zone, hasMarkdown: markdown != nil).write(to: &main)
    var sections = HTML()
    var contents: [(id: String, title: String)] = []
    func add(_ id: String, _ title: String, to html: inout HTML, _ write: (inout HTML) -> Void) {
      let before = html.bytes.count
      write(&html)
      if html.bytes.count > before { contents.append((id, title)) }
    }
    // First what a reader came for; then what it rests on.
    add("where", "Where it was", to: &sections) { PathPicture(account, zone, zeroMs: zeroMs).write(to: &$0) }
    let moments = PageMoments(account, zone)
    sections.element("div", ["class": "pair"]) { pair in
      add("findings", "Findings", to: &pair) { moments.writeFindings(to: &$0) }
      add("worst", "Worst moments", to: &pair) { moments.writeWorst(to: &$0) }
    }
    sections.element("div", ["class": "above"]) { grid in
      add("ends", "Ends", to: &grid) { PageEnds(account).write(to: &$0) }
      add("setup", "Setup", to: &grid) { PageSetup(account).write(to: &$0) }
      add("not-known", "Not known", to: &grid) { PageTrust(account).write(to: &$0) }
    }
    add("hears", HearsGrid.title, to: &sections) { HearsGrid(account).write(to: &$0) }
    add("timeline", "Timeline", to: &sections) {
      PageTimeline(hasLanes: hasTimeline, spanS: PageData.spanS(account, zeroMs: zeroMs)).write(to: &$0)
    }
    add("wire", "On the wire", to: &sections) { PageWire(account, zone).write(to: &$0) }
    add("participants", "Who was there", to: &sections) {
      PageParticipants(account, zone, zeroMs: zeroMs).write(to: &$0)
    }
    add("ladder", "Ladder", to: &sections) { PageLadder(account, zone, zeroMs: zeroMs).write(to: &$0) }
    add("ice", "Candidates", to: &sections) { PageCandidates(account, zone).write(to: &$0) }
    add("sdp", "SDP", to: &sections) { PageDescriptions(account, zone).write(to: &$0) }
    add("streams", "Streams", to: &sections) {
      PageStreams(account, listsPackets: packets.isEmpty).write(to: &$0)
    }
    add("packets", "Packets", to: &sections) { PagePackets(packets).write(to: &$0) }
    add("events", "Events", to: &sections) { PageEvents(account, zone, zeroMs: zeroMs).write(to: &$0) }
    main.element("nav", ["class": "contents", "aria-label": "Contents"]) { nav in
      for entry in contents { nav.element("a", ["href": "#" + entry.id], entry.title) }
    }
    main.trusted(sections.bytes)
  }

  private var hasTimeline: Bool {
    !lanes.isEmpty || account.ends.contains { !$0.windows.isEmpty } || !account.events.isEmpty
  }
}

/// What captures add to the statistics: where packets were lost, and the score from packets alone.
struct PageWire {
  private let account: CallAccount
  private let zone: Zone

  package init(_ account: CallAccount, _ zone: Zone) { (self.account, self.zone) = (account, zone) }

  package func write(to html: inout HTML) {
    let wire = WireWords(account).sentences
    let differences = DifferenceWords(account, zone: zone).differences
    guard !wire.isEmpty || !differences.isEmpty else { return }
    html.element("section", ["class": "card wire", "id": "wire"]) { card in
      if !wire.isEmpty {
        card.element("h2", "On the wire")
        list(wire, &card)
      }
      guard !differences.isEmpty else { return }
      card.element("h2", "Packets against statistics")
      DifferenceTable(account, zone: zone).write(to: &card)
      list(differences.map(\.summary), &card)
      let far = differences.filter { !$0.rows.isEmpty }
      guard !far.isEmpty else { return }
      card.element("details") { more in
        more.element("summary", "Where they differ, and why")
        for end in far { end.write(to: &more) }
      }
    }
  }

  private func list(_ sentences: [String], _ html: inout HTML) {
    html.element("ul") { list in for sentence in sentences { list.element("li", sentence) } }
  }
}

/// The section on the sources of the results and on their limits.
struct PageTrust {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  package func write(to html: inout HTML) {
    html.element("section", ["class": "card trust", "id": "not-known"]) { card in
      let unknown = Unknowns(account).sentences
      card.element("h2", "Not known")
      if unknown.isEmpty {
        card.element("p", ["class": "note"], "Nothing that matters is missing.")
      } else {
        card.element("ul") { list in for sentence in unknown { list.element("li", sentence) } }
      }
      card.element("h2", "Sources")
      card.element("ul", ["class": "sources"]) { list in
        let names = SourceWords.names(account.sources)
        for source in account.sources {
          list.element("li") { item in
            item.element(
              "span", ["class": "file", "title": VisibleText.cut(source.path, to: 300)],
              VisibleText.cut(names[source.key] ?? source.name, to: 80))
            item.element("span", ["class": "note"], " " + SourceWords.facts(source))
            guard !source.notes.isEmpty else { return }
            item.element("details", ["class": "note"]) { more in
              more.element("summary", Plural.of(source.notes.count, "note"))
              for note in source.notes {
                more.element("p", ["class": "note"], VisibleText.cut(note, to: 400))
              }
            }
          }
        }
      }
    }
  }
}

/// The section that compares the ends.
struct PageEnds {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  package func write(to html: inout HTML) {
    let facts = SideBySide.facts.filter { fact in account.ends.contains { fact.1($0, account) != nil } }
    guard !facts.isEmpty else { return }
    let many = account.ends.count > 3
    html.element("section", ["class": "card ends", "id": "ends"]) { card in
      card.element("h2", EndWords.title(of: account.ends))
      card.scrollBox("Ends of the call") { box in
        box.element("table", ["class": many ? "wide" : nil]) { table in
          table.element("thead") { head in
            head.element("tr") { row in
              row.element("td", "")
              for (index, end) in account.ends.enumerated() {
                row.element("th", ["scope": "col"]) { cell in
                  cell.element("span", ["class": "key end\(index % 6)", "aria-hidden": "true"], "")
                  cell.text(VisibleText.cut(end.name, to: 60))
                }
              }
            }
          }
          table.element("tbody") { body in
            for (name, fact) in facts {
              let values = account.ends.map { fact($0, account) }
              body.element("tr") { row in
                row.element("th", ["scope": "row"], name)
                for value in values { row.element("td", value ?? CellText.unknown) }
              }
            }
          }
        }
      }
    }
  }
}

/// The section on the setup of each end.
struct PageSetup {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  package func write(to html: inout HTML) {
    let attempts = account.ends.flatMap { end in end.attempts.map { (end, $0) } }.filter {
      !$0.1.phases.isEmpty
    }
    // Ends without any measured phase are summed up together.
    let drawn = attempts.filter { $0.1.phases.contains { $0.state == .measured } }
    let silent = attempts.filter { !$0.1.phases.contains { $0.state == .measured } }
    let shown = silent.count > 2 ? drawn + silent.prefix(1) : attempts
    let left = attempts.count - shown.count
    guard let first = shown.first else { return }
    html.element("section", ["class": "card setup", "id": "setup"]) { card in
      card.element("h2", "Setup")
      picture(first.0, first.1, &card)
      if left > 0, drawn.isEmpty { others(left, &card) }
      guard shown.count > 1 else { return }
      card.element("details") { more in
        more.element(
          "summary", shown.count == 2 && left == 0 ? "The other end" : "\(attempts.count - 1) more")
        for (end, attempt) in shown.dropFirst() { picture(end, attempt, &more) }
        if left > 0, !drawn.isEmpty { others(left, &more) }
      }
    }
  }

  private func others(_ count: Int, _ html: inout HTML) {
    html.element(
      "p", ["class": "note"],
      "Of \(Plural.of(count, "other attempt")) no phase is known either; `callqa setup` lists them."
    )
  }

  private func picture(_ end: EndAccount, _ attempt: SetupAttempt, _ html: inout HTML) {
    html.element("figure") { figure in
      let total = attempt.setupMs.map { ": \(SetupWords.total($0, of: attempt))" } ?? ": total not known"
      let restart = attempt.isRestart ? ", an ICE restart" : ""
      let which =
        end.attempts.count > 1 ? ", attempt \(attempt.attempt)\(restart), \(attempt.outcome.rawValue)" : ""
      figure.element("figcaption", Measure.sentence("\(EndWords.name(end.name))\(which)\(total)"))
      SetupPicture(attempt).write(to: &figure)
    }
  }
}

/// The section on who was in a conference and when.
struct PageParticipants {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  package init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    (self.account, self.zone, self.zeroMs) = (account, zone, zeroMs)
  }

  private static let columns = [
    "participant", "role", "by", "joined", "left", "spoke", "presented", "video lost",
  ]

  package func write(to html: inout HTML) {
    let people = Participants(account).people
    guard !people.isEmpty else { return }
    html.element("section", ["class": "card", "id": "participants"]) { card in
      card.element("h2", "Who was there")
      card.scrollBox("Participants") { box in
        box.table(Self.columns, isNumber: (3...).contains) { body in
          for person in people.prefix(500) {
            body.row(
              [
                VisibleText.cut(person.name, to: 80),
                VisibleText.cut(person.role ?? CellText.unknown, to: 40),
                VisibleText.cut(person.way ?? CellText.unknown, to: 40),
                person.joinedMs.map(clock) ?? "before", person.leftMs.map(clock) ?? "stayed",
                person.spokeMs > 0 ? Measure.duration(person.spokeMs) : "",
                person.presentedMs > 0 ? Measure.duration(person.presentedMs) : "",
                person.dropouts > 0 ? Plural.times(person.dropouts) : "",
              ], isNumber: (3...).contains)
          }
        }
      }
    }
  }

  private func clock(_ timeMs: Double) -> String { zone.clockText(timeMs) ?? CellText.unknown }
}

/// The style and script of the call page, from `reports/call`.
public struct PageResources: Sendable {
  package let style: [UInt8]
  package let script: [UInt8]

  /// The parts of the script, in the order of their dependencies.
  private static let parts = [
    "data.js", "view.js", "axis.js", "score-lane.js", "line-lane.js", "state-lane.js", "event-lane.js",
    "legend.js", "cursor.js", "keys.js", "tables.js", "packets.js", "main.js",
  ]

  /// Reads the files from the tool's data directory. Throws `BytesError` if one is missing.
  public init() throws {
    guard let folder = ResourceFolder("reports") else {
      throw BytesError(
        .missing, "the folder `reports` that came with callqa is not where it should be: set CALLQA_HOME")
    }
    style = try folder.contents(of: "call/page.css")
    var script = Array("\"use strict\";\n(() => {\n".utf8)
    for part in Self.parts { script += try folder.contents(of: "call/\(part)") }
    self.script = script + Array("})();\n".utf8)
  }
}
