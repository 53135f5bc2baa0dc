import Foundation
import Testing

/// Everything that may hold what must not get out: what was printed, and what was written.
final class Haystack {
  private(set) var parts: [(name: String, bytes: Data)] = []

  /// Imports everything below `in`, asks every question, and gathers all that was written and printed.
  init(importing folder: TemporaryFolder, _ words: String...) throws {
    let out = folder.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
    let source = folder.url.appendingPathComponent("in").path
    let database = ["--db", out.appendingPathComponent("x.sqlite").path]
    let first = try Tool.run(["import", source, "--json"] + database + words)
    #expect(first.status == 1, "some of it is damaged")
    #expect(
      try first.objects().filter { ["imported", "partial"].contains($0["status"] as? String) }.count > 40)
    add("import --json", first)
    add("import", try Tool.run(["import", source] + database + words))
    for list in ["calls", "streams", "score", "setup", "events", "findings", "sources", "rejects", "runs"] {
      add(list, try Tool.run([list, "--json"] + database))
    }
    add(
      "report",
      try Tool.run(["report", "nightly", "--out", out.appendingPathComponent("report").path] + database))
    let calls = try Tool.run(["calls", "--json"] + database).objects().compactMap { $0["call_id"] as? String }
    for (number, call) in calls.prefix(5).enumerated() {
      let page = out.appendingPathComponent("page-\(number).html").path
      add("call \(call)", try Tool.run(["call", call, "--html", page] + database))
    }
    if words.isEmpty {
      add("show", try Tool.run("show", source + "/whole"))
      add("extract", try Tool.run("extract", source + "/damaged"))
    }
    try add(folder: out)
  }

  func add(_ name: String, _ result: Tool.Result) {
    parts.append((name, Data((result.output + result.errors).utf8)))
  }

  func add(folder: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appendingPathComponent(path)
      if let bytes = try? Data(contentsOf: file) { parts.append((path, bytes)) }
    }
  }

  /// Where any of the needles stand: the part, and what is around it.
  func finds(_ needles: [String]) -> [String] {
    parts.flatMap { name, bytes in
      needles.flatMap { needle in
        var found: [String] = []
        var rest = bytes.startIndex..<bytes.endIndex
        while let range = bytes.range(of: Data(needle.utf8), in: rest), found.count < 5 {
          defer { rest = range.upperBound..<bytes.endIndex }
          if isDigest(range, in: bytes) { continue }
          let around =
            max(bytes.startIndex, range.lowerBound - 80)..<min(bytes.endIndex, range.upperBound + 40)
          found.append("\(name): …\(String(decoding: bytes[around], as: UTF8.self))…")
        }
        return found
      }
    }
  }

  /// Whether what was found lies within the 64 digits of a file's SHA-256, where six digits are now and then those of a PIN.
  private func isDigest(_ range: Range<Data.Index>, in bytes: Data) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    let before = bytes[..<range.lowerBound].reversed().prefix(64).prefix(while: isDigit).count
    let after = bytes[range.lowerBound...].prefix(129).prefix(while: isDigit).count
    return after >= range.count && before + after == 64
  }
}
