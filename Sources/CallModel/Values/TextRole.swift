/// What a text of a record says: whoever changes all texts of a record does not change all of them in one way.
public enum TextRole: Sendable, CaseIterable {
  /// Words of whoever made the source.
  case text
  /// A JSON object.
  case json
  /// A word of the field (`host`, `connected`, `opus`): somebody who is called so is not meant.
  case word
  /// The version of a program, which may look like an address.
  case version
  /// Somebody.
  case person
  /// `ip:port`.
  case address
  /// What the far end knows this one by (ICE fragment, fingerprint, SSRC), drawn at random.
  case key
}
