import Bytes
import CallModel
import IO
import LogText

/// All dialects and the table of codes, as read from the folder of data files.
public final class Dialects: Sendable {
  let all: [Dialect]
  let codes: CodeTable
  /// The forms of call summaries.
  let summaries: SummaryForms
  /// The arguments in which any dialect has a call id, each name once.
  let callPaths: [String]
  /// The patterns for text lines of all dialects, their names, and the texts in front of their objects.
  let patterns: TextPatterns
  let names: NameIndex
  let objects: [String]
  /// The names of arguments whose texts are kept.
  let argumentNames: ArgumentNames

  /// Reads every `.json` file in the folder `dialects` and in the folder named by `CALLQA_DIALECTS`. Throws
  /// `DialectError` with file and line.
  public static func load() throws -> Dialects { try Dialects(files: files(endingIn: ".json")) }

  /// The forms of call summaries alone: they are asked of every JSON file, and need no dialect. Read only once.
  /// Throws `SourceError`.
  static func installedSummaries() throws -> SummaryForms { try ofInstalled(onceSummaries) }

  private static let onceSummaries = Result {
    SummaryForms(
      try files(endingIn: SummaryFormFile.ending).map { try SummaryFormFile(file: $0.name).read($0.bytes) })
  }

  /// The forms of tables and rows of figures; a user's own come first. Read only once. Throws `SourceError`.
  static func installedLayouts() throws -> SummaryForms { try ofInstalled(onceLayouts) }

  /// The words by which columns of tables are recognised. Throws `SourceError`.
  static func installedWords() throws -> FigureNames { try ofInstalled(onceWords) }

  private static let onceWords = Result {
    try files(endingIn: FigureNames.ending).first.map { try FigureNames(file: $0.name, bytes: $0.bytes) }
      ?? FigureNames()
  }

  private static let onceLayouts = Result {
    SummaryForms(
      try files(endingIn: SummaryFormFile.endingOfRows).reversed().map {
        try SummaryFormFile(file: $0.name).read($0.bytes)
      })
  }

  private static func files(endingIn ending: String) throws -> [(name: String, bytes: [UInt8])] {
    guard let folder = ResourceFolder("dialects") else {
      throw DialectError(
        file: "dialects", reason: "the folder of dialects is not installed; CALLQA_HOME can name where it is")
    }
    var files: [(name: String, bytes: [UInt8])] = []
    for name in folder.files(endingIn: ending) { files.append((name, try folder.contents(of: name))) }
    do {
      if let own = try ResourceFolder(environment: "CALLQA_DIALECTS") {
        for name in own.files(endingIn: ending) {
          files.append(("\(own.path)/\(name)", try own.contents(of: name)))
        }
      }
    } catch let error as BytesError {
      throw DialectError(file: "CALLQA_DIALECTS", reason: error.reason)
    }
    return files
  }

  /// The installed dialects, read only once because thousands of files may need them. Throws `SourceError`.
  static func installed() throws -> Dialects { try ofInstalled(once) }

  private static func ofInstalled<Value>(_ read: Result<Value, any Error>) throws -> Value {
    do { return try read.get() } catch let error as DialectError {
      throw SourceError(.unreadable, "a dialect file is wrong: \(error)")
    }
  }

  private static let once = Result { try load() }

  /// The secrets of all installed dialects, for text of an unknown dialect.
  public static var secretNames: [String] { ((try? once.get())?.all ?? []).flatMap(\.secrets) }

