/// The report of a telephone or gateway on the quality of a call, at its end or during it: a report of RFC
/// 6035 (`application/vq-rtcpxr`), or the header `X-RTP-Stat` of a BYE. The figures are the vendor's, not
/// scores of callqa.
public struct QualityReport: Sendable, Equatable {
  /// Figures of the media received or sent at one end, by their names in events.
  public struct Metrics: Sendable, Equatable {
    public var figures: [String: Double] = [:]
    public var codec: String?
    /// When the measurement began and ended, as written in the report.
    public var start: String?
    public var stop: String?
    /// Whether anything was measured.
    public var isEmpty: Bool { figures.isEmpty && codec == nil }
  }

  /// `VQSessionReport`, `VQIntervalReport`, `VQAlertReport`; for a header its name.
  public var kind: String
  /// The reason for the report: `CallTerm`.
  public var reason: String?
  public var callID: String?
  /// The reporting end and the far end: `user@host`.
  public var local: String?
  public var remote: String?
  /// Which of them began the call (`OrigID`).
  private var originator: String?
  public var localAddress: String?
  public var remoteAddress: String?
  public var localSSRC: UInt32?
  public var remoteSSRC: UInt32?
  /// Media received by the reporting end.
  public var received = Metrics()
  /// Media received by the far end, as the far end reported it.
  public var sent = Metrics()
  /// Number of members that callqa does not know.
  public var unknown = 0
  /// Number of figures that are not numbers or are out of range (a MOS of 9.9) and were left out.
  public var impossible = 0

  public init(kind: String) { self.kind = kind }

  /// Longest report that is read, bytes, and the most lines of it.
  public static let longest = 65_536
  private static let maxLines = 200

  /// A figure: its name in events, and its valid range. 127 is "not available" for one-byte figures (RFC 3611
  /// section 4.7).
  private struct Rule {
    var name: String
    var range: ClosedRange<Double>
    var isByte = false
  }

  /// Members of RFC 6035 section 4.6, by their names.
  private static let rules: [String: Rule] = [
    "NLR": Rule(name: "loss_percent", range: 0...100), "JDR": Rule(name: "discarded_percent", range: 0...100),
    "BLD": Rule(name: "burst_loss_percent", range: 0...100), "BD": Rule(name: "burst_ms", range: 0...1e8),
    "GLD": Rule(name: "gap_loss_percent", range: 0...100), "GD": Rule(name: "gap_ms", range: 0...1e8),
    "RTD": Rule(name: "rtt_ms", range: 0...65_535),
    "ESD": Rule(name: "end_system_delay_ms", range: 0...65_535),
    "OWD": Rule(name: "one_way_delay_ms", range: 0...65_535),
    "SOWD": Rule(name: "one_way_delay_ms", range: 0...65_535),
    "IAJ": Rule(name: "jitter_ms", range: 0...65_535), "MAJ": Rule(name: "mean_jitter_ms", range: 0...65_535),
    "JBN": Rule(name: "jitter_buffer_ms", range: 0...65_535),
    "JBM": Rule(name: "jitter_buffer_max_ms", range: 0...65_535),
    "SL": Rule(name: "signal_dbm", range: -127...0), "NL": Rule(name: "noise_dbm", range: -127...0),
    "RERL": Rule(name: "echo_return_loss_db", range: 0...126, isByte: true),
    "RLQ": Rule(name: "r_listening", range: 0...120, isByte: true),
    "RCQ": Rule(name: "r_conversational", range: 0...120, isByte: true),
    "MOSLQ": Rule(name: "mos_listening", range: 1...5),
    "MOSCQ": Rule(name: "mos_conversational", range: 1...5),
  ]

  /// Members of `X-RTP-Stat` as telephones and their servers write it (`CS=…;PS=…;PR=…;PL=…;JI=…;LA=…`).
  private static let headerRules: [String: (isSent: Bool, rule: Rule)] = [
    "PS": (true, Rule(name: "packets", range: 0...1e10)), "OS": (true, Rule(name: "bytes", range: 0...1e13)),
    "PR": (false, Rule(name: "packets", range: 0...1e10)),
    "OR": (false, Rule(name: "bytes", range: 0...1e13)),
    "CR": (false, Rule(name: "duration_s", range: 0...1e7)),
    "PL": (false, Rule(name: "lost", range: 0...1e10)),
    "JI": (false, Rule(name: "jitter_ms", range: 0...65_535)),
    "LA": (false, Rule(name: "rtt_ms", range: 0...65_535)),
    "DU": (false, Rule(name: "duration_s", range: 0...1e7)),
    "CS": (true, Rule(name: "duration_s", range: 0...1e7)),
    "MOS": (false, Rule(name: "mos_listening", range: 1...5)),
    "MOSLQK": (false, Rule(name: "mos_listening", range: 1...5)),
    "MOSCQK": (false, Rule(name: "mos_conversational", range: 1...5)),
    "RXQ": (false, Rule(name: "r_listening", range: 0...120)),
  ]

