import Bytes
import CallModel
import IO
import LogText
import Redaction

extension SourceFormat {
  public static let channelStats = SourceFormat(rawValue: "channelstats")
}

/// Reads the output of Asterisk's `pjsip show channelstats`, once or repeatedly with a date above each table.
/// Each row is a channel.
///
/// A row holds Asterisk's own figures. They are reported as `media.quality-reported` and do not enter a
/// score. Channels in one bridge are the ends of one call.
struct ChannelStatsReader: LogReader {
  static let description = FormatDescription(
    .channelStats, .lines,
    summary: "output of Asterisk's `pjsip show channelstats`, once or repeated",
    recognisedBy: "its heading, BridgeId ChannelId … UpTime",
    example: "2c2edc5b 1001-0000004f 00:01:28 ulaw 4396 0 0 0.002 4244 0 0 0.001 0.033")

  private let sink: any RecordSink
  private let options: ReaderOptions
  private let redactor = Redactor()
  private var clock: TextClock
  private var channels: [String: Channel] = [:]
  private var connections = 0
  private var timeMs: Double?
  private var isInTable = false
  private var rows = 0
  private var cut = 0
  private var withoutFigures = 0
  private var withoutTime = 0
  private var impossible = 0
  private var missing = 0

  private struct Channel {
    var connection: Int
    var upMs: Double
    var bridge: String?
    /// The index of this channel among those of the same name in the file, from 1.
    var number = 1
  }

  /// Part of the heading of each table.
  private static let heading = "ChannelId ........ UpTime"
  private static let bytesTried = 64 << 10
  private static let maxWordsOfDate = 8

  init(sink: any RecordSink, options: ReaderOptions) {
    (self.sink, self.options) = (sink, options)
    clock = TextClock(writtenMs: options.writtenMs)
  }

