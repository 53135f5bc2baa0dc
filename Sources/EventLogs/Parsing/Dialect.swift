import Bytes
import CallModel
import LogText
import Redaction

/// What one SDK calls things: read from a data file, so that another SDK is another file. Whoever holds it holds the same one.
@dynamicMemberLookup
final class Dialect: Sendable {
  private let contents: Contents
  /// The enumerations whose values the table of transitions is of: an update may be rejected as a call may, and is no call.
  private let ofCalls: Set<String>

  init(_ contents: Contents) {
    self.contents = contents
    let states = contents.enums.map { enumeration in
      Set(enumeration.values.keys.filter { contents.transitions[$0] != nil })
    }
    ofCalls = Set(
      zip(contents.enums, states).filter { _, own in
        !own.isEmpty && !states.contains { $0.isStrictSuperset(of: own) }
      }
      .map(\.0.name))
  }

  subscript<Member>(dynamicMember member: KeyPath<Contents, Member>) -> Member { contents[keyPath: member] }

  /// The members of the file.
  struct Contents: Sendable {
    /// The word in column `sdk`.
    var sdk: String
    /// The SDK's name for people.
    var title: String
    /// Other words by which logs name the SDK.
    var aliases: [String] = []
    /// Names of members that hold secrets in this SDK's logs, beyond those that are secret everywhere.
    var secrets: [String] = []
    /// The event that is the answer of who was called, where no other says so: who is called has accepted.
    var answer: String?
    /// The event of a state that says that media flow, where the SDK logs all of its states: what never came to it had none.
    var media: String?
    /// What a callback, a method or a frame means, by normalised name.
    var events: [String: Entry] = [:]
    /// Enumerations whose values are events of their own.
    var enums: [Enumeration] = []
    /// Which state may follow which, by normalised name; empty where nothing is said.
    var transitions: [String: Set<String>] = [:]
    /// Lines of plain text: the SDK's own prints first, then what applications print of its callbacks.
    var lines: [TextPattern] = []
    /// Codes that are enumerations of the SDK.
    var codeSets: [CodeSet] = []
    /// What the SDK puts in front of every code, in words: `Call Failed:`.
    var codePrefixes: [String] = []
    /// Requests by the end of their paths.
    var paths: [RequestPath] = []
    /// What may stand in front of such an end and holds ids: `conferences/{conference}`.
    var pathHeads: [RequestPath] = []
    /// Texts after which an object of this SDK stands in a line.
    var objects: [String] = []
    /// Names that any application may use, normalised: of the life of an application, of sockets, of push. They mean what `events` says
    /// where this SDK is the log's, and do not tell that it is.
    var generic: Set<String> = []
    /// Groups of events (`ice`) that stand in the logs of every SDK by these names, because every SDK is built on what has them; and the
    /// names of such events, normalised.
    var everywhere: Set<String> = []
    var everywhereNames: Set<String> = []
    /// Names that are plain words, normalised: in text they count only where the log is known to be this SDK's and an object or a list
    /// stands behind them.
    var plain: Set<String> = []
    /// Names that mean something else where an object of one kind has them: `topic.onNotFound`.
    var receivers: [(receiver: String, name: String, raw: String)] = []
    /// Arguments that carry identities, by name or path.
    var identities: [(path: String, kind: IdentityKind)] = []
  }

  /// The meaning of a name.
  struct Entry: Sendable {
    /// Canonical events; empty where only the value decides.
    var events: [String] = []
    /// Canonical argument → raw names or positions that hold it, best first.
    var arguments: [(name: String, sources: [String])] = []
    /// Numbers that an argument can be; what is outside is none of it, and what stands beside is looked at instead.
    var bounds: [(name: String, range: ClosedRange<Double>)] = []
    /// Arguments with fixed values.
    var constants: [(name: String, value: String)] = []
    /// The argument whose value decides, by its possible names.
    var decidedBy: [String] = []
    /// What each value means, by normalised value.
    var values: [String: Entry] = [:]
    /// What it means where an argument is there, whatever its value: the first of them that is. It comes before what a value means.
    var having: [(paths: [String], entry: Entry)] = []
    /// Several settings in one: each has an event of its own, where the line names it.
    var parts: [Entry] = []
    /// The enumerations whose values decide, the likelier first.
    var enumerations: [String] = []
    /// What it means where the name alone does not tell.
    var variants: [Variant: Entry] = [:]
    /// What a state means right behind another one, by that one, normalised, while nothing told which end this is.
    var after: [String: Entry] = [:]
    /// Of a request that is logged apart from its answer: what it is before that came, and what the answer is that accepts it. Nil where
    /// that is what the request is anyway.
    var asked: [String]?
    var answered: [String]?

    /// Where a name means something else: at the end that was called, in a call that stands.
    enum Variant: Sendable { case incoming, standing }

    /// The value that stands for all that have no meaning of their own.
    static let anyValue = "*"
    /// The value that stands for what programs print where there is nothing.
    static let noValue = "null"

    /// The meaning of a value: its own, else that of its class (`4xx` for 486).
    func value(_ raw: String) -> Entry? {
      if let entry = values[LogName.normal(raw)] { return entry }
      guard raw.utf8.count == 3, Int(raw) != nil, let first = raw.first else { return nil }
      return values["\(first)xx"]
    }
  }

