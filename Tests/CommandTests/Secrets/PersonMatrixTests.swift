import Foundation
import Testing

@Suite("With --pseudonymize no planted name, number or address of any kind in any format is found")
struct PersonMatrixTests {
  @Test("whole files, and files that are cut or packed")
  func matrix() throws {
    let folder = try TemporaryFolder()
    var count = 0
    for carrier in SecretCarrier.all {
      for way in ["whole", "cut"] {
        count += 1
        let data = carrier.file(PlantedPerson.texts(in: count))
        _ = try folder.file(
          "in/\(way)/\(count)/\(carrier.name)", way == "cut" ? data.prefix(data.count * 2 / 3) : data)
      }
      for packing in Packing.allCases {
        count += 1
        let data = packing.pack(carrier.file(PlantedPerson.texts(in: count)))
        _ = try folder.file("in/packed/\(count)/\(carrier.name).\(packing.rawValue)", data)
      }
    }
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let haystack = try Haystack(importing: folder, "--pseudonymize", "--key-file", key)
    for find in haystack.finds(PlantedPerson.needles) { Issue.record("somebody got out: \(find)") }
  }
}
