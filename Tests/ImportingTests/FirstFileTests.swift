import Bytes
import Foundation
import IO
import Testing

@testable import Importing

@Suite("The first file is read while the database is opened")
final class FirstFileTests {
  private let root: String
  private let large = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-first-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    root = folder.path
    try large.write(to: folder.appendingPathComponent("large"))
    try large.write(to: folder.appendingPathComponent("other"))
    try Data("few".utf8).write(to: folder.appendingPathComponent("small"))
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func first(_ names: String...) -> FirstFile? {
    FirstFile(of: ImportRequest(paths: names.map { "\(root)/\($0)" }))
  }

  @Test("it is returned once, by any path, complete and with its digest")
  func handedOver() throws {
    #expect(symlink("large", "\(root)/link") == 0)
    let file = try #require(first("link", "other"))
    #expect(file.take(at: RawPath("\(root)/other")) == nil)
    let ahead = try #require(
      file.take(at: RawPath("\(root)/../\(root.split(separator: "/").last ?? "")/large")))
    #expect(file.take(at: RawPath("\(root)/large")) == nil)
    var read = Data()
    while let piece = try ahead.lend(), piece.count > 0 { read.append(contentsOf: piece) }
    #expect(read == large)
    #expect(try ahead.sha256() == sha256(ofFile: RawPath("\(root)/other")))
  }

  @Test("small files, folders and missing files are not started", arguments: ["small", "", "none"])
  func nothing(name: String) { #expect(first(name, "large") == nil) }

  @Test("neither is standard input, nor an empty request; too large files fail when read")
  func refused() throws {
    #expect(FirstFile(of: ImportRequest(paths: ["-"])) == nil)
    #expect(FirstFile(of: ImportRequest(paths: [])) == nil)
    var request = ImportRequest(paths: ["\(root)/large"])
    request.largestSource = 1_000_000
    let ahead = try #require(FirstFile(of: request)?.take(at: RawPath("\(root)/large")))
    #expect(throws: BytesError.self) { while let piece = try ahead.lend(), piece.count > 0 {} }
  }

  @Test("an unused one is released")
  func letGo() {
    for _ in 0..<20 { #expect(first("large") != nil) }
  }
}
