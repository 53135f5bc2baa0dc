import Foundation
import Testing

@Suite("A planted secret of each kind in each format is found nowhere")
struct SecretMatrixTests {
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
    let haystack = try Haystack(importing: folder)
    for find in haystack.finds(PlantedSecret.needles) { Issue.record("a secret got out: \(find)") }
  }

  private func pack(_ path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", path]
    try process.run()
    process.waitUntilExit()
  }
}
