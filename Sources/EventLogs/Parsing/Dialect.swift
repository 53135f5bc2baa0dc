import CallModel
import LogText
import Redaction

/// The vocabulary of one SDK, read from a data file so that adding an SDK only takes another file. Copies
/// share one instance.
@dynamicMemberLookup
final class Dialect: Sendable {
  private let contents: Contents
  /// The enumerations whose values the table of transitions covers. Other enumerations may use the same words
  /// for something else; an update may be rejected, for example, as a call may.
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
    /// The value of column `sdk`.
    var sdk: String
    /// The SDK's display name.
    var title: String
    /// Other names of the SDK in logs.
    var aliases: [String] = []
    /// Names of members that hold secrets in this SDK's logs, in addition to those that are secret
    /// everywhere.
    var secrets: [String] = []
    /// The event that means that the callee has accepted, if the SDK has no separate event for the answer.
    var answer: EventName?
    /// The event of the state in which media flow, if the SDK logs all of its states. A call that never
    /// reached it had no media.
    var media: EventName?
    /// The meanings of callbacks, methods and frames, by normalised name.
    var events: [String: Entry] = [:]
    /// Enumerations whose values are separate events.
    var enums: [Enumeration] = []
    /// The allowed transitions between states, by normalised name; empty if none are given.
    var transitions: [String: Set<String>] = [:]
    /// Patterns for lines of plain text: first what the SDK itself prints, then what applications print about
    /// its callbacks.
    var lines: [TextPattern] = []
    /// Codes that are enumerations of the SDK.
    var codeSets: [CodeSet] = []
    /// Text that the SDK puts in front of every code: `Call Failed:`.
    var codePrefixes: [String] = []
    /// Requests, identified by the end of their paths.
    var paths: [RequestPath] = []
    /// Path segments that may precede such an end and hold ids: `conferences/{conference}`.
    var pathHeads: [RequestPath] = []
    /// Texts that precede an object of this SDK in a line.
    var objects: [String] = []
    /// Normalised names that any application may use, such as those of application life cycle, sockets and
    /// push. They have the meaning given in `events` in this SDK's logs, but do not identify the SDK.
    var generic: Set<String> = []
    /// Groups of events (`ice`) that have the same names in the logs of every SDK because every SDK is built
    /// on the same component, and the normalised names of such events.
    var everywhere: Set<EventName.Group> = []
    var everywhereNames: Set<String> = []
    /// Normalised names that are ordinary words. In text, they count only if the log is known to be this
    /// SDK's and an object or array follows.
    var plain: Set<String> = []
    /// Names with a different meaning if they belong to a certain kind of object: `topic.onNotFound`.
    var receivers: [(receiver: String, name: String, raw: String)] = []
    /// Arguments that carry identities, by name or path.
    var identities: [(path: String, kind: IdentityKind)] = []
  }

  /// The meaning of a name.
  struct Entry: Sendable {
    /// Canonical events; empty if only the value decides.
    var events: [EventName] = []
    /// Canonical arguments, each with the raw names or positions that may hold it, in order of preference.
    var arguments: [(name: String, sources: [String])] = []
    /// The valid range of a numeric argument. A number outside it is ignored, and the other arguments are
    /// searched instead.
    var bounds: [(name: String, range: ClosedRange<Double>)] = []
    /// Arguments with fixed values.
    var constants: [(name: String, value: String)] = []
    /// The possible names of the argument whose value decides.
    var decidedBy: [String] = []
    /// The meaning of each value, by normalised value.
    var values: [String: Entry] = [:]
    /// The meaning if a certain argument is present, whatever its value. The first that is present counts,
    /// before the meaning of a value.
    var having: [(paths: [String], entry: Entry)] = []
    /// Several settings in one callback. Each that the line names has an event of its own.
    var parts: [Entry] = []
    /// The enumerations whose values decide, most likely first.
    var enumerations: [String] = []
    /// The meaning in situations in which the name alone is not enough.
    var variants: [Variant: Entry] = [:]
    /// The meaning of a state that directly follows another one, by the normalised name of the earlier state,
    /// as long as the direction of the call is unknown.
    var after: [String: Entry] = [:]
    /// For a request logged separately from its answer: the events of the request before it is answered, and
    /// those of a positive answer. Nil if they do not differ from `events`.
    var asked: [EventName]?
    var answered: [EventName]?

    /// The situations in which a name has a different meaning: at the callee, and in an established call.
    enum Variant: Sendable { case incoming, established }

    /// The key for all values without a meaning of their own.
    static let anyValue = "*"
    /// The key for what programs print if there is no value.
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
    /// Possible prefixes of a value, normalised (`acbclientcallstatus`).
    var prefixes: [String] = []
    /// Values by number.
    var numbers: [String] = []
    var values: [String: Entry] = [:]
  }
}

