extension Outcome {
  /// What the final answer to the INVITE of a call that never stood means (RFC 3261 section 21, RFC 8197, RFC 8688); `failed` where it says no more
  /// than that. Who is not available after it rang was not there to answer (480, as sent when a telephone rang for too long).
  public init(sipStatus: Int, afterRinging hasRung: Bool = false) {
    switch sipStatus {
    case 486, 600: self = .busy
    case 403, 603, 607, 608: self = .rejected
    case 408: self = .noAnswer
    case 480 where hasRung: self = .noAnswer
    case 487: self = .cancelled
    default: self = .failed
    }
  }
}
