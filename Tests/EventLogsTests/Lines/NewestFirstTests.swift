import CallModel
import Testing

@Suite("A log whose newest line comes first is read from its end")
struct NewestFirstTests {
  // Two calls, one below the other.
  private static let lines = [
    "2026-11-20T10:00:00.100Z createCall sip:1001@x", "2026-11-20T10:00:01.100Z onStatusChanged: RINGING",
    "2026-11-20T10:00:06.300Z onStatusChanged: IN_CALL", "2026-11-20T10:01:06.300Z onStatusChanged: ENDED",
    "2026-11-20T10:05:00.100Z createCall sip:1002@x", "2026-11-20T10:05:01.100Z onStatusChanged: RINGING",
    "2026-11-20T10:05:02.100Z onStatusChanged: BUSY",
  ]

  private func names(_ text: String) throws -> (names: [EventName], isNoted: Bool) {
    let log = try read(try #require(try recognise(text)), text)
    #expect(log.records.compactMap(\.anomaly).isEmpty)
    return (log.names, log.notes.contains { $0.contains("newest line comes first") })
  }

  @Test("text, tables, objects of collectors, run logs and lists")
  func kinds() throws {
    let forward = try names(Self.lines.joined(separator: "\n"))
    #expect(!forward.isNoted && forward.names.count == 7)
    func cut(_ line: String) -> (String, String) { (String(line.prefix(24)), String(line.dropFirst(25))) }
    let kinds: [[String]] = [
      Self.lines,
      Self.lines.map { "\(cut($0).0) {app=\"rem\"} \(cut($0).1)" },
      Self.lines.map { "\"\(cut($0).0)\",\"web-1\",\"rem\",\"\(cut($0).1)\"" },
      Self.lines.map { "{\"timestamp\":\"\(cut($0).0)\",\"line\":\"\(cut($0).1)\"}" },
      Self.lines.map { "{\"timestamp\":\"\(cut($0).0)\",\"event\":\"\(cut($0).1)\"}" },
    ]
    for lines in kinds {
      let found = try names(lines.reversed().joined(separator: "\n") + "\n")
      #expect(found.isNoted && found.names == forward.names, "\(lines[0]): \(found.names)")
    }
    let list = try names("[" + kinds[4].reversed().joined(separator: ",") + "]")
    #expect(list.isNoted && list.names == forward.names)
  }

  @Test("lines that a container's log cut are whole again, also where that alone tells whose log it is")
  func cut() throws {
    let long = String(repeating: "x", count: 40)
    let forward = Self.lines.flatMap { line in
      let (time, text) = (line.prefix(24), line.dropFirst(25))
      return ["\(time) stdout P \(text) \(long)", "\(time) stdout F \(long)"]
    }
    let found = try names(forward.reversed().joined(separator: "\n") + "\n")
    let whole = try names(forward.joined(separator: "\n"))
    #expect(found.isNoted && found.names == whole.names)
    #expect(found.names.count == 7)
  }

  @Test("what stands below a line stays below it")
  func records() throws {
    let log = try read(
      .sdkText,
      """
      2026-11-20T10:01:06.300Z onStatusChanged {
        status: 'ENDED'
      }
      2026-11-20T10:00:06.300Z onStatusChanged {
        status: 'IN_CALL'
      }
      2026-11-20T10:00:00.100Z createCall

      """)
    #expect(log.names == [.callCreated, .callEstablished, .callEnded])
  }

  @Test("a clock that was set back, a night, a late line: the order of the lines is left")
  func others() throws {
    for times in [
      ["10:00:05", "10:00:01", "10:00:02"], ["23:59:59", "00:00:01", "00:00:03"],
      ["10:00:01", "10:00:03", "10:00:02", "10:00:04"],
    ] {
      let lines = times.map { "2026-11-20 \($0).000 onStatusChanged: RINGING\n" }
      #expect(try read(.sdkText, lines.joined()).notes.allSatisfy { !$0.contains("newest line") })
    }
  }
}
