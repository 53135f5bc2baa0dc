import CZlib
import CZstd
import Foundation

/// What a file may be packed in, as its name says it.
enum Packing: String, CaseIterable {
  case gzip = "gz"
  case zstd = "zst"
  case brotli = "br"

  /// The bytes, packed.
  func pack(_ data: Data) -> Data {
    switch self {
    case .gzip: Self.gzip(data)
    case .zstd: Self.zstd(data)
    case .brotli: Self.brotli(data)
    }
  }

  private static func gzip(_ data: Data) -> Data {
    var stream = z_stream()
    deflateInit2_(
      &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(&stream) }
    var input = Array(data)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))) + 64)
    input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        deflate(&stream, Z_FINISH)
      }
    }
    return Data(output.dropLast(Int(stream.avail_out)))
  }

  private static func zstd(_ data: Data) -> Data {
    let input = Array(data)
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(input.count))
    return Data(output.prefix(ZSTD_compress(&output, output.count, input, input.count, 3)))
  }

  /// RFC 7932, 9.2, meta-blocks that are not compressed: the decoder's library, which alone is linked, cannot compress.
  private static func brotli(_ data: Data) -> Data {
    var packed = Data()
    var rest = data[...]
    // The first meta-block begins behind the one bit of a window of 64 KiB (WBITS).
    var bits = 1
    while !rest.isEmpty {
      let piece = rest.prefix(1 << 16)
      // ISLAST 0, MNIBBLES 4 as 00, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1.
      let head = ((piece.count - 1) << 3 | 1 << 19) << bits
      packed.append(contentsOf: (0..<3).map { UInt8(truncatingIfNeeded: head >> ($0 * 8)) })
      packed.append(piece)
      rest = rest.dropFirst(piece.count)
      bits = 0
    }
    // ISLAST 1, ISLASTEMPTY 1.
    packed.append(data.isEmpty ? 0x06 : 0x03)
    return packed
  }
}
