import Bytes
import CallModel

/// The connections of an rtcstats dump and their pages: page events before a connection was created belong to it, too.
struct RtcstatsPages {
  private struct Known {
    let connection: PeerConnection
    var descriptions = DescriptionDelta()
  }

  private struct Pending {
    var raw: String
    var value: EventValue
    var timeMs: Double?
    var line: Int?
  }

  private let context: RecordContext
  private let events: ApiEvents
  private var connections: [[UInt8]: Known] = [:]
  /// Facts of the whole file: the browser, the conference.
  private var common = ConnectionFacts()
  /// Capture requests by page, until the page creates another connection; and the connection it created last.
  private var waiting: [[UInt8]: PageRequests<Pending>] = [:]
  private var budget = BufferBudget()
  private var latest: [[UInt8]: PeerConnection] = [:]

  init(_ context: RecordContext) {
    self.context = context
    events = ApiEvents(context)
    common.sdk = "w3c"
  }

  /// Reads the facts in the head of the file, whose times are unreliable.
  mutating func learn(header: EventValue) throws {
    if let agent = header.member("userAgent") { common.userAgent = agent }
    for connection in connections.values {
      connection.connection.facts.userAgent = common.userAgent
      try connection.connection.introduce()
    }
  }

  /// The connection with a name, created if it is new; nil if there are too many.
  mutating func connection(_ name: [UInt8], line: Int? = nil) throws -> PeerConnection? {
    if let known = connections[name] { return known.connection }
    guard try context.takesConnection(line: line) else { return nil }
    let connection = PeerConnection(context, name: String(decoding: name, as: UTF8.self))
    connection.facts.userAgent = common.userAgent
    connection.facts.sdk = common.sdk
    connection.facts.person = common.person
    connection.facts.identities = common.identities
    connection.emittedIdentities = common.identities
    try connection.introduce()
    connections[name] = Known(connection: connection)
    return connection
  }

  /// Processes an API call or event.
  mutating func event(
    _ method: String, _ value: EventValue, timeMs: Double?, line: Int?, of name: [UInt8]?
  ) throws {
    if method == "connectionInfo" { return try learn(header: value) }
    if method == "identity" { try learn(identity: value) }
    let page = Self.page(of: name)
    if Self.isCapture(method) {
      return try capture(Pending(raw: method, value: value, timeMs: timeMs, line: line), page)
    }
    guard let name else {
      if method == "create" { return try learn(page: value) }
      return try events.give(method, value, timeMs: timeMs, line: line, of: nil)
    }
    guard let connection = try connection(name, line: line) else { return }
    if method == "create" {
      try settle(page, timeMs: timeMs, connection)
      latest[page] = connection
    }
    var value = value
    if method.hasPrefix("create"), method.hasSuffix("OnSuccess") {
      connections[name]?.descriptions.remember(value)
    } else if method == "setLocalDescription", let known = connections[name] {
      value = known.descriptions.restore(value)
    }
    try events.give(method, value, timeMs: timeMs, line: line, of: connection)
  }

  /// Ends the input.
  mutating func finish() throws {
    for page in waiting.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      for event in waiting[page]?.takeAll() ?? [] { try give(event, latest[page]) }
    }
    waiting.removeAll()
    for known in connections.values.sorted(by: { $0.connection.number < $1.connection.number }) {
      try known.connection.emitChecks()
    }
    try budget.finish("requests for camera and microphone before their connection", context.sink)
  }

  private mutating func capture(_ event: Pending, _ page: [UInt8]) throws {
    guard budget.takes(event.raw.utf8.count + event.value.json.count + page.count) else { return }
    waiting[page, default: PageRequests()].hold(event, timeMs: event.timeMs)
  }

  private mutating func settle(_ page: [UInt8], timeMs: Double?, _ next: PeerConnection) throws {
    guard let (earlier, leading) = waiting[page]?.take(leadingTo: timeMs) else { return }
    for event in earlier { try give(event, latest[page]) }
    for event in leading { try give(event, next) }
  }

  private func give(_ event: Pending, _ connection: PeerConnection?) throws {
    try events.give(event.raw, event.value, timeMs: event.timeMs, line: event.line, of: connection)
  }

  /// The participant, as named by Jitsi's clients: the meeting's id joins the dumps of its participants.
  private mutating func learn(identity value: EventValue) throws {
    var facts = ConnectionFacts()
    if let meeting = value.member("meetingUniqueId") { facts.identities.insert(Identity(.session, meeting)) }
    if let name = value.member("displayName") { facts.person = name }
    common.identities.formUnion(facts.identities)
    common.person = facts.person ?? common.person
    for known in connections.values { try context.sink.connection(known.connection.number, facts) }
  }

  /// Page events at load time have the name of a connection-creating event, and may be long before the first call.
  private mutating func learn(page value: EventValue) throws {
    try learn(header: value)
    try context.sink.note("what the page said of itself when it was loaded is no event of a call")
  }

  private static func isCapture(_ method: String) -> Bool {
    method.contains("getUserMedia") || method.contains("getDisplayMedia")
  }

  /// Chrome names connections `page-number`, so that one dump can have several pages; in other dumps there is one page.
  private static func page(of name: [UInt8]?) -> [UInt8] {
    guard let name, let dash = name.lastIndex(of: UInt8(ascii: "-")),
      name[..<dash].allSatisfy(\.isASCIIDigit)
    else { return [] }
    return Array(name[..<dash])
  }
}

/// Restores the media sections that rtcstats left out of a description because they are unchanged from the created one.
///
/// The first section is written as `v=`, others as `m=` (rtcstats-shared, `descriptionCompression`).
struct DescriptionDelta {
  /// The last result of createOffer or createAnswer, by type.
  private var created: [String: [String]] = [:]

  /// Stores a created description.
  mutating func remember(_ value: EventValue) {
    guard let type = value.member("type"), let sdp = value.member("sdp"), sdp.utf8.count < 1 << 20 else {
      return
    }
    created[type] = Self.sections(sdp)
  }

  /// The complete description; unchanged if nothing was left out.
  func restore(_ value: EventValue) -> EventValue {
    guard let type = value.member("type"), let sdp = value.member("sdp"), let base = created[type] else {
      return value
    }
    let sections = Self.sections(sdp)
    let isLeftOut = sections.enumerated().map { $1 == ($0 == 0 ? "v=" : "m=") }
    guard isLeftOut.contains(true) else { return value }
    let full = sections.enumerated().map { index, section in
      isLeftOut[index] && index < base.count ? base[index] : section
    }
    var json = ByteWriter()
    json.append("{\"type\":")
    json.append(json: type)
    json.append(",\"sdp\":")
    json.append(json: full.joined(separator: "\r\n") + "\r\n")
    json.append("}")
    return EventValue(text: json.bytes)
  }

  private static func sections(_ sdp: String) -> [String] {
    var sections: [String] = []
    for line in sdp.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("m=") || sections.isEmpty {
        sections.append(String(line))
      } else {
        sections[sections.count - 1] += "\r\n" + line
      }
    }
    return sections
  }
}
