/// Numbers with the word for what they count, for whatever people read.
public enum Plural {
  /// `1 call`, `2 calls`; words that take more than an s are given: `of(n, "call has", "calls have")`.
  public static func of(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(word(count, one, many))"
  }

  /// The word alone, where the number is elsewhere or is spelled differently.
  public static func word(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    count == 1 ? one : many ?? one + "s"
  }

  /// `once`, `3 times`.
  public static func times(_ count: some BinaryInteger) -> String {
    count == 1 ? "once" : "\(count) times"
  }
}
