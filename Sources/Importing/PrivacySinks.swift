import Bytes
import CallModel
import EventLogs
import Redaction

/// Removes secrets from all texts before they are stored, in addition to the readers, which remove those they know. Only
/// the members of samples without a column are left to their reader.
final class RedactingSink: RecordSink {
  private let sink: any RecordSink
  private let redactor = Redactor()
  /// Cache of texts repeated in many events and path samples.
  private var repeated: [String: String] = [:]
  private static let maxRepeated = 256
  /// The last path of each connection, which the next sample mostly shares, with its redacted texts.
  private var paths: [Int: (given: TransportSample, clean: TransportSample)] = [:]
  /// Longer texts are not cached, so that memory is bounded.
  private static let longestRepeated = 256

  /// Leaves out arguments that nothing names; made for the first event that needs it.
  private var filter: ArgumentFilter?
  private let keepsUnknown: Bool
  /// Whether all events are of a log; in other formats only those of W3C are.
  private let isLog: Bool
  private static let logs: Set<SourceFormat> = [.runLog, .sdkText, .sse, .har]

  init(_ sink: any RecordSink, _ format: SourceFormat, keepsUnknown: Bool) {
    (self.sink, self.keepsUnknown) = (sink, keepsUnknown)
    isLog = Self.logs.contains(format)
  }

