import CallModel
import LogText
import Redaction

/// Turns summaries into records: an end for each side that reports on the media, the events of the call, and
/// the service's figures.
struct SummaryRecords {
  static let unknown =
    "not a call summary that callqa knows: docs/event-logs.md says how to add a service"

  private let sink: any RecordSink
  private let codes: CodeTable
  private let options: ReaderOptions
  private let redactor = Redactor()
  private var connections: [String: Int] = [:]
  private var directions: [Int: CallDirection] = [:]
  private var impossible = 0
  private var tooMany = 0
  private var nameless = 0

  /// The maximum length of an id or name, and the maximum number of unknown members kept in a report.
  private static let longestID = 200
  private static let maxOthers = 60

  init(sink: any RecordSink, codes: CodeTable, options: ReaderOptions) {
    (self.sink, self.codes, self.options) = (sink, codes, options)
  }

  /// Takes one summary.
  mutating func take(_ tree: SummaryTree, _ form: SummaryForm, line: Int?) throws {
    tooMany += tree.leftOut
    let call = form.call.flatMap { id(tree.text($0)) }
    let leg = form.leg.flatMap { id(tree.text($0)) }
    guard call != nil || leg != nil else {
      return try sink.reject(Reject("a call summary without the id of a call", line: line))
    }
    let ends = form.ends.filter { end in end.place.map(tree.hasObject) ?? true }
    // A call that was never connected has no end with media, but its events are reported.
    var first: Int?
    for end in ends.isEmpty ? [SummaryForm.End()] : ends {
      guard let connection = try connection(tree, form, end, call: call, leg: leg, line: line) else { return }
      if first == nil { try emitSteps(tree, form, of: connection, isOneEnd: form.ends.count < 2, line: line) }
      first = first ?? connection
      try report(tree, form, end, of: connection, line: line)
    }
  }

  /// Reports what was left out.
  mutating func finish() throws {
    if impossible > 0 {
      try sink.note(
        "figures of summaries out of range (a MOS of 0, a share above 100 %), left out: \(impossible)")
    }
    if tooMany > 0 {
      try sink.reject(.beyond(SummaryTree.maxMembers, "members in one summary", count: tooMany))
    }
    if nameless > 0 {
      try sink.note("unknown events of summaries, kept by name without their payload: \(nameless)")
    }
  }

  // MARK: Ends

  private mutating func connection(
    _ tree: SummaryTree, _ form: SummaryForm, _ end: SummaryForm.End, call: String?, leg: String?, line: Int?
  ) throws -> Int? {
    let key = [form.by, call ?? "", leg ?? "", end.name ?? ""].joined(separator: "\n")
    let connection = connections[key] ?? connections.count
    guard connections[key] != nil || connection < options.connectionsPerSource else {
      try sink.reject(
        .beyond(options.connectionsPerSource, "connections in one source", line: line, raise: "connections"))
      return nil
    }
    connections[key] = connection
    var facts = ConnectionFacts()
    facts.call = call
    facts.sdk = form.by
    facts.name = [leg ?? call, end.name].compactMap { $0 }.joined(separator: " ")
    facts.endpoint = end.name
    facts.direction = form.direction(of: tree)
    if let direction = facts.direction {
      directions[connection] = direction
      // A leg has only one end here, that of the service, which is neither the caller nor the callee.
      if form.leg != nil { facts.endpoint = "\(direction.rawValue) leg" }
    }
    facts.userAgent = end.userAgent.flatMap { id(tree.text(end.whole($0))) }
    for (path, kind) in form.identities + end.identities.map({ (end.whole($0.path), $0.kind) }) {
      if let value = id(tree.text(path)) { facts.identities.insert(Identity(kind, value)) }
    }
    let people = [form.caller, form.callee].map { path in
      path.flatMap { id(tree.text($0)) }.map { redactor.text($0) }
    }
    for person in people.compactMap({ $0 }) { facts.identities.insert(Identity(.person, person)) }
    // The other party of a leg is the one that calls the service or is called by it.
    if form.ends.count < 2, let direction = facts.direction {
      facts.person = direction == .incoming ? people[0] : people[1]
    }
    try sink.connection(connection, facts)
    return connection
  }

