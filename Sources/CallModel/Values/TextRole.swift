/// The role of a text in a record, by which texts are transformed differently.
public enum TextRole: Sendable, CaseIterable {
  /// Free text of the source.
  case text
  /// A JSON object.
  case json
  /// A technical term (`host`, `connected`, `opus`), even if a person has the same name.
  case word
  /// The version of a program, which may look like an IP address.
  case version
  /// A person.
  case person
  /// The name of an end, which may be a person's.
  case end
  /// The id of a track, which may name whose it is.
  case track
  /// `ip:port`.
  case address
  /// A random key known to the far end (ICE username fragment, fingerprint, SSRC).
  case key
}
