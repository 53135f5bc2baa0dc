import CallModel
import IO
import Testing

@testable import Importing

@Suite("A list of files in little room")
struct FoundFilesTests {
  @Test("returns the added files in order, any number of times", arguments: 0..<10)
  func roundTrip(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let files = (0..<3000).map { _ in Self.file(using: &random) }
    var list = FoundFiles()
    for file in files { list.append(file) }
    #expect(list.count == files.count)
    #expect(Array(list) == files)
    #expect(Array(list) == files)
  }

  @Test("an empty list, and the longest paths")
  func ends() {
    #expect(Array(FoundFiles()).isEmpty)
    let long = (0..<40).map { number in
      FoundFile(
        location: RawPath(bytes: [0x2F] + [UInt8](repeating: UInt8(65 + number % 3), count: 70_000)),
        named: false, bytes: .max)
    }
    var list = FoundFiles()
    for file in long { list.append(file) }
    #expect(Array(list) == long)
  }

  @Test("iteration includes files added meanwhile")
  func growing() {
    var list = FoundFiles()
    var place = FoundFiles.Place()
    #expect(place.next(in: list) == nil)
    for number in 0..<5000 {
      let file = FoundFile(location: RawPath("/night/\(number)/caller.jsonl"), named: false, bytes: 7)
      list.append(file)
      #expect(place.next(in: list) == file)
      #expect(place.next(in: list) == nil)
    }
  }

  /// Realistic paths: most of each is the same as in the one before, some are not UTF-8.
  private static func file(using random: inout SplitMix64) -> FoundFile {
    var path = Array("/nights/2026-11-\(Int.random(in: 10...30, using: &random))/".utf8)
    path += (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random)
    }
    let location = RawPath(bytes: path)
    return FoundFile(
      location: location, named: .random(using: &random), bytes: .random(in: 0...1 << 40, using: &random),
      folder: [nil, "/nights", "/other"].randomElement(using: &random) ?? nil,
      unreadable: Int.random(in: 0..<20, using: &random) == 0
        ? Unreadable(location: location, error: SourceError(.missing, "gone"), met: .skipped) : nil)
  }
}
