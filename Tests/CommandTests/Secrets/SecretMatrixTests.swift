import Foundation
import Testing

@Suite("A planted secret of each kind in each format is found nowhere")
struct SecretMatrixTests {
  /// Everything that may hold a secret: what was printed, and what was written.
  private final class Haystack {
    private(set) var parts: [(name: String, bytes: Data)] = []

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
            let around =
              max(bytes.startIndex, range.lowerBound - 80)..<min(bytes.endIndex, range.upperBound + 40)
            found.append("\(name): …\(String(decoding: bytes[around], as: UTF8.self))…")
            rest = range.upperBound..<bytes.endIndex
          }
          return found
        }
      }
    }
  }

  @Test("whole files, and files that are cut, damaged or packed")
  func matrix() throws {
    let folder = try TemporaryFolder()
    var count = 0
    func plant(_ carrier: SecretCarrier, _ way: String, _ change: (Data) -> Data) throws -> String {
      count += 1
      let texts = PlantedSecret.texts(in: count)
      return try folder.file("in/\(way)/\(count)/\(carrier.name)", change(carrier.file(texts)))
    }
    for carrier in SecretCarrier.all {
      _ = try plant(carrier, "whole") { $0 }
      _ = try plant(carrier, "cut") { $0.prefix($0.count * 2 / 3) }
      // Each line loses its end: what was JSON is none any more.
      _ = try plant(carrier, "damaged") { data in
        data.prefix(1) == Data([0xA1])
          ? data
          : Data(
            data.split(separator: 0x0A).map { $0.dropLast($0.count > 60 ? 3 : 0) }.joined(separator: [0x0A]))
      }
      try pack(plant(carrier, "packed") { $0 })
    }
    let haystack = try run(on: folder)
    for find in haystack.finds(PlantedSecret.needles) { Issue.record("a secret got out: \(find)") }
  }

  private func pack(_ path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", path]
    try process.run()
    process.waitUntilExit()
  }

  /// Imports everything below `in`, asks every question, and gathers all that was written and printed.
  private func run(on folder: TemporaryFolder) throws -> Haystack {
    let haystack = Haystack()
    let out = folder.url.appendingPathComponent("out")
    try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
    let source = folder.url.appendingPathComponent("in").path
    let database = ["--db", out.appendingPathComponent("x.sqlite").path]
    let first = try Tool.run(["import", source, "--json"] + database)
    #expect(first.status == 1, "some of it is damaged")
    #expect(
      try first.objects().filter { ["imported", "partial"].contains($0["status"] as? String) }.count > 60)
    haystack.add("import --json", first)
    haystack.add("import", try Tool.run(["import", source] + database))
    for list in ["calls", "streams", "score", "setup", "events", "findings", "sources", "rejects", "runs"] {
      haystack.add(list, try Tool.run([list, "--json"] + database))
    }
    haystack.add(
      "report",
      try Tool.run(["report", "nightly", "--out", out.appendingPathComponent("report").path] + database))
    let calls = try Tool.run(["calls", "--json"] + database).objects().compactMap { $0["call_id"] as? String }
    for (number, call) in calls.prefix(5).enumerated() {
      let page = out.appendingPathComponent("page-\(number).html").path
      haystack.add("call \(call)", try Tool.run(["call", call, "--html", page] + database))
    }
    haystack.add("show", try Tool.run("show", source + "/whole"))
    haystack.add("extract", try Tool.run("extract", source + "/damaged"))
    try haystack.add(folder: out)
    return haystack
  }
}
