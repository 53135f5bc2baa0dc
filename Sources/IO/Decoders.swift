import Bytes
import CBrotli
import CZlib
import CZstd

/// A streaming decompressor.
protocol Decoder: AnyObject {
  /// Consumes input and produces output. (0, 0) means that it needs more input.
  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws -> (
    consumed: Int, produced: Int
  )
  /// Ends the input: throws `truncated` if the stream is incomplete.
  func finish() throws
}

/// gzip, RFC 1952, with any number of members.
final class GzipDecoder: Decoder {
  private var stream = z_stream()
  private var betweenMembers = false

  init() throws {
    let code = inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw BytesError(.unreadable, "zlib does not start (\(code))") }
  }

  deinit { inflateEnd(&stream) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws -> (
    consumed: Int, produced: Int
  ) {
    guard let first = input.first else { return (0, 0) }
    if betweenMembers {
      // Zero padding is allowed (tapes, block devices); anything else must be another member.
      if first == 0 { return (1, 0) }
      guard first == 0x1F else { throw BytesError(.corrupt, "what follows the gzip data is not gzip") }
      inflateReset(&stream)
      betweenMembers = false
    }
    let inputCount = min(input.count, Int(UInt32.max))
    let outputCount = min(output.count, Int(UInt32.max))
    stream.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(inputCount)
    stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(outputCount)
    let code = inflate(&stream, Z_NO_FLUSH)
    let step = (inputCount - Int(stream.avail_in), outputCount - Int(stream.avail_out))
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: betweenMembers = true
    default:
      if step.1 > 0 { return step }  // What came out before the damage is good; the next call throws.
      throw BytesError(
        .corrupt, "damaged gzip data: \(stream.msg.map { String(cString: $0) } ?? "code \(code)")")
    }
    return step
  }

  func finish() throws {
    if !betweenMembers { throw BytesError(.truncated, "the gzip data ends in the middle") }
  }
}

/// Zstandard, RFC 8878, with any number of frames.
final class ZstdDecoder: Decoder {
  private let stream: OpaquePointer
  private var betweenFrames = true

  /// Whether bytes begin with a Zstandard frame, or with a skippable one.
  static func begins(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    bytes[1] == 0xB5 && bytes[0] == 0x28 && bytes[2] == 0x2F && bytes[3] == 0xFD
      || bytes[0] & 0xF0 == 0x50 && bytes[1] == 0x2A && bytes[2] == 0x4D && bytes[3] == 0x18
  }

  init() throws {
    guard let stream = ZSTD_createDStream() else { throw BytesError(.unreadable, "zstd does not start") }
    self.stream = stream
    // 128 MiB, the largest window of `zstd --long` by default: bounds the memory of a hostile frame.
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27)
  }

  deinit { ZSTD_freeDStream(stream) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws -> (
    consumed: Int, produced: Int
  ) {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let code = ZSTD_decompressStream(stream, &target, &source)
    if ZSTD_isError(code) != 0 {
      if target.pos > 0 { return (source.pos, target.pos) }
      throw BytesError(.corrupt, "damaged zstd data: \(String(cString: ZSTD_getErrorName(code)))")
    }
    if source.pos > 0 || target.pos > 0 { betweenFrames = code == 0 }
    return (source.pos, target.pos)
  }

  func finish() throws {
    if !betweenFrames { throw BytesError(.truncated, "the zstd data ends in the middle") }
  }
}

/// Brotli, RFC 7932: one stream, which has no magic number.
final class BrotliDecoder: Decoder {
  private let state: OpaquePointer
  private var ended = false

  init() throws {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
      throw BytesError(.unreadable, "brotli does not start")
    }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws -> (
    consumed: Int, produced: Int
  ) {
    if ended {
      if input.isEmpty { return (0, 0) }
      throw BytesError(.corrupt, "bytes follow the end of the brotli data")
    }
    var availableIn = input.count
    var nextIn = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var availableOut = output.count
    var nextOut = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(state, &availableIn, &nextIn, &availableOut, &nextOut, nil)
    let step = (input.count - availableIn, output.count - availableOut)
    if result == BROTLI_DECODER_RESULT_ERROR {
      if step.1 > 0 { return step }
      throw BytesError(.corrupt, "damaged brotli data")
    }
    ended = result == BROTLI_DECODER_RESULT_SUCCESS
    return step
  }

  func finish() throws {
    if !ended { throw BytesError(.truncated, "the brotli data ends in the middle") }
  }
}