extension Dialect {
  /// Whether a name is an event of this SDK that other applications do not use.
  func isOwn(_ name: String) -> Bool {
    let name = LogName.normal(name)
    return self.events[name] != nil && !self.generic.contains(name)
  }

  /// The code without the prefix that this SDK puts in front of all codes; nil if there is no prefix.
  func withoutCodePrefix(_ code: String) -> String? {
    for prefix in self.codePrefixes where code.utf8.count > prefix.utf8.count {
      guard code.prefix(prefix.count).lowercased() == prefix.lowercased() else { continue }
      let rest = String(code.dropFirst(prefix.count)).trimmed
      if !rest.isEmpty { return rest }
    }
    return nil
  }

  /// Whether the table of transitions covers the values of an enumeration.
  func isOfCall(_ enumeration: Enumeration) -> Bool { ofCalls.contains(enumeration.name) }

  /// The entry for a value of an enumeration, given with or without its prefix, or by number.
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
  /// Whether an event is in a group that occurs in the logs of every SDK.
  func isEverywhere(_ event: EventName) -> Bool { event.group.map(self.everywhere.contains) ?? false }

  /// Whether a name that occurs in the logs of every SDK has a meaning here; nil for any other name.
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
  /// The names whose only meanings are events of such groups, with the values of their enumerations.
  var namesEverywhere: Set<String> {
    guard !everywhere.isEmpty else { return [] }
    let names = events.filter { _, entry in
      let values = enums.filter { entry.enumerations.contains($0.name) }.flatMap(\.values)
      let meant = entry.events + values.flatMap(\.value.events)
      return !meant.isEmpty && meant.allSatisfy { $0.group.map(everywhere.contains) ?? false }
    }
    return Set(names.keys)
  }
}

/// Removes what a single SDK counts as its secrets from arguments.
///
/// Each line is treated according to the SDKs that wrote it, regardless of how its connection began, because
/// one SDK's secret is another's harmless id (`sessionID`, `sequence`).
struct DialectSecrets {
  private let dialects: Dialects
  private var redactors: [[String]: Redactor] = [:]

  init(_ dialects: Dialects) { self.dialects = dialects }

  /// Returns arguments without the secrets of the SDKs that may have written them.
  /// - Parameters:
  ///   - connection: The SDK of the line's connection, for a line that does not show its SDK.
  mutating func taken(
    from args: String, of raw: RawEvent, _ meaning: EventNaming.Meaning, in connection: Dialect?
  ) -> String {
    var speakers = [raw.sdk.flatMap(dialects.dialect(named:)), dialects.dialect(meaning.sdk)].compactMap(
      \.self)
    if speakers.allSatisfy({ $0.sdk == "w3c" }), let connection { speakers.append(connection) }
    // An unknown event may be from any SDK.
    if speakers.isEmpty, !meaning.isStandard, EventName(rawValue: raw.raw) == nil { speakers = dialects.all }
    let names = speakers.filter { !$0.secrets.isEmpty }.map(\.sdk)
    return names.isEmpty ? args : redactor(of: names).text(args)
  }

  /// Returns a line of text without the secrets of the SDKs that wrote it, wherever they occur in it; nil if
  /// it has none.
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
