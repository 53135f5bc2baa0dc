import CallModel

/// What is known of a call when a word comes that means one thing or another by it.
struct CallSoFar {
  /// Which end the log is of, once something told.
  var direction: CallDirection?
  /// Whether the call was set up and is not over.
  var isStanding = false
  /// The state that the SDK named last, normalised.
  var state: String?
  /// Of a request that is logged apart from its answer, which of both a line is.
  var step: LoggedRequests.Step?
}

extension Dialect.Entry {
  /// Whether what it means depends on how far the call has come.
  var isOpen: Bool { !variants.isEmpty || !after.isEmpty }

  /// What it means in a call.
  func fitting(_ call: CallSoFar) -> Dialect.Entry {
    var entry = inCall(call)
    switch call.step {
    case .asked: entry.events = asked ?? entry.events
    case .answered(let wasTold): entry.events = answered ?? (wasTold ? asked : nil) ?? entry.events
    case nil: break
    }
    return entry
  }

  private func inCall(_ call: CallSoFar) -> Dialect.Entry {
    if call.isStanding, let entry = variants[.standing] { return entry }
    switch call.direction {
    case nil: return call.state.flatMap { after[$0] } ?? self
    case .incoming: return variants[.incoming] ?? self
    default: return self
    }
  }

  /// The events that it is after all if the end turns out to be the one that was called; none while that changes nothing, is known,
  /// or is not one event for one.
  func ifIncoming(_ call: CallSoFar) -> [String] {
    guard call.direction == nil, let events = variants[.incoming]?.events else { return [] }
    return events.count == self.events.count ? events : []
  }
}