  /// Reads the given files. `codes.json` is the table of codes; a file ending in `.summary.json` describes
  /// the form of a service's call summaries. Throws `DialectError`.
  public init(files: [(name: String, bytes: [UInt8])]) throws {
    var all: [Dialect] = []
    var codes = CodeTable()
    var summaries: [SummaryForm] = []
    for file in files {
      if [SummaryFormFile.endingOfRows, FigureNames.ending].contains(where: file.name.hasSuffix) { continue }
      if file.name.hasSuffix(SummaryFormFile.ending) {
        summaries.append(try SummaryFormFile(file: file.name).read(file.bytes))
      } else if file.name == "codes.json" {
        codes = try CodeTable(file: file.name, bytes: file.bytes)
      } else {
        let dialect = try DialectFile(file: file.name).read(file.bytes)
        if all.contains(where: { $0.sdk == dialect.sdk }) {
          throw DialectError(file: file.name, reason: "another file has SDK \"\(dialect.sdk)\" already")
        }
        all.append(dialect)
      }
    }
    var names: Set<String> = []
    callPaths = all.flatMap(\.callPaths).filter { names.insert(LogName.normal($0)).inserted }
    patterns = TextPatterns(of: all)
    self.names = NameIndex(of: all)
    objects = all.flatMap(\.objects)
    argumentNames = ArgumentNames(of: all)
    (self.all, self.codes, self.summaries) = (all, codes, SummaryForms(summaries))
  }

  /// The dialect with the given value of column `sdk`; nil if there is none.
  func dialect(_ sdk: String?) -> Dialect? { sdk.flatMap { sdk in all.first { $0.sdk == sdk } } }

  /// The dialect of an SDK by its `sdk` value or one of its aliases.
  func dialect(named name: String) -> Dialect? {
    let wanted = LogName.normal(name)
    return all.first { LogName.normal($0.sdk) == wanted || $0.aliases.contains(wanted) }
  }
}

extension Dialects {
  /// The call ids on a line, with the names of the arguments that hold them: the log's own `call`, else what
  /// the dialect of its SDK uses as a call id; if that dialect has none, what any dialect uses.
  func callIDs(of raw: RawEvent, _ sdk: Dialect?) -> [CallSegmenter.ID] {
    var ids: [CallSegmenter.ID] = []
    let own = sdk?.callPaths ?? []
    for path in raw.arguments.isEmpty ? [] : own.isEmpty ? callPaths : own {
      let name = LogName.normal(path)
      guard let value = raw.arguments.text(path), !value.isEmpty,
        !ids.contains(where: { $0.name == name && $0.value == value })
      else { continue }
      ids.append((name, value))
    }
    guard let call = raw.call else { return ids }
    let name = raw.idKind ?? ids.first { $0.value == call }?.name ?? "call"
    return [(name, call)] + ids.filter { $0.value != call }
  }

  /// The callee in an event that opens a call, with the name of its argument: one that holds a person in the
  /// SDK's dialect, a SIP address or phone number, or a conference; else the first argument, if it is a
  /// single word such as a name or number.
  func callee(of raw: RawEvent, _ sdk: Dialect?) -> CallSegmenter.ID? {
    for name in (sdk?.calleePaths ?? []) + ["sip", "sips", "tel", "to", "number", "conference"] {
      if let value = raw.arguments.text(name), !value.isEmpty { return (LogName.normal(name), value) }
    }
    guard let first = raw.arguments.text("0"), first.utf8.count >= 3, first.utf8.count <= 200,
      first.utf8.allSatisfy({
        $0 < 0x80 && ($0.isASCIILetter || $0.isASCIIDigit || "@.+-_:".utf8.contains($0))
      })
    else { return nil }
    return (LogName.normal(raw.raw), first)
  }

  /// Whether a value that a dialect declares to be a person or address can be one: a single word, and neither
  /// a printed object nor a word that programs print for themselves.
  static func mayBeAddress(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.count <= 200 && !CallObject.isPrinted(value)
      && value.utf8.allSatisfy { $0 > UInt8(ascii: " ") && !"<>(){}[]".utf8.contains($0) }
      && !["self", "this", "call", "nil", "null", "true", "false", "yes", "no"].contains(value.lowercased())
  }

}

extension Dialect {
  /// The arguments that hold the callee: those with a person, except the caller.
  var calleePaths: [String] {
    self.identities.filter { $0.kind == .person && !$0.path.lowercased().hasPrefix("caller") }.map(\.path)
  }

  /// The arguments that hold ids of a call.
  var callPaths: [String] { self.identities.filter { $0.kind == .call }.map(\.path) }
}

extension RawEvent {
  /// The end that the event belongs to, as the log names it.
  var end: String { "\(takesUnnamed ? "" : endpoint ?? "")|\(pc ?? "")" }
}

