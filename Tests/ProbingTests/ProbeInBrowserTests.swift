import FoundationEssentials
import Glibc
import Testing

@testable import Probing

@Suite("Calls placed with a real browser", .serialized)
struct ProbeInBrowserTests {
  private static let programs = BrowserKind.allCases.reduce(into: [BrowserKind: String]()) { found, kind in
    found[kind] = kind.programs.map { "/usr/bin/" + $0 }.first { access($0, X_OK) == 0 }
  }

  private func place(_ plan: String) throws -> (folder: String, said: [String], tally: ProbeTally) {
    var template = Array("/tmp/callqa-probe-test-XXXXXX".utf8CString)
    let made = mkdtemp(&template) != nil
    try #require(made)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let said = Said()
    let run = ProbeRun(
      try ProbePlan(json: Array(plan.utf8)), name: "test", folder: folder, programs: Self.programs
    ) { said.lines.append($0) }
    let tally = try run.place()
    return (folder, said.lines, tally)
  }

  private final class Said { var lines: [String] = [] }

  private func json(_ path: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: #require(FileManager.default.contents(atPath: path)))
  }

  @Test(
    "connect through the relay alone, and leave logs, a manifest and the relay's counts",
    .enabled(if: programs[.chromium] != nil, "there is no Chromium here"))
  func chromium() throws { try lossy(.chromium, .chromium) }

  @Test(
    "do so with Firefox at either end, and at both",
    .enabled(if: programs.count == 2, "there is no Firefox here"),
    arguments: [(BrowserKind.firefox, BrowserKind.chromium), (.chromium, .firefox), (.firefox, .firefox)])
  func firefox(_ caller: BrowserKind, _ callee: BrowserKind) throws { try lossy(caller, callee) }

  private func lossy(_ caller: BrowserKind, _ callee: BrowserKind) throws {
    let (folder, said, tally) = try place(
      #"""
      {"scenarios": [{"name": "sound", "seconds": 5, "video": false, "pages": [
        {"name": "caller", "browser": "\#(caller)"}, {"name": "callee", "browser": "\#(callee)"}]}],
       "impairments": [{"name": "loss", "both": {"loss": 0.2}, "expect": {"outcome": "completed"}}]}
      """#)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(said.last?.contains("sound-loss: connected") == true, "\(said)")
    // A machine busy with other tests may spoil it, which was reported; then there is nothing to check.
    guard tally.spoiled == 0 else { return }
    let manifest = try json(folder + "/calls/run.json")
    guard case .array(let calls) = manifest["calls"] else { throw ProbeError("no calls") }
    #expect(calls.first?["call_id"].text == "sound-loss")
    #expect(calls.first?["expect"]["outcome"].text == "completed")
    guard case .array(let accounts) = try json(folder + "/probe.json") else { throw ProbeError("no account") }
    let relay = try #require(accounts.first)["relay"]
    guard case .array(let streams) = relay["streams"] else { throw ProbeError("no streams") }
    // Each end sent its audio through the relay, 50 packets a second.
    #expect(streams.count == 2)
    for stream in streams {
      let share = (stream["dropped"].number ?? 0) / (stream["packets"].number ?? 1)
      #expect((stream["packets"].number ?? 0) > 150 && share > 0.1 && share < 0.3)
    }
    for end in ["caller", "callee"] {
      let log = try #require(FileManager.default.contents(atPath: "\(folder)/calls/sound-loss/\(end).jsonl"))
      let lines = try log.split(separator: 10).map {
        try JSONDecoder().decode(JSONValue.self, from: Data($0))
      }
      #expect(lines.contains { $0["event"].text == "call.ended" })
      #expect(lines.allSatisfy { $0["call"].text == "sound-loss" && $0["endpoint"].text == end })
      let reports = lines.compactMap { if case .object(let reports) = $0["report"] { reports } else { nil } }
      #expect(
        reports.contains {
          $0.values.contains { $0["type"].text == "inbound-rtp" && ($0["packetsReceived"].number ?? 0) > 100 }
        })
      #expect(!String(decoding: log, as: UTF8.self).contains("ice-pwd"))
    }
    #expect(FileManager.default.fileExists(atPath: folder + "/relay/sound-loss.csv"))
    #expect(!FileManager.default.fileExists(atPath: folder + "/media"))
  }

  @Test("fail without the browser")
  func noBrowser() throws {
    var template = Array("/tmp/callqa-probe-test-XXXXXX".utf8CString)
    let made = mkdtemp(&template) != nil
    try #require(made)
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = ProbeRun(
      try ProbePlan(json: Array("{}".utf8)), name: "x", folder: folder, programs: [.chromium: "/nowhere"]
    ) { _ in }
    let error = #expect(throws: ProbeError.self) { try run.place() }
    #expect(error?.description.contains("/nowhere does not start") == true)
  }
}

@Suite("What the fake microphone and camera give")
struct FakeMediaTests {
  @Test("is ten seconds of loud audio with pauses")
  func voice() {
    let file = FakeMedia.voice()
    #expect(file.count == 44 + 10 * 48_000 * 2)
    let samples = stride(from: 44, to: file.count, by: 2).map {
      Int16(bitPattern: UInt16(file[$0]) | UInt16(file[$0 + 1]) << 8)
    }
    let levels = stride(from: 0, to: samples.count, by: 4800).map { begin in
      samples[begin..<(begin + 4800)].reduce(0) { max($0, abs(Int($1))) }
    }
    #expect(levels.max() ?? 0 > 12_000)
    #expect(levels.count { $0 < 50 } > 5 && levels.count { $0 > 1000 } > 50)
  }

  @Test("is six seconds of video, each frame with its number")
  func picture() {
    let file = FakeMedia.picture()
    let header = file.prefix { $0 != 10 }.count + 1
    let frame = 6 + 640 * 360 * 3 / 2
    #expect(file.count == header + 120 * frame)
    for number in [0, 1, 77, 119] {
      let begin = header + number * frame + 6
      let read = (0..<16).reduce(0) { $0 | (file[begin + 8 * 640 + $1 * 16 + 8] > 128 ? 1 << $1 : 0) }
      #expect(read == number)
    }
  }
}
