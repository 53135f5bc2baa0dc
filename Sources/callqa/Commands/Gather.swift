import ArgumentParser
import Bytes
import CallModel
import CallStore
import IO
import Rendering
import Reporting

/// `callqa gather PART…`: merges judgements from many machines into one database.
struct Gather: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gather",
    abstract: "Judgements of many machines into one database, without samples.",
    usage: "callqa gather <part> ... [<options>]",
    discussion: """
      A part is what `callqa extract --judgements` writes of one group of calls; all files of a call belong in one group. Reports, \
      comparisons, gates and queries work on what was gathered as on any database. A part that was taken already changes nothing, one \
      of the same group takes its place, and one that was cut short is refused whole.

      Example:
        callqa extract --judgements --group g7 calls/7*/ > parts/g7.jsonl
        callqa gather parts/ --expect groups.txt --db night.sqlite
      """)

  @Argument(help: ArgumentHelp("Parts, plain or compressed, and folders of them.", valueName: "part"))
  var parts: [String]

  @OptionGroup var database: DatabaseOptions

  @Option(
    help: ArgumentHelp(
      "A file with the name of one group per line: those of which no part came are named, and the exit code is 1.",
      valueName: "file"))
  var expect: String?

  @Option(help: ArgumentHelp("Permissions of a database that is created, e.g. 0640.", valueName: "octal"))
  var mode: String = "0600"

  @Flag(help: "No notes on stderr.")
  var quiet = false

  func validate() throws { try ModeOptions.check(mode) }

  func run() throws {
    Interruption.listen()
    let expected = try expect.map { try lines(ofFile: $0, of: "--expect") } ?? []
    let paths = parts.flatMap(PartFile.paths)
    let store = try database.open(.write, mode: UInt16(mode, radix: 8) ?? 0o600, quiet: quiet)
    var (taken, known, refused, calls) = (0, 0, 0, 0)
    var names: Set<String> = []
    for path in paths where !Interruption.isAsked {
      do {
        // Read the part once to check that it is complete before anything is written.
        let part = try PartFile(path)
        names.insert(part.group)
        if try store.hasPart(part.digest) {
          known += 1
          continue
        }
        calls += try store.gather(part: part.group, digest: part.digest, atMs: WallClock.nowMs) { take in
          try part.forEachRow(take)
        }
        taken += 1
      } catch let error as PartError {
        refused += 1
        Entry.warn(VisibleText.visible("\(path): \(error.reason)"))
      } catch let error as BytesError {
        refused += 1
        Entry.warn(VisibleText.visible("\(path): \(error.reason)"))
      }
    }
    for folder in parts where OutputFolder.files(in: folder)?.isEmpty ?? false {
      refused += 1
      Entry.warn(VisibleText.visible("\(folder): a folder without files: check the path"))
    }
    if Interruption.isAsked { throw ExitStatus.interrupted.exit }
    try store.finishGathering()
    let gathered = try Set(store.query("SELECT name FROM parts").rows.compactMap { $0[0].string })
    let missing = expected.filter { !gathered.contains($0) }
    for name in missing.prefix(20) { Entry.warn(VisibleText.visible("no part came of group \(name)")) }
    if missing.count > 20 { Entry.warn("and of \(Plural.of(missing.count - 20, "more group"))") }
    let output = Output.standard()
    try output.write(
      "\(Plural.of(taken, "part")) gathered, \(known) known already, \(refused) refused, \(missing.count) missing: \(Plural.of(calls, "call"))\n"
    )
    try output.flush()
    if refused > 0 || !missing.isEmpty { throw ExitStatus.someRefused.exit }
  }

}

/// The lines of a file that an option names, without empty ones.
func lines(ofFile path: String, of option: String) throws -> [String] {
  var found: [String] = []
  do {
    var lines = LineReader(try InputFile(path: path, largest: 1 << 30))
    while try lines.next({ bytes, _, _ in
      if !bytes.isEmpty { found.append(String(decoding: bytes, as: UTF8.self)) }
    }) {}
  } catch let error as BytesError {
    throw Failure(.wrongCommandLine, "\(option) \(path): \(error.reason)")
  }
  return found
}

/// A part file on disk.
struct PartFile {
  private let path: String
  /// The group of calls that it covers.
  let group: String
  /// SHA-256 of its uncompressed content.
  let digest: String

  /// Maximum length of a line, bytes.
  private static let longestLine = 64 << 20

