extension Outcome {
  /// The outcome of a call that was never established, by the final response to its INVITE (RFC 3261 section
  /// 21, RFC 8197, RFC 8688); `failed` if the response says nothing more specific. A 480 after ringing is no
  /// answer, as telephones send it when they have rung for too long.
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
