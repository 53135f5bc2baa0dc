import Foundation
import Testing

@Suite("Reports, comparisons and gates from outside")
struct ReportCommandTests {
  @Test("import, then one command: a page, plots and CSV about these calls")
  func nightly() throws {
    try withNight { folder in
      let made = try Tool.run(
        "report", "nightly", "--out", "n", "--keep-script", "--prometheus", "callqa.prom", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.lines.last == "n/index.html")
      let page = try text("n/index.html", in: folder)
      #expect(page.contains("bad-call") && page.contains("failed-call"))
      #expect(try text("n/csv/sdks.csv", in: folder).contains("\"w3c\""))
      #expect(try text("callqa.prom", in: folder).contains("callqa_calls{sdk=\"w3c\"} 5\n"))
      #expect(try text("n/plots/plots.gp", in: folder).contains("set output 'scores.svg'"))
    }
  }

  @Test(
    "what to open first: what broke, then the worst score, with what took its points; unscored calls last")
  func first() throws {
    try withNight { folder in
      try Tool.run("report", "nightly", "--out", "n", in: folder)
      let rows = try text("n/csv/worst.csv", in: folder).split(whereSeparator: \.isNewline).dropFirst()
      let calls = rows.map { $0.split(separator: ",").first.map(String.init) ?? "" }
      // Its manifest expects a quicker setup.
      let broken = ["\"failed-call\"", "\"rem-no-capacity\"", "\"rebtel-interrupted\"", "\"slow-setup\""]
      #expect(Set(calls.prefix(4)) == Set(broken))
      #expect(calls[4...5] == ["\"bad-call\"", "\"conference\""])
      let why = rows.dropFirst(4).first ?? ""
      #expect(why.contains("most of them to loss") && why.contains("; also "))
    }
  }

  @Test("without gnuplot the page is made all the same, and says what is missing")
  func withoutGnuplot() throws {
    try withNight { folder in
      let made = try Tool.run(
        ["report", "nightly", "--out", "n"], in: folder, environment: ["PATH": "/nowhere"])
      #expect(made.status == 0)
      #expect(made.errors.contains("gnuplot is not on the PATH"))
      #expect(try text("n/index.html", in: folder).contains("gnuplot is not on the PATH"))
      #expect(try text("n/csv/sdks.csv", in: folder).contains("w3c"))
    }
  }