  /// First words of the reports.
  public static let kinds = ["VQSessionReport", "VQIntervalReport", "VQAlertReport"]

  /// The reports in a body, in order; empty if it has none.
  public static func reports(in body: some StringProtocol) -> [QualityReport] {
    var reports: [QualityReport] = []
    var isOfFarEnd = false
    for raw in body.prefix(longest).split(whereSeparator: \.isNewline).prefix(maxLines) {
      let line = raw.drop { $0 == " " || $0 == "\t" }
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = String(line[..<colon])
      let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
      if kinds.contains(name) {
        var report = QualityReport(kind: name)
        report.reason = value.isEmpty ? nil : String(value.prefix(40))
        reports.append(report)
        isOfFarEnd = false
        continue
      }
      guard !reports.isEmpty else { continue }
      switch name {
      case "LocalMetrics": isOfFarEnd = false
      case "RemoteMetrics": isOfFarEnd = true
      default: reports[reports.count - 1].take(name, value, isOfFarEnd: isOfFarEnd)
      }
    }
    return reports
  }

  /// The figures of a header such as `X-RTP-Stat`; nil if none of them is known.
  public init?(header name: String, _ value: some StringProtocol) {
    self.init(kind: name)
    for part in value.prefix(1024).split(whereSeparator: { ";,".contains($0) }) {
      guard let (key, text) = Self.pair(part) else { continue }
      switch key.uppercased() {
      case "EN": sent.codec = Self.codec(text)
      case "DE": received.codec = Self.codec(text)
      // Loss may have both directions, as in 3/0: received, then sent.
      case let key:
        guard let (isSent, rule) = Self.headerRules[key] else {
          unknown += 1
          continue
        }
        let numbers = text.split(separator: "/")
        if let first = numbers.first { set(rule, String(first), isSent: isSent) }
        if key == "PL", numbers.count > 1 { set(rule, String(numbers[1]), isSent: true) }
      }
    }
    if received.isEmpty && sent.isEmpty { return nil }
  }

  private mutating func take(_ name: String, _ value: String, isOfFarEnd: Bool) {
    switch name {
    case "CallID": callID = String(value.prefix(200))
    case "LocalID": local = Self.address(value)
    case "RemoteID": remote = Self.address(value)
    case "OrigID": originator = Self.address(value)
    case "LocalAddr": (localAddress, localSSRC) = Self.place(value)
    case "RemoteAddr": (remoteAddress, remoteSSRC) = Self.place(value)
    case "Timestamps", "SessionDesc", "JitterBuffer", "PacketLoss", "BurstGapLoss", "Delay", "Signal",
      "QualityEst":
      for part in Self.words(value) {
        guard let (key, text) = Self.pair(part) else { continue }
        var metrics = isOfFarEnd ? sent : received
        switch key {
        case "START": metrics.start = String(text.prefix(40))
        case "STOP": metrics.stop = String(text.prefix(40))
        case "PD": metrics.codec = Self.codec(text)
        default: break
        }
        if isOfFarEnd { sent = metrics } else { received = metrics }
        if let rule = Self.rules[key] { set(rule, text, isSent: isOfFarEnd) }
      }
    default: break
    }
  }

  private mutating func set(_ rule: Rule, _ text: String, isSent: Bool) {
    let value = Double(text)
    if rule.isByte, value == 127 { return }
    guard let value, value.isFinite, rule.range.contains(value) else {
      impossible += 1
      return
    }
    if isSent { sent.figures[rule.name] = value } else { received.figures[rule.name] = value }
  }

  private static func codec(_ text: String) -> String? {
    let name = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
    return name.isEmpty ? nil : String(name.prefix(24))
  }

  private static func pair(_ part: some StringProtocol) -> (String, String)? {
    guard let equals = part.firstIndex(of: "=") else { return nil }
    let key = part[..<equals].filter { $0 != " " }
    let text = part[part.index(after: equals)...].filter { $0 != "\"" }
    return key.isEmpty || text.isEmpty ? nil : (String(key), String(text))
  }

