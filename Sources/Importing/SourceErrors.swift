import Bytes
import CallModel

extension SourceError {
  /// The error of a source without records: its first reject.
  init(rejecting reject: Reject?) {
    let isJSON = reject?.reason.hasPrefix("not JSON") ?? false
    self.init(
      isJSON ? .notJSON : .notAFormat, reject?.reason ?? "nothing in it could be taken", byte: reject?.byte,
      line: reject?.line)
  }

  /// The error of a source read to its end with rejects: their number and the first one.
  init(leaving count: Int, first reject: Reject?) {
    self.init(rejecting: reject)
    let many =
      Plural.of(count, "record was not taken: ", "records were not taken, the first of them: ")
    reason = many + reason
  }

  /// Any reader's error with a reason code.
  static func of(_ error: any Error) -> SourceError {
    switch error {
    case let error as SourceError: return error
    case let error as JSONError: return SourceError(.notJSON, error.reason, byte: error.byte)
    case let error as BytesError: return SourceError(ReasonCode(error.kind), error.reason, byte: error.byte)
    default: return SourceError(.unreadable, "\(error)")
    }
  }
}

extension ReasonCode {
  init(_ kind: BytesError.Kind) {
    switch kind {
    case .missing: self = .missing
    case .unreadable: self = .unreadable
    case .empty: self = .empty
    case .truncated, .corrupt: self = .truncated
    case .tooLarge: self = .tooLarge
    }
  }
}
