import CallModel
import LogText

/// Finds the meaning of a raw event from its dialect or from W3C's names; it may be unknown.
struct EventNaming {
  let dialects: Dialects

  /// The meaning of a raw event.
  struct Meaning {
    var events: [EventName]
    /// Arguments that the dialect or the W3C mapping adds to the raw ones.
    var added: [(name: String, value: String)] = []
    /// Arguments added to only one of the events, by the index of that event.
    var own: [Int: [(name: String, value: String)]] = [:]
    /// The code that the dialect chose among the raw arguments, which may have a different one under that
    /// name.
    var code: String?
    /// The state named by an enumeration, normalised, for the table of transitions.
    var state: String?
    /// The dialect that knows the event; nil for W3C's events and for unknown ones.
    var sdk: String?
    /// Whether it is an event of the PeerConnection itself.
    var isStandard = false
    /// Whether any application may use the name.
    var isGeneric = false
    /// How the state was written, if an enumeration decided the meaning.
    var spelling: StateChoice.Spelling?
    /// Whether the meaning depends on how far the call has come.
    var isOpen = false
    /// The events that apply instead if this end turns out to be the callee.
    var ifIncoming: [EventName] = []

    /// Whether a call failed while it was being dialled, rather than after it was established.
    var failsToDial: Bool {
      events.contains(.callFailed) && !added.contains { $0.name == "stage" && $0.value == "call" }
    }
  }

  /// Returns the meaning of a name with its arguments.
  /// - Parameters:
  ///   - sdk: The SDK named by the log or found by its earlier events; its dialect is asked first.
  ///   - recognisedSDK: The SDK by whose name a reader recognised the event; it is asked next.
  ///   - call: What is known about the call.
  func meaning(
    of raw: String, _ arguments: LogArguments, sdk: Dialect?, recognisedSDK: String? = nil,
    in call: CallContext
  ) -> Meaning {
    if let sdk, let found = find(raw, arguments, in: sdk, call) { return found }
    if let recognisedSDK, recognisedSDK != sdk?.sdk, let dialect = dialects.dialect(recognisedSDK),
      let found = find(raw, arguments, in: dialect, call)
    {
      return found
    }
    if let own = canonical(raw) { return own }
    let standard = W3CEvents.meanings(of: raw, value: arguments.value ?? "")
    if !standard.isEmpty {
      var meaning = Meaning(events: standard.map(\.event), isStandard: true)
      for fact in standard.flatMap(\.facts) where !meaning.added.contains(where: { $0.name == fact.name }) {
        meaning.added.append((fact.name, fact.value))
      }
      return meaning
    }
    // If the SDK is unknown, only a name long enough to be distinctive counts, and names of another SDK that
    // any application may use do not.
    guard raw.utf8.count >= 6 else { return Meaning(events: [.unknown]) }
    let knowing = dialects.all.compactMap { dialect in
      dialect.sdk == sdk?.sdk ? nil : find(raw, arguments, in: dialect, call, allowBare: false)
    }.filter { !$0.isGeneric || sdk == nil }
    // A dialect that knows both the name and the state is preferred to one that knows only the name.
    let understood = knowing.filter { $0.events != [.unknown] }
    let found = understood.isEmpty ? knowing : understood
    guard var first = found.first else { return Meaning(events: [.unknown]) }
    if found.count > 1 {
      // If several SDKs have this name, it counts only if they agree on its meaning.
      let sdks = found.compactMap(\.sdk).joined(separator: " ")
      first.sdk = nil
      if found.contains(where: { $0.events != first.events }) {
        first = Meaning(events: [.unknown], added: [("known_to", sdks)])
      }
    }
    return first
  }

  /// The meaning of a name of our own vocabulary, as logged by an application that uses it, or in a log
  /// written from `events`.
  private func canonical(_ raw: String) -> Meaning? {
    guard let event = EventName(rawValue: raw), event != .unknown else { return nil }
    return Meaning(events: [event], isStandard: [.sdp, .ice, .dtls].contains(event.group))
  }

