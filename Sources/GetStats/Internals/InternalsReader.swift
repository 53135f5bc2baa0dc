import Bytes
import CallModel
import IO

/// Reads the dumps of chrome://webrtc-internals of all versions, with one PeerConnection in memory at a time.
struct InternalsReader {
  private let context: RecordContext
  private let stream: JSONStream
  private let events: ApiEvents
  private var capture = CaptureRequests()
  private var userAgent: String?
  private var connections: [(name: String, connection: PeerConnection)] = []

  init(_ source: any ByteSource, into sink: any RecordSink, options: ReaderOptions) {
    context = RecordContext(sink: sink, options: options)
    stream = JSONStream(source, longestValue: options.longestValue)
    events = ApiEvents(context)
  }

  /// Reads the whole source. Throws `SourceError`, after emitting what could be read.
  mutating func read() throws {
    do {
      try walk()
    } catch {
      try finish()
      throw error
    }
    try finish()
    guard try stream.isAtEnd() else { throw JSONError(byte: stream.offset, reason: "the end expected") }
    if connections.isEmpty {
      try context.sink.note("a dump without connections: it was taken when none was open")
    }
  }

  private mutating func walk() throws {
    try stream.beginObject()
    while let key = try stream.nextKey() {
      let kind = try stream.peek()
      switch String(decoding: key, as: UTF8.self) {
      case "PeerConnections" where kind == .object:
        try stream.beginObject()
        while let name = try stream.nextKey() { try connection(String(decoding: name, as: UTF8.self)) }
      case "getUserMedia" where kind == .array:
        try stream.beginArray()
        while try stream.nextElement() { try capture.take(try stream.value()) }
      case "UserAgent" where kind == .string:
        userAgent = try stream.read { scanner throws(JSONError) in try scanner.string().string }
      default: _ = try stream.value()
      }
    }
  }

  private mutating func connection(_ name: String) throws {
    guard try stream.peek() == .object, try context.takesConnection() else { return _ = try stream.value() }
    let connection = PeerConnection(context, name: name)
    connection.facts.sdk = "w3c"
    connection.facts.userAgent = userAgent
    try connection.introduce()
    connections.append((name, connection))
    var stats = InternalsConnection(connection)
    var log = UpdateLog(connection, events)
    var page = PageDigest()
    do {
      try stream.beginObject()
      while let key = try stream.nextKey() {
        switch String(decoding: key, as: UTF8.self) {
        case "stats": try stats.readStats(stream)
        case "updateLog" where try stream.peek() == .array:
          try stream.beginArray()
          while try stream.nextElement() { try log.take(try stream.value()) }
        case "rid": page.take(try stream.value())
        case "url": page.take(origin: try stream.value())
        case "rtcConfiguration": try configuration(try stream.value(), connection)
        default: _ = try stream.value()
        }
      }
    } catch {
      try log.finish(firstPollMs: stats.firstMs)
      try stats.give()
      throw error
    }
    if let page = page.identity { try connection.emitNew([page]) }
    try log.finish(firstPollMs: stats.firstMs)
    try stats.give()
  }

  /// The configuration of a connection; the dump has no time for it.
  private func configuration(_ value: UnsafeBufferPointer<UInt8>, _ connection: PeerConnection) throws {
    let value = try EventValue(value)
    guard !value.isNull else { return }
    try events.give("rtcConfiguration", value, timeMs: nil, of: connection)
  }

  private mutating func finish() throws {
    if let userAgent {
      for (_, connection) in connections where connection.facts.userAgent == nil {
        connection.facts.userAgent = userAgent
        try connection.introduce()
      }
    }
    try capture.give(connections, events, context.sink)
  }
}

/// Identifies the page of a PeerConnection: a digest of its render process and origin. The rest of a URL changes while a
/// page stays, from the lobby to the room.
struct PageDigest {
  private let hash = SHA256()
  private var parts = 0

  /// Adds the origin of `url`, as written in the dump.
  mutating func take(origin url: UnsafeBufferPointer<UInt8>) {
    let slashes = url.indices.filter { url[$0] == UInt8(ascii: "/") }
    take(UnsafeBufferPointer(rebasing: url[..<(slashes.count > 2 ? slashes[2] : url.endIndex)]))
  }

  /// Adds `rid`, as written in the dump.
  mutating func take(_ value: UnsafeBufferPointer<UInt8>) {
    guard value.count > 2 || value.first != UInt8(ascii: "\"") else { return }
    hash.update(UnsafeRawBufferPointer(value))
    parts += 1
  }

  /// The page, if both are known.
  var identity: Identity? { parts == 2 ? Identity(.page, String(hash.hexDigest().prefix(16))) : nil }
}

