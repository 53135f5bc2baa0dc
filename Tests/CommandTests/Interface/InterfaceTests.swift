import Foundation
import Testing

/// What docs/stability.md promises, held against the binary and the code.
@Suite("Nothing that others build on changes unannounced")
struct InterfaceTests {
  @Test("commands, options and exit codes are those on file")
  func commands() throws {
    try PromisedListing(golden: "commands").expect(CommandLineListing.make())
  }

  @Test("columns of lists, queries and promised views are those on file")
  func columns() throws {
    try PromisedListing(golden: "columns").expect(ColumnListing.make(InterfaceFixture.shared()))
  }

  @Test("words, event names, finding codes, gate figures and members of written files are those on file")
  func words() throws {
    try PromisedListing(golden: "words").expect(WordListing.make(InterfaceFixture.shared()))
  }

  @Test("members of JSON and their types are those of docs/json.md, and a row is the same from each command")
  func json() throws {
    let members = try JSONMembers(InterfaceFixture.shared())
    try PromisedListing(document: "docs/json.md", block: "members").expect(members.listing)
    for (kind, commands) in members.rows {
      let all = Set(commands.values.flatMap(\.self))
      for (command, names) in commands {
        #expect(names == all, "`\(command)` has a \(kind) without \(all.subtracting(names).sorted())")
      }
    }
  }

  @Test("docs/json.md is of the version that the binary prints")
  func version() throws {
    let printed = try Tool.run("--version").lines
    #expect(printed.first?.hasPrefix("callqa ") == true)
    let version = try #require(printed.first { $0.hasPrefix("json ") }?.dropFirst("json ".count))
    let text = try String(contentsOfFile: Tool.root.path + "/docs/json.md", encoding: .utf8)
    #expect(text.contains("\n**Version \(version)**"))
  }

  @Test("exit codes of --help are those of docs/cli.md")
  func exitCodes() throws {
    let text = try String(contentsOfFile: Tool.root.path + "/docs/cli.md", encoding: .utf8)
    let documented = text.split(separator: "\n").compactMap { line -> Int? in
      let cells = line.split(separator: "|")
      return cells.count == 2 ? Int(cells[0].trimmingCharacters(in: .whitespaces)) : nil
    }
    #expect(try CommandLineListing.exitCodes().map(\.code) == documented)
  }

  @Test("a difference says what breaks, what is new, and what to do about each")
  func difference() throws {
    var promised = Listing()
    promised.add("call.score_mean", "number")
    promised.add("call.sources", "list")
    promised.add("call.known", "null")
    promised.add("verdict good")
    #expect(Listing(text: promised.text) == promised)
    #expect(promised.difference(from: promised, in: "x.txt") == nil)
    var found = Listing()
    found.add("call.score", "number")
    found.add("call.sources", "text")
    found.add("call.known", "text")
    found.add("verdict good")
    #expect(
      found.difference(from: promised, in: "x.txt") == """
        x.txt does not list what there is.
        Removed or renamed. This breaks who builds on it: keep it, deprecated, for two releases
        (docs/stability.md):
          call.score_mean: number
        Changed. This breaks who builds on it: leave it as it is, and give what is new another
        name (docs/stability.md):
          call.sources: was list, is text
        New. Announce it in CHANGELOG.md, then record it with `make golden`:
          call.score: number
          call.known: was null, is text
        """)
  }
}
