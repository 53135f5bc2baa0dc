import CallModel
import CallStore
import Foundation
import IO
import Rendering
import Reporting
import Testing

@Suite("The nightly report")
struct ReportTests {
  @Test("a first run of four calls makes a page, plots and CSV, all about them")
  func firstRun() throws {
    let store = try SmallNight.store()
    try Golden.withFolder { folder in
      let out = folder.appendingPathComponent("nightly")
      let outcome = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)) { _, id in
        Array("<p>page of \(id)".utf8)
      }.make(in: out.path)
      #expect(
        outcome.headline.line
          == "FIRST RUN: 4 calls, 1 broken, 1 poor, 1 without a score, nothing to compare with yet")
      let page = try String(contentsOf: out.appendingPathComponent("index.html"), encoding: .utf8)
      #expect(page.contains("href=\"calls/c2.html\">c2</a>"))
      #expect(page.contains("Lost 53 points, most of them to loss"))
      #expect(!page.contains("http://www.w3.org/2000/svg\"><script") && !page.contains("src="))
      for file in outcome.files {
        #expect(FileManager.default.fileExists(atPath: out.appendingPathComponent(file).path), "\(file)")
      }
      if SmallNight.gnuplot != nil { #expect(outcome.files.filter { $0.hasSuffix(".svg") }.count >= 2) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["nightly"])
    }
  }

  @Test("the figures of a night are those of its calls")
  func numbers() throws {
    let store = try SmallNight.store()
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(
        in: folder.path + "/n")
      let row = try #require(outcome.answers["sdks"]?.rows.first)
      let table = try #require(outcome.answers["sdks"])
      #expect(table.cell(row, "ran") == .integer(4))
      #expect(table.cell(row, "broken_share") == .real(0.25))
      #expect(table.cell(row, "setup_p90_ms") == .real(4830))
      #expect(table.cell(row, "verdict") == .text("no baseline"))
    }
  }

  @Test("each table has a name, and scrolls by the keyboard; no two regions share one")
  func tables() throws {
    try Golden.withFolder { folder in
      _ = try ReportEngine(try SmallNight.request(), rows: StoreRows(try SmallNight.store())).make(
        in: folder.path + "/n")
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      let tables = page.matches(of: /<table([^>]*)>/).map { String($0.output.1) }
      #expect(!tables.isEmpty && tables.allSatisfy { $0.contains("aria-label=") })
      let regions = page.matches(of: /tabindex="0" role="region" aria-label="([^"]+)"/).map {
        String($0.output.1)
      }
      #expect(regions.count >= tables.count && Set(regions).count == regions.count, "\(regions)")
    }
  }

  @Test("no level of headings is left out")
  func headings() throws {
    try Golden.withFolder { folder in
      _ = try ReportEngine(try SmallNight.request(), rows: StoreRows(try SmallNight.store())).make(
        in: folder.path + "/n")
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      let levels = page.matches(of: /<h([1-6])/).compactMap { Int($0.output.1) }
      #expect(levels.first == 1 && levels.contains(3))
      #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(levels)")
    }
  }

  @Test(
    "an interrupted import: the run is the latest, its calls count as not judged, and none of them as unbroken"
  )
  func unjudged() throws {
    let store = try SmallNight.store()
    var header = SourceHeader(
      path: "late.jsonl", sha256: "late", format: .runLog, importedMs: 1_795_300_000_000)
    header.run = "late"
    try store.write(header) { writer in
      var facts = ConnectionFacts()
      (facts.name, facts.sdk) = ("caller", "w3c")
      try writer.connection(0, facts)
      try writer.event(EventRecord(timeMs: 1_795_290_000_000, event: .callFailed, raw: "failed"), of: 0)
      return .imported
    }
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(
        in: folder.path + "/n")
      #expect(outcome.slice.run == "late")
      #expect(outcome.headline.line == "NOT SURE: 1 of 1 SDK cannot be decided")
      let sdks = try #require(outcome.answers["sdks"])
      let row = try #require(sdks.rows.first)
      #expect(sdks.cell(row, "calls") == .text("0 of 1, 1 not judged"))
      #expect(sdks.cell(row, "broken_share").isNull)
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      #expect(page.contains("1 call of late; run the import again to finish it"))
      #expect(page.contains("calls of an import that was cut off"))
      #expect(page.contains("The trend begins with the second run") && !page.contains("gnuplot says"))
    }
    // By time it is found as well, though no call of it has a start yet.
    var request = try SmallNight.request()
    request.slice = Slice(run: nil, sinceMs: 1_795_280_000_000, name: "since")
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(request, rows: StoreRows(store)).make(in: folder.path + "/n")
      #expect(outcome.judgement.comparison.candidate.unfinished == ["w3c": 1])
    }
  }

  @Test("made twice it is the same, byte for byte")
  func deterministic() throws {
    let store = try SmallNight.store()
    try Golden.withFolder { folder in
      for name in ["a", "b"] {
        _ = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(
          in: folder.path + "/" + name)
      }
      for file in ["index.html", "report.json", "csv/sdks.csv"] {
        let pages = try ["a", "b"].map {
          try Data(contentsOf: folder.appendingPathComponent("\($0)/\(file)"))
        }
        #expect(pages[0] == pages[1], "\(file)")
      }
    }
  }

  @Test("hostile ids stay text, in the page and in the CSV")
  func hostile() throws {
    let id = "=cmd|'/c calc'!A1 <script>alert(1)</script>\u{202E}" + String(repeating: "x", count: 10_000)
    let store = try SmallNight.store(lastID: id)
    try Golden.withFolder { folder in
      let outcome = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)) { _, _ in
        Array("page".utf8)
      }
      .make(in: folder.path + "/n")
      let page = try String(contentsOf: folder.appendingPathComponent("n/index.html"), encoding: .utf8)
      // The page's own script is the only one.
      #expect(page.components(separatedBy: "<script").count == 2 && !page.contains("\u{202E}"))
      #expect(page.utf8.count < 400_000)
      let csv = try String(contentsOf: folder.appendingPathComponent("n/csv/worst.csv"), encoding: .utf8)
      #expect(csv.contains("\"'=cmd|"))
      #expect(outcome.files.contains { $0.hasPrefix("calls/_cmd") })
    }
  }

  @Test("a folder that is not a report's is never replaced; an earlier report is")
  func replacing() throws {
    let store = try SmallNight.store()
    try Golden.withFolder { folder in
      let out = folder.appendingPathComponent("n")
      for _ in 0..<2 {
        _ = try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(in: out.path)
      }
      let other = folder.appendingPathComponent("mine")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: other.appendingPathComponent("thesis.txt"))
      #expect(throws: PlacedError.self) {
        try ReportEngine(try SmallNight.request(), rows: StoreRows(store)).make(in: other.path)
      }
      #expect(FileManager.default.fileExists(atPath: other.appendingPathComponent("thesis.txt").path))
    }
  }

  @Test("a column that a query does not have is named with the line, before anything is written")
  func wrongColumn() throws {
    let store = try SmallNight.store()
    var request = try SmallNight.request()
    let text = "[report]\ntitle = x\n[query worst]\n[table worst]\ncolumn = call_idd"
    request.definition = try ReportDefinition(
      text: text, file: "report.txt", folder: request.definition.folder)
    try Golden.withFolder { folder in
      let error = #expect(throws: PlacedError.self) {
        try ReportEngine(request, rows: StoreRows(store)).make(in: folder.path + "/n")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(
        error?.description.hasPrefix(
          "report.txt:5: query 'worst' has no column 'call_idd'; did you mean 'call_id'?") == true)
      #expect(left.isEmpty)
    }
  }
}

