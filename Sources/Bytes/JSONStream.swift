/// Walks a JSON text that does not fit in memory: large containers member by member, each value below them as a whole.
///
/// Works as `JSONScanner` does, over a buffer that is refilled during the walk.
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

  /// A walk over the source; a single value may have up to `longestValue` bytes.
  public init(_ source: any ByteSource, longestValue: Int = 64 << 20, chunk: Int = 1 << 20) {
    self.source = source
    self.longestValue = longestValue
    buffer = .allocate(byteCount: max(64, chunk), alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The offset of the next byte in the source.
  public var offset: Int { base + position }

  /// The kind of the next value. Like all methods it throws `JSONError` and the errors of the source.
  public func peek() throws -> JSONKind { try attempt { scanner throws(JSONError) in try scanner.peek() } }

  /// Reads `{`.
  public func beginObject() throws { try attempt { scanner throws(JSONError) in try scanner.beginObject() } }

  /// The name of the next member as UTF-8; nil at the end of the object.
  public func nextKey() throws -> [UInt8]? {
    try attempt { scanner throws(JSONError) in try scanner.nextKey()?.decoded() }
  }

  /// Reads `[`.
  public func beginArray() throws { try attempt { scanner throws(JSONError) in try scanner.beginArray() } }

  /// Whether another element follows.
  public func nextElement() throws -> Bool {
    try attempt { scanner throws(JSONError) in try scanner.nextElement() }
  }

  /// Reads and validates a whole value and returns its bytes, valid until the next call.
  public func value() throws -> UnsafeBufferPointer<UInt8> {
    let range = try attempt { scanner throws(JSONError) in
      let length = try scanner.skip().count
      return scanner.position - length..<scanner.position
    }
    return UnsafeRawBufferPointer(rebasing: buffer[range]).assumingMemoryBound(to: UInt8.self)
  }

  /// Whether only white space is left, which is consumed.
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

  /// Runs a step of the caller with a scanner at this position; its result may point into the bytes until the next
  /// call.
  ///
  /// The step is repeated from the start if the buffer ended too early, so it must have no side effects.
  public func read<T>(_ step: (inout JSONScanner) throws(JSONError) -> T) throws -> T { try attempt(step) }

  /// Runs a step, repeating it with more bytes while it fails only because the buffer ends.
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
        // A number at the end of the buffer may continue.
        if scanner.position < filled || atEnd {
          begun = true
          position = scanner.position
          first = scanner.isFirst
          return result
        }
      } catch {
        // An error due to missing bytes can be at most the start of a UTF-8 sequence before the end.
        if atEnd || error.byte < filled - 4 { throw JSONError(byte: base + error.byte, reason: error.reason) }
      }
      // With twice as many bytes each time, steps that are repeated take linear time.
      let wanted = min(position + 2 * (filled - position), max(longestValue, filled + 1)) - position
      repeat { try fill() } while !atEnd && filled < wanted
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