  /// Whether such a table begins in the first bytes.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.find(heading, in: UnsafeBufferPointer(rebasing: head.prefix(bytesTried))) != nil
  }

  /// Reads the source to its end. Throws any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    try LineReader.each(of: source, longest: options.longestTextLine, for: sink) { bytes, number, _ in
      try take(bytes, line: number)
    }
    try emitNotes()
  }

  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, line number: Int) throws {
    if ByteSearch.find(Self.heading, in: bytes) != nil {
      (isInTable, rows) = (true, 0)
      return
    }
    let line = String(decoding: bytes.prefix(400), as: UTF8.self)
    let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let first = words.first else { return }
    if first.allSatisfy({ $0 == "=" }) || line.contains("...Receive...") { return }
    if line.hasPrefix("Objects found:") || line.hasPrefix("No objects found") {
      // Rows that were filtered out, for example by grep, count as missing.
      if isInTable, let found = words.last.flatMap({ Int($0) }), found > rows { missing += found - rows }
      isInTable = false
      return
    }
    if let row = ChannelStatsRow(words) {
      rows += 1
      return try emit(row, line: number)
    }
    // A date has fewer words; a damaged row may begin with a time of day.
    if words.count <= Self.maxWordsOfDate || line.hasPrefix("Every "),
      let moment = Self.stamp(line).flatMap({ clock.moment($0) })
    {
      (timeMs, isInTable) = (moment, false)
    } else if line.hasSuffix(" not valid") || line.hasSuffix(" direct media") {
      rows += 1
      withoutFigures += 1
    } else if isInTable {
      try sink.reject(
        Reject(
          "not a row of channelstats: left out", line: number,
          excerpt: redactor.text(line)))
    }
  }

  /// Reads a date at the start of a line, or after the heading that `watch` prints.
  private static func stamp(_ line: String) -> LogTime.Stamp? {
    if let stamp = LogTime.stamp(line.drop { $0 == " " || $0 == "[" || $0 == "#" }.description) {
      return stamp
    }
    guard line.hasPrefix("Every "), let colon = line.ranges(of: ": ").last else { return nil }
    return LogTime.stamp(String(line[colon.upperBound...]))
  }

  private mutating func emit(_ row: ChannelStatsRow, line: Int) throws {
    guard let connection = try connection(of: row, line: line) else { return }
    if timeMs == nil { withoutTime += 1 }
    for side in [row.received, row.sent] {
      var args = SummaryArguments()
      args.add("by", .text("channelstats"))
      args.add("of", .text(side.isSent ? "sent" : "received"))
      if let codec = row.codec { args.add("codec", .text(codec)) }
      var figures = [
        ("packets", side.packets), ("lost", side.lost), ("loss_percent", side.percent),
        ("jitter_ms", side.jitterMs),
      ]
      if !side.isSent { figures.append(("rtt_ms", row.rttMs)) }
      for (name, value) in figures {
        guard value.isFinite, SummaryFigure.range(of: name)?.contains(value) == true else {
          impossible += 1
          continue
        }
        args.add(name, .number(value))
      }
      if side.isRounded { args.add("counted_in_thousands", .flag(true)) }
      try sink.event(
        EventRecord(
          timeMs: timeMs, event: .mediaQualityReported, raw: "pjsip show channelstats", sdk: "asterisk",
          args: args.text, line: line),
        of: connection)
    }
  }

  /// The end that a channel represents. It stays the same from table to table until a new channel of that
  /// name begins.
  private mutating func connection(of row: ChannelStatsRow, line: Int) throws -> Int? {
    if let known = channels[row.channel], row.upMs >= known.upMs {
      channels[row.channel]?.upMs = row.upMs
      if let bridge = row.bridge, bridge != known.bridge {
        channels[row.channel]?.bridge = bridge
        if known.bridge == nil {
          try say(row, of: known.connection, call: bridge)
        } else {
          try sink.event(
            EventRecord(
              timeMs: timeMs, event: .callUpdated, raw: "bridge \(bridge)", sdk: "asterisk",
              args: #"{"update":"bridged"}"#, line: line),
            of: known.connection)
        }
      }
      return known.connection
    }
    guard connections < options.connectionsPerSource else {
      try sink.reject(
        .beyond(options.connectionsPerSource, "connections in one source", line: line, raise: "connections"))
      return nil
    }
    let connection = connections
    connections += 1
    let number = (channels[row.channel]?.number ?? 0) + 1
    channels[row.channel] = Channel(
      connection: connection, upMs: row.upMs, bridge: row.bridge, number: number)
    if row.mayBeCut { cut += 1 }
    try say(row, of: connection, call: row.bridge)
    // Asterisk counts from the creation of the channel, in whole seconds.
    try sink.event(
      EventRecord(
        timeMs: timeMs.map { $0 - row.upMs }, event: .callCreated, raw: "UpTime", sdk: "asterisk",
        args: #"{"worked_out":"time of the table - UpTime"}"#, line: line),
      of: connection)
    return connection
  }

  private func say(_ row: ChannelStatsRow, of connection: Int, call: String?) throws {
    var facts = ConnectionFacts()
    facts.name =
      LoggedCall(of: redactor.text(row.channel), number: channels[row.channel]?.number ?? 1).name
    facts.sdk = "asterisk"
    facts.call = call.map { "bridge \($0)" }
    // Channel numbers start over whenever Asterisk starts, so their names identify nothing; an extension
    // belongs to somebody.
    if let person = row.extension {
      facts.person = redactor.text(person)
      facts.identities.insert(Identity(.person, redactor.text(person)))
    }
    try sink.connection(connection, facts)
  }

  private func emitNotes() throws {
    let notes = [
      ("channel ids of 18 characters, where Asterisk cuts them", cut),
      ("rows without figures (not valid, direct media)", withoutFigures),
      ("channels without a row, by Asterisk's own count", missing),
      ("rows without a date above them, so of unknown time (print `date` before each table)", withoutTime),
      ("figures of channelstats out of range, left out", impossible),
    ]
    for (words, count) in notes where count > 0 { try sink.note("\(words): \(count)") }
    for note in clock.notes { try sink.note(note) }
  }
}

/// One row: ` %8.8s %-18.18s %-8.8s %-6.6s %6u%s %6u%s %3u %7.3f %6u%s %6u%s %3u %7.3f %7.3f`
/// (channels/pjsip/cli_commands.c of Asterisk).
///
/// Counts above 100,000 are in thousands, with a K. Jitter and round-trip time are taken to be in seconds:
/// the source prints them unconverted, and rows from live systems (jitter 0.014, round trip 0.539) allow no
/// other unit.
struct ChannelStatsRow {
  struct Side {
    var isSent: Bool
    var packets: Double
    var lost: Double
    var percent: Double
    var jitterMs: Double
    /// Whether a count is in thousands.
    var isRounded: Bool
  }

  let bridge: String?
  let channel: String
  let upMs: Double
  let codec: String?
  let received: Side
  let sent: Side
  let rttMs: Double
  /// The length at which Asterisk truncates an id.
  private static let longestChannel = 18

  var mayBeCut: Bool { channel.utf8.count >= Self.longestChannel }

  /// The number of the endpoint, if it is one: `1001-0000004f`.
  var `extension`: String? {
    let parts = channel.split(separator: "-")
    guard parts.count == 2, let first = parts.first, first.utf8.count >= 3,
      first.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: "+") })
    else { return nil }
    return String(first)
  }

  /// Fails if the words are not a row. Bridge and codec may be missing.
  init?(_ words: [Substring]) {
    guard words.count >= 11, words.count <= 13, let up = words.prefix(3).firstIndex(where: Self.isDuration),
      up >= 1,
      let upMs = Self.duration(words[up])
    else { return nil }
    let numbers = words.suffix(9)
    let between = words.count - 9 - up - 1
    guard between == 0 || between == 1, numbers.allSatisfy(Self.isNumber) else { return nil }
    bridge = up == 2 ? String(words[0]) : nil
    channel = String(words[up - 1])
    self.upMs = upMs
    codec = between == 1 ? String(words[up + 1].prefix(6)) : nil
    let values = Array(numbers)
    func side(_ at: Int, isSent: Bool) -> Side {
      Side(
        isSent: isSent, packets: Self.count(values[at]), lost: Self.count(values[at + 1]),
        percent: Double(values[at + 2]) ?? .nan, jitterMs: Self.milliseconds(values[at + 3]),
        isRounded: values[at].hasSuffix("K") || values[at + 1].hasSuffix("K"))
    }
    received = side(0, isSent: false)
    sent = side(4, isSent: true)
    rttMs = Self.milliseconds(values[8])
  }

  private static func isNumber(_ word: Substring) -> Bool {
    ["nan", "-nan", "inf", "-inf"].contains(word)
      || word.utf8.count <= 24 && Double(word.hasSuffix("K") ? word.dropLast() : word) != nil
  }

  private static func count(_ word: Substring) -> Double {
    word.hasSuffix("K") ? 1000 * (Double(word.dropLast()) ?? .nan) : Double(word) ?? .nan
  }

  private static func milliseconds(_ word: Substring) -> Double {
    // Rounded to the millisecond, as printed.
    Double(word).map { ($0 * 1000).rounded() } ?? .nan
  }

  private static func isDuration(_ word: Substring) -> Bool { duration(word) != nil }

  /// `HH:MM:SS`, truncated to eight characters.
  private static func duration(_ word: Substring) -> Double? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3,
      parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    return parts.reduce(0) { 60 * $0 + (Double($1) ?? 0) } * 1000
  }
}