extension ReportEngine {
  /// The report on what it is about by itself.
  func make(in path: String) throws -> ReportOutcome {
    let found = try slice()
    return try make(try #require(found), in: path)
  }
}

/// Four calls of one run, as samples/ has them: clean, lossy, failed, slow.
enum SmallNight {
  static var gnuplot: Gnuplot? { Gnuplot(path: ProcessInfo.processInfo.environment["PATH"] ?? "") }

  static func request() throws -> ReportRequest {
    let reports = try #require(ResourceFolder("reports"))
    let queries = try #require(ResourceFolder("queries"))
    var request = ReportRequest(
      definition: try ReportDefinition.read(folder: reports.path + "/nightly"), queries: queries.path,
      zone: .utc)
    request.gnuplot = gnuplot
    return request
  }

  static func store(lastID: String = "c4") throws -> Store {
    let store = try Store(path: ":memory:", access: .memory)
    try store.insert(
      into: "runs", columns: ["run_id", "started_ms", "labels"],
      rows: [[.text("demo"), .real(1_795_200_000_000), .text("{\"build\":7}")]])
    let calls: [(String, Double?, Double?, String)] = [
      ("c1", 100, 412, "completed"), ("c2", 47, 530, "completed"), ("c3", nil, nil, "failed"),
      (lastID, 80, 4830, "completed"),
    ]
    for (index, call) in calls.enumerated() {
      let (id, score, setup, outcome) = call
      func real(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
      try store.insert(
        into: "calls",
        columns: [
          "call_id", "run_id", "sdk", "started_ms", "outcome", "setup_ms", "score_endpoint", "score_mean",
          "score_min", "poor_share", "verdict_judged", "verdict_version",
          "lost_loss", "top_cause", "stale",
        ],
        rows: [
          [
            .text(id), .text("demo"), .text("w3c"), .real(1_795_200_000_000 + Double(index) * 60_000),
            .text(outcome), real(setup),
            .text("callee"), real(score), real(score.map { $0 - 10 }), real(score.map { $0 < 60 ? 1 : 0 }),
            .text(score.map { $0 < 60 ? "poor" : "good" } ?? "failed"), .integer(Int64(Verdict.version)),
            real(score.map { 100 - $0 }),
            score.map { $0 < 100 ? .text("loss") : .null } ?? .null, .integer(0),
          ]
        ])
    }
    return store
  }
}
