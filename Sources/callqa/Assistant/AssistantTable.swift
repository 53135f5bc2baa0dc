import CallModel
import Rendering

/// The table of tools, with their arguments.
extension AssistantTools {
  struct Argument {
    let name: String
    let type: String
    let meaning: String
    /// The allowed words; nil if any text is allowed.
    let words: [String]?

    init(_ name: String, _ type: String, _ meaning: String, of words: [String]? = nil) {
      (self.name, self.type, self.meaning, self.words) = (name, type, meaning, words)
    }

    /// Describes what is wrong with a given value; nil if it is valid.
    func problem(_ given: JSONFields) -> String? {
      let shown = VisibleText.cut(VisibleText.visible(given.raw(name) ?? ""), to: 60)
      guard type != "integer" else {
        return given.number(name) ?? 0 < 1
          ? "'\(name)' is a whole number above 0, not \(shown): \(meaning)" : nil
      }
      if type == "boolean" {
        return ["true", "false"].contains(given.raw(name))
          ? nil : "'\(name)' is a true or false, not \(shown): \(meaning)"
      }
      guard let text = given.text(name) else { return "'\(name)' is a text, not \(shown): \(meaning)" }
      guard let words, !words.contains(text) else { return nil }
      return "'\(name)' knows no \(shown): it is one of \(words.joined(separator: ", "))"
    }

    /// Its property in the JSON schema.
    var schema: String {
      let choice = words.map { ",\"enum\":[\($0.map(JSONText.quoted).joined(separator: ","))]" } ?? ""
      return
        "\(JSONText.quoted(name)):{\"type\":\"\(type)\",\"description\":\(JSONText.quoted(meaning))\(choice)}"
    }
  }

  struct Tool {
    let name: String
    let summary: String
    /// The first `needed` arguments are required.
    let arguments: [Argument]
    var needed = 0
  }

  private static let sinceHint =
    "21:55, 21:55:30, +1:20 from the call's start, or a date with time; UTC where no offset is given"
  private static let call = Argument("call", "string", "an id, its beginning, RUN/ID, last or worst")
  private static let since = Argument("since", "string", "from then on: \(sinceHint)")
  private static let until = Argument("until", "string", "before then")
  private static let limit = Argument("limit", "integer", "at most so many rows, 50 at most")

  static let all: [Tool] = [
    Tool(
      name: "list_runs",
      summary: "The runs (nights, releases) with their calls, broken calls and mean score, the latest last.",
      arguments: []),
    Tool(
      name: "list_calls",
      summary:
        "Calls with verdict, score and worst problem; of the latest run unless a run is named. Filters narrow the list.",
      arguments: [
        Argument("run", "string", "a run, or all"),
        Argument(
          "since", "string", "began at or after then: 24h, yesterday, 02:12, a date, or RFC 3339; UTC"),
        Argument("until", "string", "began before then"),
        Argument("verdict", "string", "a verdict", of: Verdict.Value.allCases.map(\.rawValue)),
        Argument("outcome", "string", "how it ended", of: Outcome.allCases.map(\.rawValue)),
        Argument("broken", "boolean", "true: only calls that did not end as they should have"),
        Argument("place", "string", "where the fault was", of: Place.allCases.map(\.rawValue)),
        Argument("person", "string", "a name, number or id of somebody in it"),
        Argument("sdk", "string", "an SDK, e.g. pexip"),
        Argument("finding", "string", "a finding's code, e.g. one-way-audio", of: FindingCode.names),
        Argument("codec", "string", "a codec, e.g. H264"),
        Argument("worst", "integer", "only the n calls with the lowest score"), limit,
      ]),
    Tool(
      name: "find_call",
      summary: "Which call is meant by an id, a person, a number, an address, an SSRC or a part of these.",
      arguments: [Argument("text", "string", "what a ticket says")], needed: 1),
    Tool(
      name: "call_facts",
      summary:
        "One call: verdict, what happened in words, both ends, scores, findings. With since: what held then, for a minute (21:55), a second (21:55:30), or until another time.",
      arguments: [call, since, until], needed: 1),
    Tool(
      name: "events",
      summary:
        "What happened in a call, in order: events of note, or all of one name or group (call, ice, media …).",
      arguments: [
        call, since, until, Argument("event", "string", "a name or group, e.g. call.ended or ice"), limit,
      ],
      needed: 1),
    Tool(
      name: "compare",
      summary: "Two runs: what moved, how sure that is, and where.",
      arguments: [
        Argument("baseline", "string", "the run to compare with, or last-accepted"),
        Argument("candidate", "string", "the run to judge, or last"),
        Argument(
          "by", "string",
          "the trait that divides the calls: sdk (default), scenario, video_codec, an attribute …"),
      ], needed: 2),
    Tool(
      name: "explain_finding",
      summary: "What a finding means, its rule and thresholds; without a code all codes.",
      arguments: [Argument("code", "string", "the code, e.g. dtls-never-connected", of: FindingCode.names)]),
    Tool(
      name: "schema", summary: "The tables and views that query can ask; of one of them its columns.",
      arguments: [Argument("table", "string", "a table or view")]),
    Tool(
      name: "query",
      summary:
        "One SELECT in SQLite's SQL over the database; 50 rows at most. Views call_windows, call_streams, call_events name call and end.",
      arguments: [
        Argument("sql", "string", "the statement"), Argument("limit", "integer", "at most so many rows"),
      ], needed: 1),
  ]
}