  private func find(
    _ raw: String, _ arguments: LogArguments, in dialect: Dialect, _ call: CallContext, allowBare: Bool = true
  ) -> Meaning? {
    for spelling in spellings(of: raw) {
      guard let entry = dialect.events[spelling] else { continue }
      // A plain word that any application may use points to no SDK.
      if !allowBare, dialect.plain.contains(spelling), dialect.generic.contains(spelling) { continue }
      var meaning = resolve(entry, arguments, in: dialect, call)
      meaning.isGeneric = dialect.generic.contains(spelling)
      // A number under a name that any application may use can be any program's state.
      if !allowBare, meaning.isGeneric, meaning.spelling == .number { return nil }
      return meaning
    }
    for enumeration in dialect.enums {
      if let entry = dialect.value(raw, of: enumeration, allowBare: allowBare && Int(raw) == nil) {
        var meaning = resolve(entry, arguments, in: dialect, call, isState: true)
        if dialect.isOfCall(enumeration) { meaning.state = dialect.state(raw, of: enumeration) }
        return meaning
      }
    }
    return nil
  }

  // `isState` says whether the name is that of a state.
  private func resolve(
    _ raw: Dialect.Entry, _ arguments: LogArguments, in dialect: Dialect, _ call: CallContext,
    isState: Bool = false
  ) -> Meaning {
    let entry = raw.fitting(call)
    var meaning = Meaning(events: entry.events, sdk: dialect.sdk)
    (meaning.isOpen, meaning.ifIncoming) = (raw.isOpen, entry.ifIncoming(call))
    add(entry, arguments, of: dialect, to: &meaning, isState: isState)
    for part in entry.parts {
      guard let value = part.decidedBy.lazy.compactMap({ arguments.text($0) }).first,
        let inner = part.value(value)
      else { continue }
      for event in inner.events {
        meaning.own[meaning.events.count] = part.constants + inner.constants
        meaning.events.append(event)
      }
    }
    if !entry.enumerations.isEmpty {
      guard let choice = dialect.stateChoice(of: entry, in: arguments) else {
        return unknownUnlessNamed(meaning)
      }
      let chosen = choice.entry.fitting(call)
      meaning.events = chosen.events
      (meaning.isOpen, meaning.ifIncoming) = (choice.entry.isOpen, chosen.ifIncoming(call))
      if dialect.enums.contains(where: {
        entry.enumerations.contains($0.name) && $0.values[choice.state] != nil && dialect.isOfCall($0)
      }) {
        meaning.state = choice.state
      }
      meaning.spelling = choice.spelling
      add(chosen, arguments, of: dialect, to: &meaning) { dialect.isState($0, choice.state, of: entry) }
    } else if let inner = decided(entry, arguments) {
      if !inner.events.isEmpty { meaning.events = inner.events }
      add(inner, arguments, of: dialect, to: &meaning)
    }
    // Events that every SDK has in common do not identify one.
    if !dialect.everywhere.isEmpty, !meaning.events.isEmpty, meaning.events.allSatisfy(dialect.isEverywhere) {
      (meaning.isStandard, meaning.sdk) = (true, nil)
    }
    return unknownUnlessNamed(meaning)
  }

  private func unknownUnlessNamed(_ meaning: Meaning) -> Meaning {
    guard meaning.events.isEmpty else { return meaning }
    var meaning = meaning
    meaning.events = [.unknown]
    return meaning
  }

  private func add(
    _ entry: Dialect.Entry, _ arguments: LogArguments, of dialect: Dialect, to meaning: inout Meaning,
    isState: Bool = false, isStateWord: (String) -> Bool = { _ in false }
  ) {
    for (name, sources) in entry.arguments {
      if name == "code" {
        let isCode = { dialects.codes.meaning($0, sdk: dialect.sdk) != nil }
        let names = sources.filter { Int($0) == nil }.map { LogName.normal($0) }
        let value = sources.lazy.compactMap { source in
          dialect.codeSets.first { $0.name == source }.map { $0.code(in: arguments) }
            ?? arguments.text(source)
        }.first(where: saysSomething)
        let code =
          spelledOut(sources, arguments, dialect)
          ?? value.map { (dialect.withoutCodePrefix($0) ?? $0).trimmed }
        // A bare word counts if it is a known code and the code of a named or positional argument is not.
        let word =
          code.map(isCode) == true
          ? nil
          : CodeWord.find(
            in: arguments, behind: { isStateWord($0) || names.contains(LogName.normal($0)) },
            isFirst: isState, isCode: isCode)
        meaning.code = word ?? code ?? meaning.code
      } else if let range = entry.bounds.first(where: { $0.name == name })?.range {
        if let number = BoundedNumber.find(in: arguments, at: sources, between: range) {
          meaning.added.append((name, number))
        }
      } else if let value = sources.lazy.compactMap({ arguments.text($0) }).first(where: saysSomething) {
        meaning.added.append((name, value))
      }
    }
    meaning.added += entry.constants.map { ($0.name, $0.value) }
  }