  /// An enumeration of the SDK.
  struct Enumeration: Sendable {
    var name: String
    /// What may stand in front of a value, normalised (`acbclientcallstatus`).
    var prefixes: [String] = []
    /// Values by number.
    var numbers: [String] = []
    var values: [String: Entry] = [:]
  }
}

extension Dialect {
  /// Whether a name is an event of this SDK and none that any application may use.
  func isOwn(_ name: String) -> Bool {
    let name = LogName.normal(name)
    return self.events[name] != nil && !self.generic.contains(name)
  }

  /// A code without what this SDK puts in front of all of them; nil where nothing stands in front of it.
  func withoutCodePrefix(_ code: String) -> String? {
    for prefix in self.codePrefixes where code.utf8.count > prefix.utf8.count {
      guard code.prefix(prefix.count).lowercased() == prefix.lowercased() else { continue }
      let rest = String(code.dropFirst(prefix.count)).trimmed
      if !rest.isEmpty { return rest }
    }
    return nil
  }

  /// Whether the table of transitions is of an enumeration's values.
  func isOfCall(_ enumeration: Enumeration) -> Bool { ofCalls.contains(enumeration.name) }

  /// The entry of an enumeration's value, with or without its prefix, or by number.
  func value(_ raw: String, of enumeration: Enumeration, allowBare: Bool = true) -> Entry? {
    if allowBare, let number = Int(raw) {
      guard enumeration.numbers.indices.contains(number) else { return nil }
      return enumeration.values[enumeration.numbers[number]]
    }
    let name = LogName.normal(raw)
    if allowBare, let entry = enumeration.values[name] { return entry }
    for prefix in enumeration.prefixes where name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count {
      if let entry = enumeration.values[String(name.dropFirst(prefix.count))] { return entry }
    }
    return nil
  }
}

extension Dialect {
  /// Whether an event is of a group that stands in the logs of every SDK.
  func isEverywhere(_ event: String) -> Bool {
    event.firstIndex(of: ".").map { self.everywhere.contains(String(event[..<$0])) } ?? false
  }

  /// Of a name that stands in the logs of every SDK, whether it tells something here: nil of any other name.
  func isEverywhere(_ raw: String, _ arguments: LogArguments) -> Bool? {
    guard !self.everywhere.isEmpty else { return nil }
    let name = LogName.normal(raw)
    guard let entry = self.events[name], self.everywhereNames.contains(name) else {
      // A constant of one of the enumerations.
      let isConstant =
        self.events[name] == nil && self.enums.contains { value(raw, of: $0, allowBare: false) != nil }
      return isConstant ? true : nil
    }
    return entry.enumerations.isEmpty || stateChoice(of: entry, in: arguments) != nil
  }
}

extension Dialect.Contents {
  /// The names that mean nothing but events of such groups, with the values of their enumerations.
  var namesEverywhere: Set<String> {
    guard !everywhere.isEmpty else { return [] }
    let names = events.filter { _, entry in
      let values = enums.filter { entry.enumerations.contains($0.name) }.flatMap(\.values)
      let meant = entry.events + values.flatMap(\.value.events)
      return !meant.isEmpty
        && meant.allSatisfy { event in
          event.firstIndex(of: ".").map { everywhere.contains(String(event[..<$0])) } ?? false
        }
    }
    return Set(names.keys)
  }
}

/// Takes out of arguments what an SDK alone calls its secrets.
///
/// Each line by those who speak in it, whatever its connection began with: one SDK's secret is another's harmless id (`sessionID`,
/// `sequence`).
struct DialectSecrets {
  private let dialects: Dialects
  private var redactors: [[String]: Redactor] = [:]

  init(_ dialects: Dialects) { self.dialects = dialects }

  /// Arguments without the secrets of those who may have written them.
  /// - Parameters:
  ///   - connection: the SDK of the line's connection, for a line that no SDK speaks in.
  mutating func taken(
    from args: String, of raw: RawEvent, _ meaning: EventNaming.Meaning, in connection: Dialect?
  ) -> String {
    var speakers = [raw.sdk.flatMap(dialects.dialect(named:)), dialects.dialect(meaning.sdk)].compactMap(
      \.self)
    if speakers.allSatisfy({ $0.sdk == "w3c" }), let connection { speakers.append(connection) }
    // What nobody knows may be anybody's.
    if speakers.isEmpty, !meaning.isStandard, !EventVocabulary.contains(raw.raw) { speakers = dialects.all }
    let names = speakers.filter { !$0.secrets.isEmpty }.map(\.sdk)
    return names.isEmpty ? args : redactor(of: names).text(args)
  }

  /// A line of text without the secrets of the SDKs that speak in it, wherever in its words they stand; nil where it has none.
  mutating func taken(from line: ArraySlice<UInt8>, of sdks: String?...) -> [UInt8]? {
    let names = Set(sdks.compactMap(\.self)).filter { dialects.dialect($0)?.secrets.isEmpty == false }
    if names.isEmpty { return nil }
    let redactor = redactor(of: names.sorted())
    return line.withUnsafeBufferPointer(redactor.redacted)
  }

  private mutating func redactor(of sdks: [String]) -> Redactor {
    if let known = redactors[sdks] { return known }
    let made = Redactor(secretNames: sdks.flatMap { dialects.dialect($0)?.secrets ?? [] })
    redactors[sdks] = made
    return made
  }
}
