import CZlib
import CZstd

/// The bytes as one gzip member.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var input = bytes
  return input.withUnsafeMutableBufferPointer { input in
    [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, UInt(input.count))) + 64) {
      output, used in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      deflate(&stream, Z_FINISH)
      used = output.count - Int(stream.avail_out)
    }
  }
}

/// The bytes as one Zstandard frame.
func zstd(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { output, used in
    used = ZSTD_compress(output.baseAddress, output.count, bytes, bytes.count, 3)
  }
}
