import Foundation
import Testing

@testable import Importing

@Suite("A walk meets each file once")
final class FileWalkerTests {
  private let root: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-walk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    root = folder.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func put(_ path: String) throws {
    let url = URL(fileURLWithPath: root).appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(path.utf8).write(to: url)
  }

  private func link(_ path: String, to target: String) {
    #expect(symlink(target, "\(root)/\(path)") == 0)
  }

  /// The files found from some paths below the root, relative to it.
  private func walk(_ paths: String..., left: Set<String> = []) -> (
    found: [String], lost: [String], opened: [String]
  ) {
    var walker = FileWalker(left: Set(left.map { "\(root)/\($0)" }))
    var (found, lost): ([String], [String]) = ([], [])
    for path in paths {
      walker.walk(
        path.isEmpty ? root : "\(root)/\(path)",
        found: { found.append(String($0.path.dropFirst(root.count + 1))) },
        lost: { lost.append(String($0.path.dropFirst(root.count + 1))) })
    }
    return (found, lost, walker.opened.map { String($0.dropFirst(root.count + 1)) })
  }

  @Test("in order of their names, hidden ones left out")
  func plain() throws {
    for path in ["b/2", "b/1", "a/x/y", "c", ".hidden/z", "b/.z"] { try put(path) }
    #expect(walk("").found == ["a/x/y", "b/1", "b/2", "c"])
  }

  @Test("a manifest before everything in and below its folder")
  func manifests() throws {
    for path in ["a/1", "a/b/run.json", "a/b/0", "run.json", "z"] { try put(path) }
    #expect(walk("").found == ["run.json", "a/1", "a/b/run.json", "a/b/0", "z"])
  }

  @Test("named twice, or by nested folders, in any order")
  func overlap() throws {
    for path in ["a/1", "a/b/2", "a/b/3"] { try put(path) }
    #expect(walk("a", "a").found == ["a/1", "a/b/2", "a/b/3"])
    #expect(walk("a", "a/b", "a/b/3").found == ["a/1", "a/b/2", "a/b/3"])
    #expect(walk("a/b/3", "a/b", "a").found == ["a/b/3", "a/b/2", "a/1"])
    #expect(walk("a/../a", "a/b/../1").found == ["a/1", "a/b/2", "a/b/3"])
  }

  @Test("through links: into and out of the walk, to hidden files, to each other, in cycles")
  func links() throws {
    for path in ["in/a/1", "in/b/2", "in/.hidden/3", "out/c/4", "out/d/5", "out/6"] { try put(path) }
    link("in/a/to-b", to: "../b")
    link("in/a/to-2", to: "../b/2")
    link("in/a/up", to: "..")
    link("in/hidden", to: ".hidden")
    link("in/out-c", to: "../out/c")
    link("in/out-c-again", to: "\(root)/out/c")
    link("out/c/back", to: "../../in")
    link("out/c/to-6", to: "../6")
    link("in/b/loop", to: "loop")
    let walked = walk("in")
    #expect(walked.found == ["in/a/1", "in/b/2", "in/.hidden/3", "out/c/4", "out/6"])
    #expect(walked.lost == ["in/b/loop"])
    // The targets of the links are in the folder named next.
    #expect(walk("in", "out").found == ["in/a/1", "in/b/2", "in/.hidden/3", "out/c/4", "out/6", "out/d/5"])
  }

  @Test("a link to a parent of the walk adds the rest of it")
  func above() throws {
    for path in ["a/b/1", "a/2"] { try put(path) }
    link("a/b/up", to: "..")
    #expect(walk("a/b").found == ["a/b/1", "a/2"])
  }

  @Test("with two hard links, by the first")
  func hardLinks() throws {
    for path in ["a/1", "b/2"] { try put(path) }
    #expect(Glibc.link("\(root)/a/1", "\(root)/b/1") == 0)
    #expect(walk("").found == ["a/1", "b/2"])
    #expect(walk("b", "a/1").found == ["b/1", "b/2"])
  }

  @Test("but not the database being written, nor SQLite's files beside it")
  func database() throws {
    for path in ["a/1", "x.sqlite"] { try put(path) }
    link("a/to-x", to: "../x.sqlite")
    link("a/to-log", to: "../x.sqlite-wal")
    #expect(Glibc.link("\(root)/x.sqlite", "\(root)/a/other-name") == 0)
    var walker = FileWalker(passingOver: "\(root)/x.sqlite")
    for ending in ["-wal", "-shm", "-journal", "-other"] { try put("x.sqlite\(ending)") }
    var found: [String] = []
    walker.walk(root, found: { found.append(String($0.path.dropFirst(root.count + 1))) }, lost: { _ in })
    #expect(found == ["a/1", "x.sqlite-other"])
  }

  @Test("paths that could not be opened before and now can are reported, and no others")
  func opened() throws {
    for path in ["a/1", "b/2"] { try put(path) }
    link("to-b", to: "b/2")
    link("nowhere", to: "gone")
    let walked = walk("", left: ["a", "to-b", "nowhere", "elsewhere"])
    #expect(walked.opened == ["a", "to-b"])
    #expect(walked.lost == ["nowhere"])
  }
}