  private func id(_ text: String?) -> String? {
    guard let text, text.utf8.count <= Self.longestID else { return nil }
    return text.utf8.allSatisfy { $0 <= UInt8(ascii: " ") } ? nil : text
  }

  // MARK: Events

  private mutating func emitSteps(
    _ tree: SummaryTree, _ form: SummaryForm, of connection: Int, isOneEnd: Bool, line: Int?
  ) throws {
    let steps = SummarySteps(form: form, codes: codes)
    let events = steps.events(of: tree, direction: isOneEnd ? directions[connection] : nil, line: line) {
      Self.time([$0], tree)
    }
    for event in events { try sink.event(event, of: connection) }
    guard events.isEmpty, !steps.apply(to: tree) else { return }
    nameless += 1
    try sink.event(
      EventRecord(
        timeMs: Self.time(form.reported, tree), event: .unknown, raw: steps.raw(of: tree), sdk: form.by,
        line: line),
      of: connection)
  }

  private static func time(_ paths: [String], _ tree: SummaryTree) -> Double? {
    paths.lazy.compactMap { tree.text($0) }.compactMap(milliseconds).first
  }

  /// A time as services write it. A time without a zone is UTC.
  static func milliseconds(_ text: String) -> Double? {
    guard text.utf8.count <= 40, let date = LogTime.stamp(text)?.date else { return nil }
    let time = date.zoned ?? date.localMs
    return times.contains(time) ? time : nil
  }

  /// From 1990 to 2200; the services existed neither before nor after.
  private static let times = 631_152_000_000.0...7_258_118_400_000.0

  // MARK: Figures

  private mutating func report(
    _ tree: SummaryTree, _ form: SummaryForm, _ end: SummaryForm.End, of connection: Int, line: Int?
  ) throws {
    let raw = end.name.map { "\(form.by) \($0)" } ?? "\(form.by) summary"
    for (word, place) in [("received", end.received), ("sent", end.sent)] {
      guard let place = place.map(end.whole), tree.hasObject(place) else { continue }
      var args = SummaryArguments()
      args.add("by", .text(form.by))
      args.add("of", .text(word))
      guard addFigures(below: place, of: tree, form, to: &args) else { continue }
      args.add(end.arguments.map { ($0.name, end.whole($0.path)) }, from: tree)
      try sink.event(
        EventRecord(
          timeMs: Self.time(form.reported, tree), event: .mediaQualityReported, raw: raw, sdk: form.by,
          args: args.text, line: line),
        of: connection)
    }
  }

  /// Adds the figures under their standard names, and the remaining members under their own; returns false if
  /// there is nothing to add.
  private mutating func addFigures(
    below place: String, of tree: SummaryTree, _ form: SummaryForm, to args: inout SummaryArguments
  ) -> Bool {
    var known: Set<String> = []
    var count = 0
    for (figure, paths) in form.figures {
      for path in paths {
        let whole = place + "." + path
        guard let value = tree.members[whole]?.value else { continue }
        known.insert(path)
        guard let range = figure.range else {
          if let codec = tree.text(whole), codec.utf8.count <= 40 {
            args.add(figure.name, .text(codec))
            count += 1
          }
          continue
        }
        guard let number = tree.number(whole), range.contains(number) else {
          if value != .text("") { impossible += 1 }
          continue
        }
        args.add(figure.name, .number(number))
        count += 1
        break
      }
    }
    for (name, path, value) in tree.below(place).prefix(Self.maxOthers) where !known.contains(path) {
      switch value {
      case .text(""): continue
      case .text(let text): args.add(name, Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? value)
      default: args.add(name, value)
      }
      count += 1
    }
    return count > 0
  }
}
