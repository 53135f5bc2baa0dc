import Bytes
import CallModel

extension SourceError {
  /// Why a source of which nothing was taken is refused: its first trouble.
  init(rejecting reject: Reject?) {
    let isJSON = reject?.reason.hasPrefix("not JSON") ?? false
    self.init(
      isJSON ? .notJSON : .notAFormat, reject?.reason ?? "nothing in it could be taken", byte: reject?.byte,
      line: reject?.line)
  }

  /// Why a source is taken only in part that was read to its end: how many records were not, and the first one's trouble.
  init(leaving count: Int, first reject: Reject?) {
    self.init(rejecting: reject)
    let many =
      Plural.of(count, "record was not taken: ", "records were not taken, the first of them: ")
    reason = many + reason
  }

  /// Any reader's error as a reason that can be shown and counted.
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
