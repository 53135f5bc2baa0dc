import CallModel
import Foundation
import Testing

@Suite("All that is said of a call rests on its verdict")
struct AgreementTests {
  /// What ships as samples, and the cases that are kept for their verdict.
  private static let calls = ["samples"] + Corpus.judged

  private func files(_ name: String) throws -> [String] {
    name == "samples" ? [Tool.sample("")] : try Corpus.files(name)
  }

  @Test("there is a call of every word that files can lead to")
  func words() throws {
    #expect(Corpus.judged.count > 20)
    let covered = try Set(Corpus.judged.compactMap { try Corpus.named($0).verdict })
    #expect(Set(Verdict.Value.allCases.map(\.rawValue)).subtracting(covered) == ["dropped", "fair"])
  }

  @Test("first line, colour, lists, counts and JSON say the same", arguments: calls)
  func agreement(name: String) throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run(["import", "--db", database, "--run", "night"] + files(name))
    let judge = try Judged(database)
    #expect(!judge.calls.isEmpty)
    for call in judge.calls { try judge.check(call, page: place.url.appendingPathComponent("page.html")) }
    // What is counted of the night is what is listed.
    let runs = try Tool.run("runs", "--json", "--db", database).objects()
    let counted = runs.compactMap { $0["broken"] as? Int }.reduce(0, +)
    #expect(counted == judge.calls.filter { $0["broken"] as? Int == 1 }.count)
    let broken = try Tool.run("calls", "--broken", "--json", "--db", database).objects()
    #expect(
      Set(broken.compactMap { $0["call_id"] as? String })
        == Set(judge.calls.filter { $0["broken"] as? Int == 1 }.compactMap { $0["call_id"] as? String }))
  }

  @Test("gates and the headline of a night count the calls that lists show", arguments: calls)
  func night(name: String) throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run(["import", "--db", database, "--run", "night"] + files(name))
    let calls = try Tool.run("calls", "--json", "--db", database).objects()
    func has(_ call: [String: Any], _ figure: String) -> Bool {
      switch figure {
      case "broken.share": call["broken"] as? Int == 1
      case "poor.share": ["poor", "silent", "no-picture"].contains(call["verdict"] as? String)
      default: figure == "\(call["verdict"] as? String ?? "").share"
      }
    }
    let shares = try Tool.run("compare", "night", "night", "--json", "--db", database).objects()
    for row in shares {
      guard let figure = row["figure"] as? String, figure.hasSuffix(".share"),
        let share = row["all_candidate"] as? Double, let counted = row["calls"] as? Int
      else { continue }
      let own = calls.filter { ($0["sdk"] as? String ?? "unknown") == row["sdk"] as? String }
      // Of a call without a score nobody knows whether it was poor, unless its verdict says so.
      let known =
        figure == "poor.share"
        ? own.count {
          $0["score_mean"] is Double || $0["verdict"] as? String == "not-sent" || has($0, figure)
        } : counted
      #expect(Int((share * Double(known)).rounded()) == own.count { has($0, figure) }, "\(name): \(row)")
    }
    let out = place.url.appendingPathComponent("out")
    try Tool.run("report", "nightly", "--db", database, "--run", "night", "--out", out.path)
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: out.appendingPathComponent("report.json")))
        as? [String: Any])
    let headline = try #require(report["headline"] as? String)
    func said(_ word: String) -> Int {
      let words = headline.split { $0 == " " || $0 == "," }
      guard let place = words.firstIndex(of: Substring(word)), place > 0 else { return 0 }
      return Int(words[place - 1]) ?? 0
    }
    #expect(said("broken") == calls.count { has($0, "broken.share") }, "\(headline)")
    #expect(said("poor") == calls.count { has($0, "poor.share") }, "\(headline)")
  }

  @Test("the same is said of a call without a database", arguments: Corpus.judged)
  func withoutDatabase(name: String) throws {
    let reading = try Corpus.named(name).reading
    let word = try #require(reading.call().at("verdict")?.text)
    let answer = try reading.text(.answer)
    #expect(answer.hasPrefix("\(word):") || answer.hasPrefix("\(word);"), "\(answer)")
  }
}

