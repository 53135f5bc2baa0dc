/// Walks a JSON text that is too large for memory: the big containers member by member, each value below them whole.
///
/// The same walk as `JSONScanner`'s, over a buffer that is refilled as the walk goes on.
public final class JSONStream {
  private let source: any ByteSource
  private let longestValue: Int
  private var buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  /// Offset of `buffer[0]` in the source.
  private var base = 0
  private var position = 0
  private var first = false
  private var atEnd = false
  private var begun = false

  /// A walk over the source; a single value may be up to `longestValue` bytes long.
  public init(_ source: any ByteSource, longestValue: Int = 64 << 20, chunk: Int = 1 << 20) {
    self.source = source
    self.longestValue = longestValue
    buffer = .allocate(byteCount: max(64, chunk), alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Offset of the next byte in the source.
  public var offset: Int { base + position }

  /// The kind of the value that comes next. Throws `JSONError`, and what the source throws, as all others do.
  public func peek() throws -> JSONKind { try attempt { scanner throws(JSONError) in try scanner.peek() } }

  /// Reads `{`.
  public func beginObject() throws { try attempt { scanner throws(JSONError) in try scanner.beginObject() } }

  /// The next member's name as UTF-8, or nil at the object's end.
  public func nextKey() throws -> [UInt8]? {
    try attempt { scanner throws(JSONError) in try scanner.nextKey()?.decoded() }
  }

  /// Reads `[`.
  public func beginArray() throws { try attempt { scanner throws(JSONError) in try scanner.beginArray() } }

  /// Whether another element comes.
  public func nextElement() throws -> Bool {
    try attempt { scanner throws(JSONError) in try scanner.nextElement() }
  }

  /// Reads a whole value, checks it, and gives its bytes: valid until the next call.
  public func value() throws -> UnsafeBufferPointer<UInt8> {
    let range = try attempt { scanner throws(JSONError) in
      let length = try scanner.skip().count
      return scanner.position - length..<scanner.position
    }
    return UnsafeRawBufferPointer(rebasing: buffer[range]).assumingMemoryBound(to: UInt8.self)
  }

  /// Whether nothing but white space is left; reads the white space.
  public func isAtEnd() throws -> Bool {
    while true {
      while position < filled {
        switch buffer[position] {
        case 0x20, 0x09, 0x0A, 0x0D: position += 1
        default: return false
        }
      }
      if atEnd { return true }
      try fill()
    }
  }

  /// Does a step of the caller's own with a scanner at this place; what it returns may point into the bytes until the next call.
  ///
  /// The step is done again from its beginning where the buffer ended too early, so it must not leave anything behind.
  public func read<T>(_ step: (inout JSONScanner) throws(JSONError) -> T) throws -> T { try attempt(step) }

  /// Does one step, again with more bytes as long as the step failed only for want of them.
  private func attempt<T>(_ step: (inout JSONScanner) throws(JSONError) -> T) throws -> T {
    while true {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled]).assumingMemoryBound(to: UInt8.self)
      var scanner = JSONScanner(bytes)
      if begun {
        scanner.position = position
      } else if filled < 3, !atEnd {
        try fill()  // A byte order mark may still be coming.
        continue
      }
      scanner.isFirst = first
      do throws(JSONError) {
        let result = try step(&scanner)
        // A number that ends where the buffer does may go on.
        if scanner.position < filled || atEnd {
          begun = true
          position = scanner.position
          first = scanner.isFirst
          return result
        }
      } catch {
        // The farthest back that an error for want of bytes can point is at the start of a UTF-8 sequence.
        if atEnd || error.byte < filled - 4 { throw JSONError(byte: base + error.byte, reason: error.reason) }
      }
      try fill()
    }
  }

  private func fill() throws {
    if position > 0 {
      buffer.moveToFront(position..<filled)
      filled -= position
      base += position
      position = 0
    }
    if filled == buffer.count {
      guard filled < longestValue else {
        throw BytesError(
          .tooLarge,
          "a single JSON value is longer than \(longestValue) bytes; --raise value=SIZE takes longer ones",
          byte: base)
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
      buffer.deallocate()
      buffer = larger
    }
    let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
    filled += got
    atEnd = got == 0
  }
}
