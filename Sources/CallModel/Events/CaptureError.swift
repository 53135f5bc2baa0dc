/// Why a browser gave no camera or microphone, by the name of the error (W3C Media Capture and Streams, section 10.2) or
/// the name that older browsers gave it.
public struct CaptureError: Sendable, Equatable {
  public enum Kind: Sendable { case refused, notFound, notReadable, overconstrained }

  public let name: String
  public let kind: Kind

  private static let names: [(name: String, kind: Kind)] = [
    ("NotAllowedError", .refused), ("PermissionDeniedError", .refused),
    ("PermissionDismissedError", .refused),
    ("SecurityError", .refused), ("NotFoundError", .notFound), ("DevicesNotFoundError", .notFound),
    ("NotReadableError", .notReadable), ("TrackStartError", .notReadable),
    ("OverconstrainedError", .overconstrained),
  ]

  /// The error that the arguments of an event name; nil if they name none.
  public init?(in event: EventRecord) {
    guard let (name, kind) = Self.names.first(where: { event.args.contains($0.name) }) else { return nil }
    (self.name, self.kind) = (name, kind)
  }
}

extension EventRecord {
  /// Whether it says that permission to use a camera or a microphone was refused: by the name of the error, or in words.
  public var saysPermissionRefused: Bool {
    let texts = [raw, self[.code] ?? "", self[.reason] ?? ""]
    return CaptureError(in: self)?.kind == .refused
      || texts.contains { $0.lowercased().contains("permission") }
  }
}

/// How long before a call a granted request for camera or microphone still belongs to the call, ms. Older
/// ones belong to a preview in the lobby, or to an earlier call in the same tab.
public let deviceLeadMs = 5000.0