/// The log of calls and events of a connection of a dump.
struct UpdateLog {
  private struct Entry {
    var raw = ""
    var value = EventValue.none
    var timeMs: Double?
    var localTime: [UInt8] = []
  }

  private let connection: PeerConnection
  private let events: ApiEvents
  /// Entries of old dumps, whose time zone is only known from the statistics.
  private var waiting: [Entry] = []
  private var budget = BufferBudget()

  init(_ connection: PeerConnection, _ events: ApiEvents) {
    self.connection = connection
    self.events = events
  }

  /// Adds an entry: `{type, value, timestamp}`, or `{time, type, value}` in old dumps.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return }
    var entry = Entry()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "type" where try scanner.peek() == .string: entry.raw = try scanner.string().string
      case "value": entry.value = try EventValue(scanner.skip())
      case "timestamp", "time":
        if try scanner.peek() == .string {
          let text = try scanner.string().decoded()
          if let timeMs = ReportTime.moment(text) { entry.timeMs = timeMs } else { entry.localTime = text }
        } else {
          entry.timeMs = try ReportTime.read(&scanner) ?? entry.timeMs
        }
      default: try scanner.skip()
      }
    }
    if entry.timeMs == nil, !entry.localTime.isEmpty {
      let size = entry.raw.utf8.count + entry.value.json.count + entry.localTime.count
      if budget.takes(size) { waiting.append(entry) }
    } else {
      try events.give(entry.raw, entry.value, timeMs: entry.timeMs, of: connection)
    }
  }

  /// Emits the entries that waited for the zone: the first entry is assumed to be near the first poll, and zones are
  /// multiples of a quarter of an hour.
  mutating func finish(firstPollMs: Double?) throws {
    guard !waiting.isEmpty else { return }
    let clock = LocalClock(waiting.map(\.localTime), firstPollMs: firstPollMs)
    if let offset = clock?.offsetMinutes {
      let sign = offset < 0 ? "-" : "+"
      let digits = [abs(offset) / 60, abs(offset) % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      try connection.context.sink.note(
        "the log has local times without a zone: \(sign)\(digits[0]):\(digits[1]) by the first poll")
    } else {
      let why =
        LocalClock.canRead(waiting.map(\.localTime))
        ? "and their zone is unknown" : "in no form that is known"
      try connection.context.sink.note("the log has local times, \(why): left without time")
    }
    for note in clock?.notes ?? [] { try connection.context.sink.note(note) }
    for entry in waiting {
      try events.give(entry.raw, entry.value, timeMs: clock?.epochMs(entry.localTime), of: connection)
    }
    waiting = []
    try budget.finish("entries of a connection's log in local time", connection.context.sink)
  }
}

/// Parses times as browsers display them: `11/5/2020, 9:34:11 PM`, `08/11/2020, 10:58:45`, `5.11.2020, 21:34:11`,
/// `08:54:26 21/11/2026`.
///
/// The order of day and month, and the zone, are chosen by the first poll: the order that is nearer to it, and the zone
/// that brings it within a quarter of an hour.
struct LocalClock {
  private let isMonthFirst: Bool
  /// Offset of local time from UTC.
  let offsetMinutes: Int
  /// The assumptions made.
  private(set) var notes: [String] = []

  /// Nil if no time can be parsed, or if the zone is unknown.
  init?(_ times: [[UInt8]], firstPollMs: Double?) {
    guard let first = times.first, let firstPollMs else { return nil }
    if let absolute = Self.absolute(first) {
      isMonthFirst = true
      offsetMinutes = absolute.offsetMinutes
      return
    }
    // A number above 12 anywhere determines the order for all.
    let parsed = times.compactMap(LocalTime.init)
    let dayFirst = parsed.contains { !$0.isYearFirst && $0.date.0 > 12 }
    let monthFirst = parsed.contains { !$0.isYearFirst && $0.date.1 > 12 }
    guard let time = LocalTime(first) else { return nil }
    let readings = [true, false].filter { $0 ? !dayFirst : !monthFirst }
    let nearest = readings.compactMap { order in time.epochMs(isMonthFirst: order).map { (order, $0) } }
      .min { abs($0.1 - firstPollMs) < abs($1.1 - firstPollMs) }
    guard let (order, localMs) = nearest, abs(localMs - firstPollMs) < 16 * 3_600_000 else { return nil }
    if parsed.contains(where: \.isBuddhist) { notes.append(CalendarDate.buddhistNote) }
    if parsed.contains(where: \.mayNameDayHalf), !parsed.contains(where: \.isOnWholeDay) {
      notes.append(DayHalf.unknown)
    }
    isMonthFirst = order
    offsetMinutes = Int(ZoneOffset.nearest(toMs: localMs - firstPollMs) / 60_000)
  }

