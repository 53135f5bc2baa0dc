extension String {
  /// The text without leading and trailing white space.
  public var trimmed: String {
    let isSpace: (UInt8) -> Bool = { $0 <= UInt8(ascii: " ") }
    let head = utf8.drop(while: isSpace)
    guard let last = head.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(decoding: head[...last], as: UTF8.self)
  }
}