  // Placeholders that programs print for a missing value do not count as values.
  private func saysSomething(_ value: String) -> Bool {
    !["", "nil", "null", "none", "undefined"].contains(LogName.normal(value))
  }

  private func isNothing(_ path: String, _ arguments: LogArguments) -> Bool {
    guard let json = arguments.json(path) else { return false }
    guard json != "null", let text = LogArguments.plain(json) else { return json == "null" }
    // A sign alone, such as a tick, is decoration.
    return ["", "-"].contains(text.trimmed) || !LogName.normal(text).isEmpty && !saysSomething(text)
  }

  // Returns a code of several words that a line of text gives without quotes: `onDisconnect Token expired`.
  private func spelledOut(_ sources: [String], _ arguments: LogArguments, _ dialect: Dialect) -> String? {
    let positions = sources.filter { Int($0) != nil }
    guard arguments.phrase.count > 1, positions.contains("0"),
      !sources.contains(where: { Int($0) == nil && arguments.text($0) != nil })
    else { return nil }
    if let reason = dialect.withoutCodePrefix(arguments.phrase.joined(separator: " ")) {
      return known(reason.split(separator: " ").map(String.init)[...], dialect, least: 1) ?? reason
    }
    // A name ends the phrase: `Token expired code: 5`.
    let phrase = arguments.phrase.prefix { $0.last != ":" }
    guard phrase.count > 1 else { return nil }
    if let code = known(phrase, dialect, least: 2) { return code }
    // For an unknown code all words are used, provided that no single word is a known code.
    guard positions.first == "0", known(phrase.prefix(1), dialect, least: 1) == nil else { return nil }
    return phrase.joined(separator: " ")
  }

  // Returns the longest sequence of leading words that is a known code.
  private func known(_ words: ArraySlice<String>, _ dialect: Dialect, least: Int) -> String? {
    guard words.count >= least else { return nil }
    for count in (least...words.count).reversed() {
      let text = words.prefix(count).joined(separator: " ")
      if dialects.codes.meaning(text, sdk: dialect.sdk) != nil { return text }
    }
    return nil
  }

  // The meaning given by an argument that is present, else by the value that decides, which is taken from its
  // named arguments, else from the only argument.
  private func decided(_ entry: Dialect.Entry, _ arguments: LogArguments) -> Dialect.Entry? {
    let present = entry.having.first { paths, _ in
      paths.contains { path in arguments.json(path).map { $0 != "null" } ?? false }
    }
    if let present { return present.entry }
    if entry.values.isEmpty { return nil }
    if let nothing = entry.values[Dialect.Entry.noValue],
      entry.decidedBy.contains(where: { isNothing($0, arguments) })
    {
      return nothing
    }
    if let named = entry.decidedBy.lazy.compactMap({ arguments.text($0) }).first(where: saysSomething) {
      return entry.value(named) ?? entry.values[Dialect.Entry.anyValue]
    }
    guard arguments.members.count == 1 else { return nil }
    return LogArguments.plain(arguments.members[0].json).flatMap(entry.value)
  }

  // `call:didChangeStatus:` is also `didChangeStatus`, `Call.onRinging` also `onRinging`, and `onBusy()` also
  // `onBusy`.
  private func spellings(of raw: String) -> [String] {
    var found = [LogName.normal(raw)]
    if raw.hasPrefix(OracleFrame.prefix) { return found }
    for part in raw.utf8.split(whereSeparator: { " :.()[]#/-".utf8.contains($0) }).reversed() {
      let name = LogName.normal(Substring(part))
      if name.utf8.count > 3, !found.contains(name) { found.append(name) }
    }
    return found
  }
}

extension LogArguments {
  /// The input of the W3C mapping: the value of a state or candidate, or all members.
  var value: String? {
    if let value = json("value") { return value }
    return members.isEmpty ? nil : object
  }
}
