import Foundation
import Testing

@Suite("A planted secret of each kind in each format is found nowhere")
struct SecretMatrixTests {
  @Test("whole files, and files that are cut, damaged or packed")
  func matrix() throws {
    let folder = try TemporaryFolder()
    var count = 0
    func plant(
      _ carrier: SecretCarrier, _ way: String, suffix: String = "", _ change: (Data) -> Data
    ) throws {
      count += 1
      let texts = PlantedSecret.texts(in: count)
      _ = try folder.file("in/\(way)/\(count)/\(carrier.name)\(suffix)", change(carrier.file(texts)))
    }
    for carrier in SecretCarrier.all {
      try plant(carrier, "whole") { $0 }
      try plant(carrier, "cut") { $0.prefix($0.count * 2 / 3) }
      // Each line loses its end: what was JSON is none any more.
      try plant(carrier, "damaged") { data in
        data.prefix(1) == Data([0xA1])
          ? data
          : Data(
            data.split(separator: 0x0A).map { $0.dropLast($0.count > 60 ? 3 : 0) }.joined(separator: [0x0A]))
      }
      for packing in Packing.allCases {
        try plant(carrier, "packed", suffix: ".\(packing.rawValue)", packing.pack)
        // A packed file that breaks off: what came before is read all the same, and so is redacted.
        try plant(carrier, "broken", suffix: ".\(packing.rawValue)") {
          packing.pack($0).dropLast(8)
        }
      }
    }
    let haystack = try Haystack(importing: folder)
    for find in haystack.finds(PlantedSecret.needles) { Issue.record("a secret got out: \(find)") }
  }
}
