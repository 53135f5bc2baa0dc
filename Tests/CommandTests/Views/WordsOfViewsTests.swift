import Foundation
import Testing

@Suite("Views of one call say the same, on a terminal of 80 columns")
struct WordsOfViewsTests {
  private static let narrow = ["COLUMNS": "80"]

  private func imported() throws -> (folder: TemporaryFolder, database: String) {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.root.appendingPathComponent("samples").path, "--db", database)
    return (folder, database)
  }

  @Test("the time beside freezes in `call` is the one that `streams` has")
  func freezes() throws {
    let (folder, database) = try imported()
    defer { _ = folder }
    let streams = try Tool.run("streams", "bad-call", "--db", database, "--json").objects()
    let call = try Tool.run("call", "bad-call", "--db", database).output
    let counted = streams.compactMap { $0["freeze_ms"] as? Double }.filter { $0 > 0 }
    #expect(counted.count == 2)
    for ms in counted {
      let text = "freezes (\((ms / 100).rounded() / 10) s"
      #expect(call.replacing(try Regex("\\s+"), with: " ").contains(text), "\(text) in \(call)")
    }
  }

  @Test(
    "lists are tables there: no row becomes a list of its own",
    arguments: [
      ["score", "worst"], ["score", "bad-call", "--model", "livekit"], ["calls"], ["streams", "bad-call"],
      ["turns", "bad-call"], ["events", "bad-call"], ["findings"], ["runs"], ["setup", "--format", "table"],
    ])
  func tables(words: [String]) throws {
    let (folder, database) = try imported()
    defer { _ = folder }
    let result = try Tool.run(words + ["--db", database], environment: Self.narrow)
    #expect(result.status == 0)
    for line in result.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    let first = result.lines.prefix {
      !$0.hasPrefix("call_id  ") || $0.contains("verdict") || $0.contains("end")
    }
    #expect(first.count == result.lines.count, "\(result.output.prefix(300))")
  }

  @Test("a list of calls cuts no id and no problem")
  func uncut() throws {
    let (folder, database) = try imported()
    defer { _ = folder }
    let output = try Tool.run("calls", "--db", database, environment: Self.narrow).output
    #expect(!output.contains("…"), "\(output)")
  }

  @Test("one thing is counted as one")
  func one() throws {
    let folder = try TemporaryFolder()
    let file = Tool.sample("bad-call") + "/callee.events.jsonl.gz"
    let output = try Tool.run("import", file, "--db", "x.sqlite", in: folder.url).output
    #expect(output.hasPrefix("1 file (1 imported): 1 call, "), "\(output)")
    let picked = try Tool.run("show", file, "--pick", "9")
    #expect(picked.errors.contains("the files hold 1 call\n"), "\(picked.errors)")
    let followed = try Tool.run(
      "import", "--follow", file, "--until-idle", "0.1", "--db", "y.sqlite", in: folder.url)
    #expect(followed.errors.contains("1 file, 1 call\n"), "\(followed.errors)")
  }

  /// 40 packets of PCMU, 20 ms apart, without a link layer; from the 20th on the host's clock is 7 s back.
  private static func capture() -> Data {
    func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    func big(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
    var bytes: [UInt8] =
      little(0xA1B2_C3D4) + [2, 0, 4, 0] + little(0) + little(0) + little(65_535) + little(101)
    for number in UInt32(0)..<40 {
      let rtp =
        [0x80, 0] + big(1000 + number, 2) + big(160 * number, 4) + big(0x1234, 4)
        + [UInt8](repeating: 0xFF, count: 160)
      let udp = big(4000, 2) + big(5000, 2) + big(UInt32(rtp.count + 8), 2) + [0, 0] + rtp
      let ip =
        [0x45, 0] + big(UInt32(udp.count + 20), 2) + [0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
        + udp
      let micros = number * 20_000
      let seconds = 1_700_000_100 + micros / 1_000_000 - (number >= 20 ? 7 : 0)
      bytes +=
        little(seconds) + little(micros % 1_000_000) + little(UInt32(ip.count)) + little(UInt32(ip.count))
        + ip
    }
    return Data(bytes)
  }

  @Test("packets of a capture whose clock was set back say so, and fit 80 columns")
  func setBack() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("back.pcap", Self.capture())
    let result = try Tool.run("packets", file, "--stream", "0x1234", environment: Self.narrow)
    #expect(result.errors.contains("was set back by 7 s before frame 21"), "\(result.errors)")
    #expect(
      result.lines.count > 40 && result.lines.allSatisfy { $0.count <= 80 }, "\(result.output.prefix(400))")
    let list = try Tool.run("packets", file, environment: Self.narrow)
    #expect(list.lines.count == 2 || list.lines.count == 3, "\(list.output)")
    #expect(list.lines.allSatisfy { $0.count <= 80 })
  }
}
