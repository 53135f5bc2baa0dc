import Foundation
import Testing

/// A night of calls that SDKs logged, without any statistics.
@Suite("A night known by SDKs' logs alone")
struct SDKNightTests {
  /// Two nights of Rebtel-like calls; on the second, people cannot log in.
  private func nights() throws -> (folder: TemporaryFolder, database: String) {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("n.sqlite").path
    for (night, failures) in [("2026-11-24", 1), ("2026-11-25", 6)] {
      let logs = folder.url.appendingPathComponent(night)
      try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
      for call in 0..<12 {
        let id = "AV-\(night)-\(call)"
        var lines = [
          "\(night)T10:\(10 + call):00.000Z I AcmeVoice: onRegistering user=u\(call)",
          call < failures
            ? "\(night)T10:\(10 + call):00.300Z E AcmeVoice: onRegistrationFailed error=401"
            : "\(night)T10:\(10 + call):00.300Z I AcmeVoice: onRegistered",
        ]
        lines += [
          "\(night)T10:\(10 + call):05.000Z I AcmeVoice: onPlacing callSid=\(id) to=+4930555\(100 + call)",
          "\(night)T10:\(10 + call):05.900Z I AcmeVoice: onRemoteRinging callSid=\(id)",
          "\(night)T10:\(10 + call):09.000Z I AcmeVoice: onConnected callSid=\(id)",
          "\(night)T10:\(10 + call):14.000Z I AcmeVoice: onScore callSid=\(id) value=\(60 + call)",
          "\(night)T10:\(10 + call):39.000Z I AcmeVoice: onOver callSid=\(id) why=LOCAL_HANGUP",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: logs.appendingPathComponent("c\(call).log"))
      }
      try Tool.run(
        "import", logs.path, "--run", night, "--db", database, "--quiet",
        environment: ["CALLQA_DIALECTS": Tool.root.path + "/docs/examples"])
    }
    return (folder, database)
  }

  @Test("logins that fail more often than before stop a gate, and a limit that holds passes")
  func gates() throws {
    let (folder, database) = try nights()
    func judge(_ line: String) throws -> Tool.Result {
      let gate = folder.url.appendingPathComponent("g.gate")
      try Data(line.utf8).write(to: gate)
      return try Tool.run(
        "compare", "2026-11-24", "2026-11-25", "--gate", gate.path, "--db", database)
    }
    let worse = try judge("registration.failed <= baseline + 2")
    #expect(worse.status == 4 && worse.output.contains("6 registration.failed"), "\(worse.output)")
    #expect(try judge("registration.failed <= baseline + 5").status == 0)
    #expect(try judge("token.failed <= 0").status == 0)
    #expect(try judge("logins.failed <= 0").errors.contains("'logins.failed' is no figure"))
  }

  @Test("its page has no table of dashes: what nobody knows is left out and named once")
  func page() throws {
    let (folder, database) = try nights()
    let out = folder.url.appendingPathComponent("out")
    try Tool.run("report", "nightly", "--run", "2026-11-24", "--db", database, "--out", out.path)
    let html = try String(contentsOf: out.appendingPathComponent("index.html"), encoding: .utf8)
    for table in html.components(separatedBy: "<table").dropFirst() {
      let body = table.components(separatedBy: "</table>")[0]
      for row in body.components(separatedBy: "<tr>").dropFirst() where row.contains("<td") {
        let cells = row.components(separatedBy: "<td").dropFirst().map { cell in
          cell.components(separatedBy: ">").dropFirst().joined(separator: ">")
            .components(separatedBy: "</td").first ?? ""
        }
        let known = cells.filter { $0 != "–" && !$0.isEmpty }
        #expect(known.count * 2 >= cells.count, "a row of dashes: \(row.prefix(400))")
      }
    }
    #expect(html.contains("Not known of any: ") && html.contains("How calls got through"))
    // Two of every three that registered: what clients rated, and how calls got through, are figures of the night.
    let telephony = try String(contentsOf: out.appendingPathComponent("csv/telephony.csv"), encoding: .utf8)
    let row = try #require(
      telephony.components(separatedBy: .newlines).last { !$0.isEmpty }?.split(
        separator: ",", omittingEmptySubsequences: false))
    let figures = row.map { Double($0) }
    #expect(figures[2...4].elementsEqual([12, 1, 1]) && figures[6] == 900, "\(telephony)")
  }
}

@Suite("What telephones report of calls")
struct ReportedOpinionTests {
  @Test("is the call's reported.mos, the lowest of what was received, and never the score's own")
  func opinion() throws {
    let folder = try TemporaryFolder()
    let report = """
      VQSessionReport: CallTerm\r
      CallID: mos-1@example.com\r
      LocalID: <sip:a@example.com>\r
      RemoteID: <sip:b@example.com>\r
      OrigID: <sip:a@example.com>\r
      LocalAddr: IP=192.0.2.1 PORT=5000 SSRC=0x1\r
      RemoteAddr: IP=192.0.2.2 PORT=5002 SSRC=0x2\r
      LocalMetrics:\r
      Timestamps: START=2026-11-25T10:00:00Z STOP=2026-11-25T10:02:00Z\r
      QualityEst: MOSLQ=3.4 MOSCQ=3.2\r
      """
    try Data(report.utf8).write(to: folder.url.appendingPathComponent("phone.vq"))
    let database = folder.url.appendingPathComponent("v.sqlite").path
    try Tool.run("import", folder.url.path, "--db", database, "--quiet")
    let call = try #require(try Tool.run("calls", "--run", "all", "--db", database, "--json").objects().first)
    let reported = try #require(call["reported"] as? [String: Any])
    #expect(reported["mos"] as? Double == 3.4)
    #expect(reported["mean"] is NSNull && call["mos"] is NSNull && call["score_mean"] is NSNull)
  }
}
