/// An error of reading bytes, before they are parsed.
public struct BytesError: Error, Sendable, Equatable {
  /// Kinds of errors; they map one to one to the reason codes of an import.
  public enum Kind: String, Sendable, CaseIterable {
    case missing, unreadable, empty, truncated, tooLarge, corrupt
  }

  public var kind: Kind
  /// What is wrong and what to do, for users, without the file's name.
  public var reason: String
  /// 0-based byte: of the compressed file for `truncated` and `corrupt`, of the decompressed bytes for `tooLarge`.
  public var byte: Int?

  /// An error of a kind.
  public init(_ kind: Kind, _ reason: String, byte: Int? = nil) {
    self.kind = kind
    self.reason = reason
    self.byte = byte
  }
}
