import CallModel
import CallStore
import Rendering

/// One call as Markdown for a ticket: the summary, then the evidence with its places in the files.
public struct CallMarkdown {
  private let account: CallAccount
  private let places: [Int64: [EvidencePlace]]
  private let zone: Zone

  /// Creates the document; `places` are those of the call's findings.
  public init(_ account: CallAccount, places: [Int64: [EvidencePlace]] = [:], zone: Zone) {
    (self.account, self.places, self.zone) = (account, places, zone)
  }

  /// The document, with line feeds.
  public var text: String {
    var lines = [
      "# Call \(Self.escaped(account.call.id))", "", Self.escaped(facts.joined(separator: " · ")), "",
    ]
    lines += Narrative(account).sentences.map(Self.escaped)
    section(
      "Worst moments",
      WorstLines(account, zone: zone, width: 10_000).lines.map { "- " + Self.escaped($0) }, &lines)
    section("Findings", RepeatedFindings.of(account.findings).flatMap(finding), &lines)
    section("Setup", setup, &lines)
    section("Scores", scores, &lines)
    section(
      "Sources",
      account.sources.map { "- \(Self.code($0.path)), \(Self.escaped(SourceWords.facts($0)))" }, &lines)
    section("Not known", Unknowns(account).sentences.map { "- " + Self.escaped($0) }, &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ body: [String], _ lines: inout [String]) {
    if !body.isEmpty { lines += ["", "## \(title)", ""] + body }
  }

  private var facts: [String] {
    let call = account.call
    var facts: [String] = []
    if let started = call.startedMs { facts += moment(started).map { [$0] } ?? [] }
    if let run = call.run { facts.append("run \(run)") }
    if let sdk = call.sdk { facts.append(sdk + (call.sdkVersion.map { " \($0)" } ?? "")) }
    if let scenario = call.scenario { facts.append(scenario) }
    facts.append("outcome \(call.outcome.rawValue)")
    if let mean = call.scoreMean { facts.append("score \(Measure.points(mean))") }
    if let expected = call.expectedOutcome, expected != call.outcome {
      facts.append("expected: \(expected.rawValue)")
    }
    if let excluded = call.excluded { facts.append("excluded: \(excluded)") }
    if let known = call.known { facts.append("known: \(known)") }
    return facts
  }

  private func moment(_ ms: Double) -> String? {
    guard let date = zone.dateText(ms), let clock = zone.clockText(ms) else { return nil }
    return "\(date) \(clock)\(zone.offsetText(ms))"
  }

  private func finding(_ repeated: RepeatedFindings) -> [String] {
    let entry = repeated.example
    let finding = entry.finding
    let often = repeated.words.map { ", \($0), the longest" } ?? ""
    let end = (entry.end.map { ", \($0)" } ?? "") + often
    let time = finding.startMs.flatMap { zone.clockText($0) }.map { ", \($0)" } ?? ""
    var lines = [
      "- **\(finding.severity.rawValue)** \(Self.code(finding.name))\(Self.escaped(end + time)): \(Self.escaped(finding.text))"
    ]
    let evidence = finding.evidence.members.map { "\($0.name) \($0.value)" }
    if !evidence.isEmpty { lines.append("  - evidence: \(Self.escaped(evidence.joined(separator: ", ")))") }
    lines += (entry.key.flatMap { places[$0] } ?? []).prefix(8).map { "  - at \(place($0))" }
    return lines
  }

  private func place(_ place: EvidencePlace) -> String {
    let isCapture = account.sources.contains {
      $0.path == place.source && $0.format.map(SourceFormat.init)?.isCapture == true
    }
    var text = Self.code(place.source + (isCapture ? "" : place.line.map { ":\($0)" } ?? ""))
    if isCapture, let frame = place.line { text += " frame \(frame)" }
    if let event = place.event { text += " " + Self.escaped(event) }
    let times = [place.fromMs, place.event == nil ? place.untilMs : nil].compactMap { $0 }
      .compactMap { zone.preciseClockText($0) }
    if !times.isEmpty {
      text += (place.event == nil ? ", reports of " : ", ") + Self.escaped(times.joined(separator: " to "))
    }
    return text
  }

  private var setup: [String] {
    var rows: [[String]] = []
    for end in account.ends {
      for attempt in end.attempts {
        for phase in attempt.phases where phase.state == .measured {
          rows.append([
            SetupWords.title(attempt, of: end), phase.name.rawValue,
            phase.durationMs.map { Measure.duration($0) } ?? "", phase.cause ?? "",
          ])
        }
        if let total = attempt.setupMs {
          rows.append([SetupWords.title(attempt, of: end), "total", SetupWords.total(total, of: attempt), ""])
        }
      }
    }
    return table(["attempt", "phase", "took", "cause"], rows)
  }

  private var scores: [String] {
    table(
      ["end", "score", "lowest", "points lost"],
      account.ends.compactMap { end in
        end.score.map { score in
          let lost = score.causes.map { "\($0.cause.words) \($0.points)" }
          return [
            end.name, Measure.points(score.mean), String(score.lowest),
            lost.isEmpty ? "nothing" : lost.joined(separator: ", "),
          ]
        }
      })
  }

  private func table(_ head: [String], _ rows: [[String]]) -> [String] {
    guard !rows.isEmpty else { return [] }
    let lines = [head, head.map { _ in "---" }] + rows.map { $0.map(Self.escaped) }
    return lines.map { "| " + $0.joined(separator: " | ") + " |" }
  }

  /// Text escaped so that none of it is markup or starts a new line.
  private static func escaped(_ text: String) -> String {
    Escape.markdown(VisibleText.visible(text), "\\`*_[]<>|&~#")
  }

  /// A name as inline code, or as escaped text if it contains the delimiter.
  private static func code(_ text: String) -> String {
    let text = VisibleText.visible(text)
    return text.contains("`") || text.contains("|") ? escaped(text) : "`\(text)`"
  }
}

/// A place in a file that a finding is based on: the line of an event, or the reports between two times.
public struct EvidencePlace: Sendable, Equatable {
  public var source: String
  public var line: Int64?
  public var event: String?
  public var fromMs: Double?
  public var untilMs: Double?

  /// The places of each finding of a call, by key of the finding.
  public static func places(ofCall call: Int64, in store: Store) throws -> [Int64: [EvidencePlace]] {
    var places: [Int64: [EvidencePlace]] = [:]
    let rows = try NamedRow.rows(
      store,
      """
      SELECT * FROM finding_places WHERE call_key = :call ORDER BY finding_key, t_ms, source, line
      """, ["call": .integer(call)])
    for row in rows {
      guard let key = row.integer("finding_key") else { continue }
      places[key, default: []].append(
        EvidencePlace(
          source: row.text("source") ?? "-", line: row.integer("line"), event: row.text("event"),
          fromMs: row.number("t_ms"), untilMs: row.number("until_ms")))
    }
    return places
  }
}
