/// A source that transforms its bytes one by one.
final class MappedBytes: ByteSource {
  private let source: any ByteSource
  /// Appends the output for a byte; nil at the end of the source.
  private let map: (UInt8?, inout [UInt8]) -> Void
  private var input = [UInt8](repeating: 0, count: 64 << 10)
  private var output: [UInt8] = []
  private var given = 0
  private var isAtEnd = false

  init(_ source: any ByteSource, map: @escaping (UInt8?, inout [UInt8]) -> Void) {
    self.source = source
    self.map = map
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while given == output.count {
      guard !isAtEnd else { return 0 }
      output.removeAll(keepingCapacity: true)
      given = 0
      let got = try input.withUnsafeMutableBytes { try source.read(into: $0) }
      isAtEnd = got == 0
      if isAtEnd { map(nil, &output) }
      for byte in input[..<got] { map(byte, &output) }
    }
    let count = min(buffer.count, output.count - given)
    output.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<(given + count)]))
    }
    given += count
    return count
  }
}