  /// Reads the file once; throws `PartError` if it is not complete.
  init(_ path: String) throws {
    self.path = path
    let hasher = SHA256()
    var (group, rows, end): (String?, Int, Int?) = (nil, 0, nil)
    try Self.read(path) { line, number in
      if end != nil { throw PartError(reason: "goes on after its end, at line \(number)") }
      let members = try Self.members(line, number)
      switch members["type"] {
      case "part":
        guard members["version"] == "\(PartTables.version)" else {
          throw PartError(
            reason:
              "is a part of version \(members["version"] ?? "unknown"), this callqa knows \(PartTables.version)"
          )
        }
        group = members["group"]
      case "row": rows += 1
      case "table": break
      case "end": end = members["rows"].flatMap(Int.init)
      default:
        throw PartError(
          reason: "line \(number) is no line of a part: make it with `callqa extract --judgements`")
      }
      if members["type"] != "end" {
        hasher.update(UnsafeRawBufferPointer(line))
        withUnsafeBytes(of: UInt8(ascii: "\n")) { hasher.update($0) }
      }
    }
    guard let group else { throw PartError(reason: "is no part: make it with `callqa extract --judgements`") }
    guard let end else { throw PartError(reason: "was cut short: its end is missing") }
    guard end == rows else {
      throw PartError(reason: "has \(Plural.of(rows, "row")), and says that it has \(end)")
    }
    self.group = group
    digest = hasher.hexDigest()
  }

  /// Passes each row to `take`. Throws what `take` throws, and `PartError`.
  func forEachRow(_ take: (JudgementRow) throws -> Void) throws {
    var columns: [String: [String]] = [:]
    try Self.read(path) { line, number in
      var scanner = JSONScanner(line)
      do {
        var (type, table, names, cells): (String, String, [String], [Cell]) = ("", "", [], [])
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          switch key.string {
          case "type": type = try scanner.string().string
          case "table": table = try scanner.string().string
          case "columns":
            try scanner.beginArray()
            while try scanner.nextElement() { names.append(try scanner.string().string) }
          case "cells": cells = try Self.cells(&scanner)
          default: _ = try scanner.skip()
          }
        }
        if type == "table" { columns[table] = names }
        guard type == "row" else { return }
        guard let names = columns[table] else {
          throw PartError(reason: "line \(number): a row of an unknown table")
        }
        try take(JudgementRow(table: table, columns: names, cells: cells))
      } catch let error as JSONError {
        throw PartError(reason: "line \(number) is no JSON (\(error.reason))")
      }
    }
  }

  private static func cells(_ scanner: inout JSONScanner) throws -> [Cell] {
    var cells: [Cell] = []
    try scanner.beginArray()
    while try scanner.nextElement() {
      switch try scanner.peek() {
      case .string: cells.append(.text(try scanner.string().string))
      case .null:
        try scanner.null()
        cells.append(.null)
      default:
        let text = String(decoding: try scanner.skip(), as: UTF8.self)
        if let whole = Int64(text) {
          cells.append(.integer(whole))
        } else if let number = Double(text), number.isFinite {
          cells.append(.real(number))
        } else {
          throw PartError(reason: "has a value that is neither text nor number")
        }
      }
    }
    return cells
  }

  private static func read(_ path: String, _ body: (UnsafeBufferPointer<UInt8>, Int) throws -> Void) throws {
    let file = try InputFile(path: path)
    var lines = LineReader(file, longestLine: longestLine)
    while try lines.next({ bytes, number, _ in if !bytes.isEmpty { try body(bytes, number) } }) {
      if let long = lines.tooLong { throw PartError(reason: "line \(long.line) is longer than any row") }
    }
  }

  private static func members(_ line: UnsafeBufferPointer<UInt8>, _ number: Int) throws -> [String: String] {
    var scanner = JSONScanner(line)
    var members: [String: String] = [:]
    do {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let name = key.string
        if try scanner.peek() == .string {
          members[name] = try scanner.string().string
        } else {
          let value = try scanner.skip()
          if value.count < 40 { members[name] = String(decoding: value, as: UTF8.self) }
        }
      }
    } catch {
      throw PartError(reason: "line \(number) is cut or no JSON")
    }
    return members
  }

  /// The part files at a path: the file itself, or those in a folder, sorted by name.
  static func paths(_ path: String) -> [String] {
    let names = OutputFolder.files(in: path)
    return names.map { $0.sorted().map { "\(path)/\($0)" } } ?? [path]
  }
}