/// The names of all dialects in one set. Nearly every word of a log is in no dialect, and need not be
/// compared with each of them.
///
/// Words are looked up by hash, so that none is copied. A hash collision only costs a comparison.
struct NameIndex: Sendable {
  private let names: Set<UInt64>

  /// Indexes event names, and enumeration values with their prefixes.
  init(of dialects: [Dialect]) {
    let values = dialects.flatMap(\.enums).flatMap { enumeration in
      enumeration.prefixes.flatMap { prefix in enumeration.values.keys.map { prefix + $0 } }
    }
    names = Set((dialects.flatMap(\.events.keys) + values).map { FNV1a.value(of: $0.utf8) })
  }

  /// Whether a word, or a part of it before or after a dot or a colon, may be a name in any dialect.
  func mayHold(_ word: ArraySlice<UInt8>) -> Bool {
    var (whole, part) = (FNV1a(), FNV1a())
    for byte in word {
      if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") {
        if names.contains(part.value) { return true }
        part = FNV1a()
      } else if LogName.isNormal(byte) {
        whole.add(byte.asciiLowercased)
        part.add(byte.asciiLowercased)
      }
    }
    return names.contains(part.value) || names.contains(whole.value)
  }
}

/// The patterns of all dialects by their first letters, so that a line is scanned only once.
struct TextPatterns: Sendable {
  /// Identifies a pattern: the index of its dialect, and its own index in the dialect's file.
  private struct Place: Hashable {
    var dialect: Int
    var pattern: Int
    /// Up to eight letters with which the pattern begins, in lower case, the first in the lowest byte, and a
    /// mask of the bytes used.
    var beginning: UInt64
    var mask: UInt64
  }

  private var byFirst: [[Place]] = Array(repeating: [], count: 256)

  init(of dialects: [Dialect]) {
    for (index, dialect) in dialects.enumerated() {
      for (number, pattern) in dialect.lines.enumerated() {
        let letters = pattern.beginning
        let first = Int(letters[0])
        byFirst[first].append(
          Place(
            dialect: index, pattern: number, beginning: Self.beginning(letters[...], at: 0),
            mask: .max >> UInt64(8 * (8 - letters.count))))
      }
    }
  }

  // The eight letters from `start` on, in lower case, the first in the lowest byte; 0 after the end of the
  // line.
  private static func beginning(_ line: ArraySlice<UInt8>, at start: Int) -> UInt64 {
    var letters: UInt64 = 0
    for at in start..<min(start + 8, line.endIndex) {
      letters |= UInt64(line[at].asciiLowercased) << UInt64(8 * (at - start))
    }
    return letters
  }

  /// The patterns that match a line, and where. For each dialect, the pattern that comes first in its file
  /// wins.
  ///
  /// `tried` counts the positions at which a pattern was tried.
  func matches(
    in line: ArraySlice<UInt8>, _ dialects: [Dialect], tried: inout Int
  ) -> [(dialect: Dialect, pattern: TextPattern, arguments: LogArguments, place: Int)] {
    var found: [Int: (pattern: Int, arguments: LogArguments, place: Int)] = [:]
    var spent: Set<Place> = []
    var before: UInt8 = UInt8(ascii: " ")
    for at in line.indices {
      let byte = line[at].asciiLowercased
      defer { before = byte }
      if byFirst[Int(byte)].isEmpty || TextPattern.isLetter(before) && TextPattern.isLetter(byte) { continue }
      let beginning = Self.beginning(line, at: at)
      for place in byFirst[Int(byte)]
      where beginning & place.mask == place.beginning && place.pattern < found[place.dialect]?.pattern ?? .max
      {
        if !spent.isEmpty, spent.contains(place) { continue }
        tried += 1
        switch dialects[place.dialect].lines[place.pattern].match(line, at: at) {
        case .found(let arguments): found[place.dialect] = (place.pattern, arguments, at)
        case .never: spent.insert(place)
        case .elsewhere: break
        }
      }
    }
    return found.sorted { $0.key < $1.key }.map { index, hit in
      (dialects[index], dialects[index].lines[hit.pattern], hit.arguments, hit.place)
    }
  }
}
