/// Kinds of identifier that link the views of one call, and by which `find` finds a call.
public enum IdentityKind: String, Sendable, CaseIterable {
  /// An id that names the call in its own log or SDK.
  case call
  /// An id of the session, subsession or correlation that carried the call.
  case session
  /// SIP `Call-ID`.
  case sip
  /// An id of the connection: the name of the PeerConnection in its log.
  case connection
  /// The page that a PeerConnection belongs to: a digest of its process and URL, valid within one dump only.
  case page
  /// ICE username fragment of this end, of the far end.
  case ufragLocal = "ufrag-local"
  case ufragRemote = "ufrag-remote"
  /// DTLS certificate fingerprint of this end, of the far end (upper-case hex, colons, no algorithm name).
  case fingerprintLocal = "fingerprint-local"
  case fingerprintRemote = "fingerprint-remote"
  /// SSRC (decimal) of a stream this end receives, sends.
  case ssrcIn = "ssrc-in"
  case ssrcOut = "ssrc-out"
  /// `ip:port` of this end, of the far end.
  case addressLocal = "address-local"
  case addressRemote = "address-remote"
  /// A person: user id, display name, phone number, SIP URI.
  case person
}

/// One identifier of one end of a call.
public struct Identity: Hashable, Sendable {
  /// What kind of identifier it is.
  public let kind: IdentityKind
  /// The identifier as text.
  public let value: String

  /// The first `count` identities in sorted order, so that the same source always keeps the same ones.
  public static func first(_ count: Int, of all: Set<Identity>) -> Set<Identity> {
    guard all.count > count else { return all }
    return Set(all.sorted { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }.prefix(count))
  }

  /// An identifier of the given kind.
  public init(_ kind: IdentityKind, _ value: String) {
    self.kind = kind
    self.value = value
  }
}