/// A database of judged calls, each of which is looked at in every place that tells of it.
private struct Judged {
  let calls: [[String: Any]]
  private let database: String
  /// What SQL has of each call by its id.
  private let rows: [String: [String: Any]]

  init(_ database: String) throws {
    self.database = database
    calls = try Tool.run("calls", "--json", "--db", database).objects()
    let sql = """
      SELECT k.call_id, k.verdict, k.verdict_rule, j.verdict AS in_view, j.broken, j.poor,
        k.call_key IN (SELECT call_key FROM broken_calls) AS in_broken,
        k.call_key IN (SELECT call_key FROM poor_calls) AS in_poor,
        (SELECT count(*) FROM findings AS f WHERE f.call_key = k.call_key AND f.severity = 'error'
          AND f.code IN ('one-way-audio', 'no-media', 'payload-type-not-agreed', 'srtp-sequence-reset', 'sparse-sound'))
          AS errors
      FROM calls AS k JOIN judged_calls AS j USING (call_key)
      """
    rows = Dictionary(
      try Tool.run("query", sql, "--json", "--db", database).objects().map {
        ($0["call_id"] as? String ?? "", $0)
      },
      uniquingKeysWith: { first, _ in first })
  }

  func check(_ call: [String: Any], page: URL) throws {
    let id = try #require(call["call_id"] as? String)
    let row = try #require(rows[id], "SQL does not have \(id)")
    let word = try #require(Verdict.Value(rawValue: call["verdict"] as? String ?? ""), "\(id) has no verdict")
    #expect(row["verdict"] as? String == word.rawValue, "\(id)")
    #expect(row["in_view"] as? String == word.rawValue, "\(id)")
    #expect(call["verdict_version"] as? Int == Verdict.version, "\(id)")

    let text = try Tool.run("call", id, "--db", database, "--tz", "UTC")
    let answer = Reading.answer(in: text.output)
    #expect(
      answer.hasPrefix("\(word.rawValue):") || answer.hasPrefix("\(word.rawValue);"), "\(id): \(answer)")

    try Tool.run("call", id, "--db", database, "--tz", "UTC", "--html", page.path)
    let html = try String(decoding: Data(contentsOf: page), as: UTF8.self)
    let tone = try #require(Self.tones()[word.rawValue])
    #expect(html.contains("<header class=\"verdict \(tone)\""), "\(id) is \(word.rawValue)")
    #expect(html.contains(word.rawValue), "\(id): the page says so")

    let isBroken = call["expected_outcome"] is String ? call["broken"] as? Int == 1 : word.isBroken
    #expect(call["broken"] as? Int == (isBroken ? 1 : 0), "\(id)")
    #expect(row["broken"] as? Int == (isBroken ? 1 : 0), "\(id)")
    #expect(row["in_broken"] as? Int == (isBroken ? 1 : 0), "\(id)")
    let isPoor = [Verdict.Value.poor, .silent, .noPicture].contains(word)
    #expect(row["in_poor"] as? Int == (isPoor ? 1 : 0), "\(id)")
    #expect((row["poor"] as? Int ?? 0) == (isPoor ? 1 : 0), "\(id)")
    if let errors = row["errors"] as? Int, errors > 0 {
      #expect(word != .good && word != .fair, "\(id) has an error finding about media")
    }
  }

  /// The colours that docs/verdict.md gives the words.
  private static func tones() throws -> [String: String] {
    let text = try String(
      decoding: Data(contentsOf: Tool.root.appendingPathComponent("docs/verdict.md")), as: UTF8.self)
    let words = text.components(separatedBy: "\n## ").first { $0.hasPrefix("The words\n") } ?? ""
    let rows = words.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return Dictionary(
      rows.map { ($0[0].replacingOccurrences(of: "`", with: ""), $0[4]) },
      uniquingKeysWith: { first, _ in first })
  }
}
