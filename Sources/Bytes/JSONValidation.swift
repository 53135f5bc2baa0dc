/// Validates that bytes are exactly one JSON value.
public func validateJSON(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
  var scanner = JSONScanner(bytes)
  try scanner.skip()
  try scanner.finish()
}

/// Validates that a source is one JSON value (RFC 8259) of any size: its outer containers member by member, what is
/// below them as a whole. Throws `JSONError` with the byte offset, or the error of the source.
public func validateJSON(_ source: any ByteSource) throws {
  let json = JSONStream(source)
  try json.skip(levels: 3)
  guard try json.isAtEnd() else { throw JSONError(byte: json.offset, reason: "the end expected") }
}

extension JSONStream {
  /// Skips a value of which a number of levels may be too large for memory.
  fileprivate func skip(levels: Int) throws {
    switch try peek() {
    case .object where levels > 0:
      try beginObject()
      while try nextKey() != nil { try skip(levels: levels - 1) }
    case .array where levels > 0:
      try beginArray()
      while try nextElement() { try skip(levels: levels - 1) }
    default: _ = try value()
    }
  }
}
