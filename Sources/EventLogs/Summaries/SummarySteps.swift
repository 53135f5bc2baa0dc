import CallModel

/// The events of a call by the steps of a form.
struct SummarySteps {
  let form: SummaryForm
  let codes: CodeTable

  /// The event in the service's own word.
  func raw(of values: some SummaryValues) -> String {
    form.raw.flatMap { values.text($0) } ?? "\(form.by) summary"
  }

  /// Whether any step applies, whether or not its time is known.
  func apply(to values: some SummaryValues) -> Bool { form.steps.contains { Self.holds($0, values) } }

  /// The events of the steps whose conditions hold.
  ///
  /// - Parameters:
  ///   - direction: of the call at the end that reports it, if there is one such end.
  ///   - time: the time at a path.
  func events(
    of values: some SummaryValues, direction: CallDirection?, line: Int?, time: (String) -> Double?
  ) -> [EventRecord] {
    let raw = raw(of: values)
    var events: [EventRecord] = []
    for step in form.steps where Self.holds(step, values) {
      var timeMs = step.times.lazy.compactMap(time).first
      // If the duration is unknown, it is unknown whether somebody answered.
      let lengths = [(step.lessSeconds, -1000.0), (step.plusSeconds, 1000.0)].compactMap { path, sign in
        path.map { path in values.number(path).flatMap { (0...1e7).contains($0) ? sign * $0 : nil } }
      }
      guard lengths.allSatisfy({ $0 != nil }) else { continue }
      timeMs = timeMs.map { lengths.compactMap(\.self).reduce($0, +) }
      let args = arguments(of: step, values, direction: direction)
      events += step.events.map {
        EventRecord(timeMs: timeMs, event: $0, raw: raw, sdk: form.by, args: args, line: line)
      }
    }
    return events
  }

  private static func holds(_ step: SummaryForm.Step, _ values: some SummaryValues) -> Bool {
    step.when.allSatisfy { $0.holds(in: values) } && !step.unless.contains { $0.holds(in: values) }
  }

  private func arguments(of step: SummaryForm.Step, _ values: some SummaryValues, direction: CallDirection?)
    -> String
  {
    var args = SummaryArguments()
    if let code = step.code.flatMap({ values.text($0) }) {
      args.add("code", .text(code))
      let known = codes.meaning(code, sdk: form.by)
      if let words = known?.words { args.add("words", .text(words)) }
      if let outcome = known?.outcome { args.add("outcome", .text(outcome.rawValue)) }
    }
    if let word = step.hungUp.flatMap({ values.text($0) })?.lowercased(), word == "caller" || word == "callee"
    {
      args.add("ended_by", .text(word))
      if let direction, direction != .unknown {
        args.add("by", .text((word == "caller") == (direction == .outgoing) ? "local" : "remote"))
      }
    }
    for (name, value) in step.constants { args.add(name, .text(value)) }
    args.add(step.arguments, from: values)
    return args.text
  }
}

extension SummaryArguments {
  /// Adds the values at paths, each under its name.
  mutating func add(_ arguments: [(name: String, path: String)], from values: some SummaryValues) {
    for (name, path) in arguments {
      if let value = values.value(at: path), value != .text("") { add(name, value) }
    }
  }
}