  /// What is to be noted about the arguments that were left out.
  var noteOfLeftOut: String? { filter?.note }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    try sink.connection(connection, facts.mapTexts(clean))
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    try sink.stream(stream, of: connection, facts.mapTexts(clean))
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    // Its reader knows which members are numbers of known names, as nearly all are, and has cleaned the others.
    try sink.sample(sample, of: stream, extra: extra)
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    try sink.totals(totals.mapTexts(clean), of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    var clean = transport
    if let known = paths[connection], known.given.isOnPath(of: transport) {
      clean.takePath(of: known.clean)
      clean.extra = transport.extra
    } else {
      clean = transport.mapTexts { text, _ in cleanAgain(text) }
      if paths.count == Self.maxRepeated { paths.removeAll() }
      paths[connection] = (transport, clean)
    }
    try sink.transport(clean, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    var event = event
    if !keepsUnknown, isLog || event.sdk == "w3c" {
      if filter == nil { filter = try ArgumentFilter(.installed()) }
      if let args = filter?.filtered(event) { event.args = args }
    }
    try sink.event(event.mapTexts(clean), of: connection)
  }

  func reject(_ reject: Reject) throws {
    var reject = reject
    // Nothing is known of the form of what was rejected.
    if !keepsUnknown { reject.excerpt = nil }
    try sink.reject(reject.mapTexts(clean))
  }

  func note(_ note: String) throws { try sink.note(redactor.text(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }
  func postpone() { sink.postpone() }
  func settle() throws { try sink.settle() }

  /// Secrets are removed from texts of every role.
  private func clean(_ text: String, _ role: TextRole) -> String {
    role == .word ? cleanAgain(text) : redactor.text(text)
  }

  private func cleanAgain(_ text: String) -> String {
    guard text.utf8.count <= Self.longestRepeated else { return redactor.text(text) }
    if let clean = repeated[text] { return clean }
    if repeated.count == Self.maxRepeated { repeated.removeAll() }
    let clean = redactor.text(text)
    repeated[text] = clean
    return clean
  }
}

/// Replaces names, numbers and addresses of people on their way from a reader to the store.
final class PseudonymSink: RecordSink {
  private let sink: any RecordSink
  private var text: PersonalText
  private var pseudonyms: Pseudonymizer { text.pseudonyms }
  /// The names of the ends as passed on.
  private var names: [Int: ConnectionFacts] = [:]
  private static let maxNames = 20_000

  init(_ sink: any RecordSink, _ pseudonyms: Pseudonymizer) {
    self.sink = sink
    text = PersonalText(pseudonyms)
  }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    if let person = facts.person { text.meet(person) }
    for identity in facts.identities where identity.kind == .person { text.meet(identity.value) }
    if let end = facts.endpoint, EndName.isPersonal(end) { text.meet(end) }
    if let end = LoggedCall(name: facts.name).end, EndName.isPersonal(connection: end) { text.meet(end) }
    let facts = facts.mapTexts { replaced($0, $1) }
    remember(facts, of: connection)
    try sink.connection(connection, facts)
  }

  /// Passes on the names of ends that turned out to be people. Call it once, at the end of the source.
  func finish() throws {
    for (connection, facts) in names.sorted(by: { $0.key < $1.key }) {
      let renamed = facts.mapTexts { name, _ in text.knownReplaced(name) }
      guard renamed.name != facts.name || renamed.endpoint != facts.endpoint || renamed.call != facts.call
      else { continue }
      try sink.connection(connection, renamed)
    }
  }

  private func remember(_ facts: ConnectionFacts, of connection: Int) {
    guard facts.name != nil || facts.endpoint != nil || facts.call != nil,
      names.count < Self.maxNames || names[connection] != nil
    else { return }
    var known = names[connection] ?? ConnectionFacts()
    known.name = facts.name ?? known.name
    known.endpoint = facts.endpoint ?? known.endpoint
    known.call = facts.call ?? known.call
    names[connection] = known
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    try sink.stream(stream, of: connection, facts.mapTexts { replaced($0, $1) })
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    try sink.sample(sample, of: stream, extra: extra.map { replaced($0, .json) })
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    try sink.totals(totals.mapTexts { replaced($0, $1) }, of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    try sink.transport(transport.mapTexts { replaced($0, $1) }, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    let callee = DialMethods.callee(of: event.raw)
    try sink.event(event.mapTexts { replaced($0, $1, callee: callee) }, of: connection)
  }

  func reject(_ reject: Reject) throws {
    var reject = reject
    // The form of an excerpt is unknown, so it may contain anything.
    reject.excerpt = nil
    try sink.reject(reject.mapTexts { replaced($0, $1) })
  }

  private func replaced(_ text: String, _ role: TextRole, callee: String? = nil) -> String {
    switch role {
    case .text: self.text.replaced(text)
    case .json: PersonalJSON.replaced(text, by: &self.text, callee: callee)
    case .word: self.text.byShape(text)
    case .version: self.text.replaced(version: text)
    case .person: pseudonyms.person(text)
    case .end: EndName.isPersonal(text) ? pseudonyms.person(text) : text
    case .track: EndName.tracks.contains(text) ? text : pseudonyms.person(text)
    case .address: pseudonyms.address(text)
    case .key: text
    }
  }

  func note(_ note: String) throws { try sink.note(text.replaced(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }
  func postpone() { sink.postpone() }
  /// Not passed on: a name met later may be that of an end met before.
  func settle() {}
}

/// Replaces people in the JSON of arguments and extras: members by their name, texts by their content.
private struct PersonalJSON {
  /// The JSON text with all people and addresses replaced. Anything but JSON is treated as text.
  ///
  /// - Parameter callee: the member with the callee, if its name does not say so.
  static func replaced(_ json: String, by text: inout PersonalText, callee: String? = nil) -> String {
    var walk = Walk(Array(SplitWords.mended(json, by: &text).utf8))
    walk.callee = callee
    return walk.run(&text)
  }

  private struct Walk {
    let bytes: [UInt8]
    var at = 0
    var out = ByteWriter()
    /// Whether the values at each depth belong to a person's member.
    var isPerson: [Bool] = [false]
    var key = false
    /// Whether the value is an unnamed one after a person's.
    var isBehind = false
    var callee: String?
    /// Minimum digits of a phone number; extensions are short.
    var minDigits = 5

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func run(_ text: inout PersonalText) -> String {
      text.hasFound = false
      while at < bytes.count {
        switch bytes[at] {
        case UInt8(ascii: "\""): string(&text)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          isPerson.append(key)
          if bytes[at] == UInt8(ascii: "{") { key = false }
          copy()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          key = false
          if isPerson.count > 1 { isPerson.removeLast() }
          copy()
        case UInt8(ascii: ","):
          key = isPerson.last ?? false
          copy()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number(&text)
        default: copy()
        }
      }
      return out.string
    }

    private mutating func copy() {
      out.append(byte: bytes[at])
      at += 1
    }

    private mutating func string(_ text: inout PersonalText) {
      let start = at + 1
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
        end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end = min(end, bytes.count)
      at = min(end + 1, bytes.count)
      let value = bytes[start..<end].withUnsafeBufferPointer { JSONText(escaped: $0).string }
      var next = at
      while next < bytes.count, bytes[next] <= UInt8(ascii: " ") { next += 1 }
      if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
        let isCallee = isPerson.count == 2 && value == callee
        minDigits = isCallee ? 2 : 5
        // A log's `displayName=Zoe of Quimby` was read as a member followed by unnamed words.
        isBehind = text.hasFound && value.utf8.allSatisfy(\.isASCIIDigit)
        key =
          isCallee || isBehind
          || PersonalMembers.isPerson(value.utf8, within: isPerson.last ?? false)
        out.append(json: text.replaced(value))
      } else if key, PersonalMembers.isPseudonym(value) {
        text.hasFound = true
        out.append(json: value)
      } else if key, !PersonalMembers.isWord(value), !isBehind || !PersonalMembers.isConstant(value) {
        text.meet(value)
        text.hasFound = true
        out.append(json: text.pseudonyms.person(value))
      } else {
        out.append(json: text.replaced(value))
      }
    }

    /// A number in a person's member is a phone number.
    private mutating func number(_ text: inout PersonalText) {
      let start = at
      while at < bytes.count, (UInt8(ascii: "+")...UInt8(ascii: "9")).contains(bytes[at]),
        bytes[at] != UInt8(ascii: ",")
      { at += 1 }
      let digits = bytes[start..<at]
      if key, digits.count >= minDigits, digits.allSatisfy(\.isASCIIDigit) {
        let number = String(decoding: digits, as: UTF8.self)
        text.meet(number)
        out.append(json: text.pseudonyms.person(number))
      } else {
        out.append(bytes: digits)
        // Exponents and the like are copied.
        if at == start { copy() }
      }
    }
  }
}