  /// Whether any of the texts is a time.
  static func canRead(_ times: [[UInt8]]) -> Bool {
    times.contains { absolute($0) != nil || LocalTime($0) != nil }
  }

  /// The time since the epoch; nil if the text is not a time.
  func epochMs(_ text: [UInt8]) -> Double? {
    if let absolute = Self.absolute(text) { return absolute.epochMs }
    return LocalTime(text)?.epochMs(isMonthFirst: isMonthFirst).map { $0 - Double(offsetMinutes) * 60_000 }
  }

  /// `Thu Nov 05 2020 21:34:11 GMT+0300 (…)`: JavaScript's `Date.toString()`, which includes a zone.
  private static func absolute(_ text: [UInt8]) -> (epochMs: Double, offsetMinutes: Int)? {
    let words = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard words.count >= 6, let month = CalendarDate.months.firstIndex(where: { $0.description == words[1] }),
      let day = Int(words[2]),
      let year = Int(words[3]), words[5].hasPrefix("GMT"), let zone = Int(words[5].dropFirst(3)),
      (1...31).contains(day), (1970...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, clock.allSatisfy({ (0...60).contains($0) }), (-1600...1600).contains(zone)
    else { return nil }
    let offset = zone / 100 * 60 + zone % 100
    let minutes = (CalendarDate.daysSinceEpoch(year, month + 1, day) * 24 + clock[0]) * 60 + clock[1] - offset
    return (Double(minutes * 60 + clock[2]) * 1000, offset)
  }
}

/// The numbers of a displayed time, whose order is not known yet.
struct LocalTime {
  /// Day and month, in the order written.
  let date: (Int, Int)
  let year: Int
  let isYearFirst: Bool
  let isBuddhist: Bool
  /// Whether an unknown word beside the hour may be a half of the day; and whether the hour shows a 24-hour clock.
  let mayNameDayHalf: Bool
  let isOnWholeDay: Bool
  private let seconds: Int

  init?(_ text: [UInt8]) {
    var numbers: [Int] = []
    var reader = DigitReader(text)
    while !reader.isAtEnd, numbers.count < 6 {
      if let number = reader.number() { numbers.append(number) } else { reader.skipByte() }
    }
    // The number that cannot be a day, month or hour is the year: the time is on the other side of the date.
    guard numbers.count >= 5, let place = numbers.firstIndex(where: { $0 > 60 }) else { return nil }
    let isDateLast = place > 2
    let day = isDateLast ? Array(numbers.suffix(3)) : Array(numbers.prefix(3))
    let clock = isDateLast ? Array(numbers.dropLast(3)) : Array(numbers.dropFirst(3))
    isYearFirst = day[0] > 60
    guard isYearFirst || day[2] > 60 else { return nil }
    let writtenYear = isYearFirst ? day[0] : day[2]
    isBuddhist = CalendarDate.buddhistYears.contains(writtenYear)
    year = CalendarDate.year(writtenYear)
    date = isYearFirst ? (day[1], day[2]) : (day[0], day[1])
    let half = Self.isAfternoon(text)
    var hour = clock[0]
    isOnWholeDay = !(1...12).contains(hour)
    mayNameDayHalf = half == nil && Self.hasWord(text)
    if half == true, hour < 12 { hour += 12 }
    if half == false, hour == 12 { hour = 0 }
    seconds = hour * 3600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0)
    guard (1970...9999).contains(year), hour < 25, clock[1] < 60 else { return nil }
  }

  /// The half of the day, if a known word names it.
  private static func isAfternoon(_ text: [UInt8]) -> Bool? {
    let letters = String(decoding: text, as: UTF8.self).lowercased().filter(\.isLetter)
    if letters.hasSuffix("pm") { return true }
    if letters.hasSuffix("am") { return false }
    // Longer words first, as one may be part of another.
    let names = DayHalf.names.sorted { $0.name.count > $1.name.count }
    return names.first { letters.contains(Self.letters($0.name)) }?.isAfternoon
  }

  /// Whether the text contains a word in another script that is not a unit of time.
  private static func hasWord(_ text: [UInt8]) -> Bool {
    let units = DayHalf.units.map(letters)
    return String(decoding: text, as: UTF8.self).lowercased().split { !$0.isLetter }
      .contains { word in !word.allSatisfy(\.isASCII) && !units.contains(String(word)) }
  }

  private static func letters(_ name: [UInt8]) -> String {
    String(decoding: name, as: UTF8.self).lowercased().filter(\.isLetter)
  }

  /// Milliseconds since the epoch assuming UTC; nil if there is no such date.
  func epochMs(isMonthFirst: Bool) -> Double? {
    let (month, day) = isYearFirst || isMonthFirst ? date : (date.1, date.0)
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    return Double(CalendarDate.daysSinceEpoch(year, month, day) * 86_400 + seconds) * 1000
  }
}
