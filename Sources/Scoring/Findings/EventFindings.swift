import CallModel

/// What an SDK's own words tell to be wrong, whatever statistics there are: one row a code, and nothing else decides on them.
///
/// A dialect brings the evidence (docs: event-logs): events, and arguments as `kind`, `code`, `reason`, `result`, `waits_for`.
struct EventRule: Sendable {
  let code: EventFindingCode
  let severity: Severity
  /// What was found: times, figures, and words for people.
  let find: @Sendable (CallWords) -> [Found]

  struct Found {
    var severity: Severity?
    var startMs, endMs: Double?
    var evidence = Evidence()
    var text: String
  }

  static let all: [EventRule] = [
    EventRule(code: .sessionOutage, severity: .warning) { $0.outages(of: .session, "session") },
    EventRule(code: .networkOutage, severity: .warning) { $0.outages(of: .network, "network") },
    EventRule(code: .connectionGivenUp, severity: .error) { $0.givenUp },
    EventRule(code: .lateICE, severity: .warning) { $0.lateICE },
    EventRule(code: .noMicrophone, severity: .error) { $0.missingDevice(.audio) },
    EventRule(code: .noCamera, severity: .warning) { $0.missingDevice(.video) },
    EventRule(code: .permissionRefused, severity: .error) { $0.refusedPermission },
    EventRule(code: .pushTooLate, severity: .error) { $0.latePush },
    EventRule(code: .interruptedByTelephone, severity: .warning) { $0.interruptions },
    EventRule(code: .waitedForHost, severity: .info) { $0.waitsForHost },
    EventRule(code: .mediaLost, severity: .error) { $0.lostMedia },
    EventRule(code: .requestRefused, severity: .warning) { $0.refusedRequests },
    EventRule(code: .dataChannelFailed, severity: .warning) { $0.failedDataChannels },
  ]
}

/// The findings that the events of an end tell by themselves, in the order of the rules.
func eventFindings(_ context: FindingContext) -> [Finding] {
  let words = CallWords(context.events, overMs: context.overMs)
  return EventRule.all.flatMap { rule in
    rule.find(words).map {
      Finding(
        rule.code.rawValue, $0.severity ?? rule.severity, from: $0.startMs, to: $0.endMs, $0.evidence, $0.text
      )
    }
  }
}