  // Words separated by blanks outside of quotes.
  private static func words(_ text: String) -> [Substring] {
    var isQuoted = false
    return text.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == " " && !isQuoted
    }
  }

  /// `user@host` of an address such as `Alice <sip:alice@example.org;user=phone>`.
  private static func address(_ text: String) -> String? {
    var rest = text[...]
    if let open = rest.firstIndex(of: "<") { rest = rest[rest.index(after: open)...].prefix { $0 != ">" } }
    for scheme in ["sips:", "sip:", "tel:"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
    }
    let address = rest.prefix { $0 != ";" && $0 != " " }
    return address.isEmpty ? nil : String(address.prefix(200))
  }

  /// `IP=10.0.0.1 PORT=5000 SSRC=0x1a3b`.
  private static func place(_ text: String) -> (String?, UInt32?) {
    var members: [String: String] = [:]
    for word in words(text) { if let (key, value) = pair(word) { members[key.uppercased()] = value } }
    let ssrc = members["SSRC"].flatMap { text in
      let hex = text.hasPrefix("0x") || text.hasPrefix("0X") ? String(text.dropFirst(2)) : text
      return UInt32(hex, radix: 16)
    }
    guard let ip = members["IP"] else { return (nil, ssrc) }
    let host = ip.contains(":") ? "[\(ip)]" : ip
    return (members["PORT"].map { "\(host):\($0)" } ?? host, ssrc)
  }

  /// When the measurement began and ended by the telephone's clock, ms since 1970; nil if not given.
  public var span: (startMs: Double?, stopMs: Double?) {
    (Self.milliseconds(received.start ?? sent.start), Self.milliseconds(received.stop ?? sent.stop))
  }

  /// The same where nothing else tells the time: dates from before the telephone knew it are none.
  public var dates: (startMs: Double?, stopMs: Double?) { (Self.date(span.startMs), Self.date(span.stopMs)) }

  // Telephones begin with a date of their maker's, 1970 or 2000, until they know the time.
  private static func date(_ ms: Double?) -> Double? { ms.flatMap { $0 >= earliestMs ? $0 : nil } }
  /// The RFC is of 2010, its drafts are of 2005.
  private static let earliestMs = 1_104_537_600_000.0

  /// Whether the reporting end began the call; nil if the report does not tell.
  public var isOfCaller: Bool? {
    guard let originator, local != remote else { return nil }
    return originator == local ? true : originator == remote ? false : nil
  }

  /// The first line, as in events: `VQSessionReport: CallTerm`.
  public var raw: String { reason.map { "\(kind): \($0)" } ?? kind }

  /// Whether it covers a whole call, rather than an interval or a threshold.
  public var isOfSession: Bool { kind == "VQSessionReport" }

  /// Whether it was sent because the call ended.
  public var isOfEnd: Bool { isOfSession && reason?.lowercased().contains("callterm") == true }

  /// Parses a time of RFC 6035 (RFC 3339, `2026-11-21T10:00:00Z`), ms since 1970; nil if it is not one.
  static func milliseconds(_ text: String?) -> Double? {
    guard let text, text.utf8.count >= 19, text.utf8.count <= 40 else { return nil }
    let numbers = text.split { !$0.isNumber }.prefix(6).map { Int($0) }
    guard numbers.count == 6, !numbers.contains(nil) else { return nil }
    let parts = numbers.compactMap { $0 }
    guard (1970...2200).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2]),
      parts[3] < 24, parts[4] < 60,
      parts[5] <= 60
    else { return nil }
    let days = CalendarDate.daysSinceEpoch(parts[0], parts[1], parts[2])
    var seconds = Double(days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5])
    let rest = text.dropFirst(19)
    if rest.first == "." { seconds += Double("0" + rest.prefix { $0 == "." || $0.isNumber }) ?? 0 }
    if let sign = rest.firstIndex(where: { $0 == "+" || $0 == "-" }) {
      let zone = rest[rest.index(after: sign)...].filter(\.isNumber)
      guard zone.count == 4, let hours = Int(zone.prefix(2)), let minutes = Int(zone.suffix(2)) else {
        return nil
      }
      seconds += Double(hours * 3600 + minutes * 60) * (rest[sign] == "+" ? -1 : 1)
    }
    return seconds * 1000
  }

  /// The arguments of an event, sorted by name: the media received, or with `isSent` the media received by
  /// the far end.
  public func arguments(isSent: Bool = false) -> [(name: String, value: String)] {
    let metrics = isSent ? sent : received
    var members = metrics.figures.sorted { $0.key < $1.key }.map {
      (name: $0.key, value: Self.text($0.value))
    }
    if let codec = metrics.codec { members.append(("codec", codec)) }
    return members
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
  }
}