  @Test("a program without its data says so in words, not as an error of Swift")
  func withoutData() throws {
    try withNight { folder in
      let alone = folder.appendingPathComponent("alone")
      try FileManager.default.copyItem(at: Tool.path, to: alone)
      let process = Process()
      process.executableURL = alone
      process.arguments = [
        "report", Tool.root.path + "/reports/nightly", "--db", "callqa.sqlite", "--out", "n",
      ]
      process.currentDirectoryURL = folder
      process.environment = ["PATH": "/usr/bin:/bin", "TZ": "UTC"]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 3)
      #expect(said.hasPrefix("callqa: the folder `reports`") && said.contains("set CALLQA_HOME"), "\(said)")
    }
  }

  @Test("a call of the manifest that never came is missing, comes first, and fails its gate")
  func missing() throws {
    try withFolder { folder in
      let calls = folder.appendingPathComponent("calls")
      try FileManager.default.createDirectory(at: calls, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: Tool.sample("healthy-call"), toPath: calls.path + "/healthy-call")
      let manifest = """
        {"run": "r1", "calls": [{"call_id": "healthy-call", "sdk": "w3c", "scenario": "clean"},
          {"call_id": "lost-call", "sdk": "w3c", "scenario": "loss"}]}
        """
      try manifest.write(toFile: calls.path + "/run.json", atomically: true, encoding: .utf8)
      try Tool.run("import", "calls", in: folder)
      try "missing <= 0\n".write(toFile: folder.path + "/m.gate", atomically: true, encoding: .utf8)
      let made = try Tool.run("report", "nightly", "--gate", "m.gate", "--out", "n", in: folder)
      #expect(made.status == 4, "\(made.errors)")
      #expect(made.lines.first == "BLOCK: 1 of 1 SDK")
      #expect(try text("n/csv/missing.csv", in: folder).contains("lost-call"))
    }
  }

  @Test("a gate that too few calls cannot decide is 5, a mistake in it is 2 with its line")
  func gates() throws {
    try withNight { folder in
      try "# first\nscore.mean >= 82\n".write(
        toFile: folder.path + "/few.gate", atomically: true, encoding: .utf8)
      try "score.mean > = 82\n".write(toFile: folder.path + "/wrong.gate", atomically: true, encoding: .utf8)
      #expect(try Tool.run("report", "nightly", "--gate", "few.gate", "--out", "n", in: folder).status == 5)
      let wrong = try Tool.run("report", "nightly", "--gate", "wrong.gate", "--out", "n", in: folder)
      #expect(wrong.status == 2)
      #expect(wrong.errors.contains("wrong.gate:1: "))
    }
  }

  @Test("a report of one's own is a copy with other words; a mistake in it is explained with file and line")
  func ownReport() throws {
    try withNight { folder in
      let own = folder.appendingPathComponent("mine")
      try FileManager.default.copyItem(at: Tool.root.appendingPathComponent("reports/nightly"), to: own)
      let definition = own.appendingPathComponent("report.txt")
      let words = try String(contentsOf: definition, encoding: .utf8)
      try words.replacingOccurrences(of: "Nightly call quality", with: "Friday's calls").write(
        to: definition, atomically: true, encoding: .utf8)
      #expect(try Tool.run("report", "./mine", "--out", "m", in: folder).status == 0)
      #expect(try text("m/index.html", in: folder).contains("Friday&#39;s calls"))
      try words.replacingOccurrences(of: "column = why", with: "column = whi").write(
        to: definition, atomically: true, encoding: .utf8)
      let wrong = try Tool.run("report", "./mine", "--out", "m", in: folder)
      let line = 1 + words.components(separatedBy: "column = why")[0].filter { $0 == "\n" }.count
      #expect(wrong.status == 2)
      #expect(
        wrong.errors.contains(
          "mine/report.txt:\(line): query 'worst' has no column 'whi'; did you mean 'why'?"),
        "\(wrong.errors)")
      #expect(
        try text("m/index.html", in: folder).contains("Friday&#39;s calls"),
        "the report made before is still there")
    }
  }

  @Test("a report leaves the database as it is; asked to, it notes its verdict there")
  func record() throws {
    try withFolder { folder in
      try Tool.run("simulate", "--db", "fleet.sqlite", "--nights", "2", "--calls", "500", in: folder)
      let words = ["report", "nightly", "--db", "fleet.sqlite", "--out", "n"]
      func verdicts() throws -> [String?] {
        try Tool.run("runs", "--db", "fleet.sqlite", "--json", in: folder).objects().map {
          $0["gate_result"] as? String
        }
      }
      let before = try Data(contentsOf: folder.appendingPathComponent("fleet.sqlite"))
      try Tool.run(words, in: folder)
      #expect(try Data(contentsOf: folder.appendingPathComponent("fleet.sqlite")) == before)
      #expect(try verdicts() == [nil, nil])
      #expect(try Tool.run(words + ["--record"], in: folder).status == 0)
      #expect(try verdicts() == [nil, "block"])
      let reason = try Tool.run(
        "query", "SELECT verdict_reason FROM runs WHERE verdict IS NOT NULL", "--db", "fleet.sqlite", "--csv",
        in: folder)
      #expect(reason.output.contains("\r\n\"pexip: score.mean >= baseline - 3"), "\(reason.output)")
      #expect(try Tool.run(words + ["--record", "--since", "2026-11-01"], in: folder).status == 2)
      #expect(
        try Tool.run("compare", "2026-11-07", "last", "--db", "fleet.sqlite", "--record", in: folder).status
          == 2)
    }
  }

  @Test(
    "the recipes of docs/every-night.md run as they stand there", arguments: ["block", "cron", "systemd"])
  func recipes(kind: String) throws {
    try withFolder { folder in
      let page = try String(
        contentsOf: Tool.root.appendingPathComponent("docs/every-night.md"), encoding: .utf8)
      let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      var commands: [String]
      switch kind {
      case "block":
        commands = lines.drop { !$0.hasPrefix("    ") }.prefix { $0.hasPrefix("    ") }.map { $0 }
      case "cron":
        let schedule = "    10 6 * * * "
        let entries = lines.filter { $0.hasPrefix(schedule) }
        commands = entries.map { String($0.dropFirst(schedule.count)).replacing("\\%", with: "%") }
      default:
        let job = try String(
          contentsOf: Tool.root.appendingPathComponent("packaging/nightly"), encoding: .utf8)
        commands = ["export CALLQA_CALLS=/srv/calls/tonight CALLQA_OUT=/srv/www/callqa; set +e", job]
      }
      try #require(!commands.isEmpty)
      for (there, here) in [
        ("/srv/calls/tonight", Tool.sample("healthy-call")), ("/srv/callqa/", folder.path + "/"),
        ("/srv/www/", folder.path + "/"), ("/var/lib/node_exporter/", folder.path + "/"),
        ("/usr/local/share/callqa/night/", "sh \(Tool.root.path)/packaging/"),
      ] {
        commands = commands.map { $0.replacing(there, with: here) }
      }
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-e", "-c", commands.joined(separator: "\n")]
      shell.currentDirectoryURL = folder
      shell.environment = [
        "PATH": Tool.path.deletingLastPathComponent().path + ":/usr/bin:/bin", "BUILD": "77", "TZ": "UTC",
        "CALLQA_HOME": Tool.root.path, "CALLQA_DB": folder.path + "/calls.sqlite",
        "CALLQA_GATE": Tool.root.path + "/reports/nightly/nightly.gate",
      ]
      shell.standardOutput = FileHandle.nullDevice
      let complaints = Pipe()
      shell.standardError = complaints
      try shell.run()
      let said = String(decoding: try complaints.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      shell.waitUntilExit()
      // The gate that ships has nothing to compare a first night with.
      #expect(shell.terminationStatus == (kind == "block" ? 0 : 5), "\(said)")
      // cron has no locale, and mails whatever is said.
      #expect(!said.contains("gnuplot"), "\(said)")
      #expect(try text("callqa/index.html", in: folder).contains("Nightly call quality"))
      let runs = try Tool.run("runs", "--db", folder.path + "/calls.sqlite", "--json", in: folder).objects()
      let run = try #require(runs.first)
      #expect((run["run"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil)
      if kind == "block" {
        #expect(run["labels"] as? [String: String] == ["build": "77"])
        #expect(try text("callqa/index.html", in: folder).contains("<dt>Build</dt><dd>77</dd>"))
      }
    }
  }

  @Test("labels without a run, and files of another run, are reported; a verdict is noted of a run only")
  func loose() throws {
    try withFolder { folder in
      let call = Tool.sample("healthy-call")
      let loose = try Tool.run("import", call, "--label", "build=77", in: folder)
      #expect(loose.errors.contains("--label is kept with a run, and 1 call belongs to none"))
      let report = try Tool.run("report", "nightly", "--out", "n", "--record", in: folder)
      #expect(report.status == 2)
      #expect(report.errors.contains("import with --run NAME"), "\(report.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/n"))
      let again = try Tool.run("import", call, "--run", "r2", in: folder)
      #expect(
        again.errors.contains("files were imported before, in no run, and not moved"), "\(again.errors)")
    }
  }

  @Test("a database without a call has nothing to report: exit 5, and nobody's report is blamed")
  func nothing() throws {
    try withFolder { folder in
      try Tool.run("import", folder.path, in: folder)
      let report = try Tool.run("report", "nightly", "--out", "n", in: folder)
      #expect(report.status == 5)
      #expect(report.errors.hasPrefix("callqa: there is no call in callqa.sqlite yet"), "\(report.errors)")
    }
  }

  @Test("a night without a call is exit 5 and says why, also where nobody listens to notes; its page is made")
  func quietNight() throws {
    try withNight { folder in
      let words = ["report", "nightly", "--out", "n", "--since", "2030-01-01", "--quiet"]
      let report = try Tool.run(words, in: folder)
      #expect(report.status == 5)
      #expect(report.lines.first?.hasPrefix("NO CALLS since 2030-01-01") == true)
      #expect(report.errors.hasPrefix("callqa: No call arrived since 2030-01-01"), "\(report.errors)")
      #expect(try text("n/index.html", in: folder).contains("NO CALLS since 2030-01-01"))
      try "missing <= 0\n".write(toFile: folder.path + "/m.gate", atomically: true, encoding: .utf8)
      let gated = try Tool.run(words + ["--gate", "m.gate"], in: folder)
      #expect(gated.status == 5 && gated.errors == report.errors, "\(gated.errors)")
    }
  }

  @Test(
    "a night whose import never came: where others look for its page it says so, and without such a place the name is mistyped"
  )
  func absentRun() throws {
    try withNight { folder in
      try Tool.run("report", "nightly", "--out", "n", "--prometheus", "c.prom", in: folder)
      let page = try text("n/index.html", in: folder)
      for words in [["report", "nightly"], ["compare", "last"]] {
        let mistyped = try Tool.run(
          words + (words[0] == "report" ? ["--run", "deno"] : ["deno"]), in: folder)
        #expect(mistyped.status == 2, "\(mistyped.errors)")
        #expect(mistyped.errors.contains("there is no run 'deno' in callqa.sqlite: the nearest is 'demo'"))
      }
      let words = [
        "report", "nightly", "--run", "night-30", "--out", "n", "--prometheus", "c.prom", "--record",
      ]
      let report = try Tool.run(words, in: folder)
      #expect(report.status == 5)
      #expect(report.lines.first?.hasPrefix("NO CALLS in night-30: demo had ") == true, "\(report.output)")
      #expect(report.errors.contains("there is no run 'night-30'"), "\(report.errors)")
      #expect(try text("n/index.html", in: folder) != page)
      #expect(try text("c.prom", in: folder).contains("callqa_run_info{run=\"night-30\"} 1\n"))
      #expect(
        try Tool.run(words + ["--quiet"], in: folder).errors.hasPrefix("callqa: No call arrived in night-30"))
      #expect(!(try Tool.run("runs", "--json", in: folder).output.contains("night-30")))
    }
  }

  @Test("two runs compared twice are the same bytes; a busy call that was meant to be busy is no failure")
  func compare() throws {
    try withFolder { folder in
      try Tool.run("simulate", "--db", "fleet.sqlite", "--nights", "2", "--calls", "500", in: folder)
      try "score.mean >= baseline - 60\nbroken.share <= 50%\n".write(
        toFile: folder.path + "/g.gate", atomically: true, encoding: .utf8)
      let words = [
        "compare", "2026-11-07", "last", "--db", "fleet.sqlite", "--csv", "--gate", "g.gate", "--junit",
        "j.xml",
      ]
      let first = try Tool.run(words, in: folder)
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output == (try Tool.run(words, in: folder)).output)
      #expect(first.output.contains("\"pexip\",\"score.mean\""))
      #expect(
        try text("j.xml", in: folder).contains(
          "<testsuite name=\"gates.pexip\" tests=\"2\" failures=\"0\" errors=\"0\""))
      #expect(try !text("j.xml", in: folder).contains("busy, expected busy"))
      #expect(
        try Tool.run("compare", "2026-11-07", "nonsense", "--db", "fleet.sqlite", in: folder).status == 2)
    }
  }

  @Test(
    "real calls as two runs: the report is made in one command",
    .enabled(if: Recordings.areHere, "the recordings are not beside this checkout"))
  func twoRuns() throws {
    try withFolder { folder in
      for (run, digits) in [("even", "02468"), ("odd", "13579")] {
        let calls = try FileManager.default.contentsOfDirectory(atPath: Recordings.calls.path).filter {
          name in
          name.hasPrefix("t") && name.count > 3
            && digits.contains(name[name.index(name.startIndex, offsetBy: 2)])
        }
        let files = calls.sorted().flatMap { call in
          ["caller", "callee"].flatMap { end in
            ["stats", "events"].map { "\(Recordings.calls.path)/\(call)/\(end).\($0).jsonl.gz" }
          }
        }
        #expect(try Tool.run(["import", "--run", run, "--quiet"] + files, in: folder).status == 0)
      }
      let made = try Tool.run(
        "report", "nightly", "--run", "odd", "--baseline", "even", "--out", "n", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(try text("n/index.html", in: folder).contains("t15-cap80"))
    }
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("callqa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// A folder with the samples imported.
  private func withNight(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      let imported = try Tool.run("import", Tool.sample(""), "--quiet", in: folder)
      #expect(imported.status == 0, "\(imported.errors)")
      try body(folder)
    }
  }

  private func text(_ path: String, in folder: URL) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }
}
