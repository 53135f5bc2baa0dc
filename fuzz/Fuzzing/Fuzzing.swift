import Bytes
import CallModel
import Captures
import EventLogs
import GetStats
import Glibc

// What libFuzzer calls: one input through one reader, named by CALLQA_FUZZ (a format, `validate`, `redact` or `compressed`).

private let chosen = getenv("CALLQA_FUZZ").map { String(cString: $0) } ?? "getstats-json"

/// Feeds one input to the chosen reader; only a crash, a hang or much memory is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try feed(bytes, to: chosen)
  } catch {
    // Refusing is the reader's right.
  }
  return 0
}

private func feed(_ bytes: [UInt8], to reader: String) throws {
  // Small pieces, so that every place where a buffer ends is tried.
  let source = MemoryBytes(bytes, piece: 1 + (bytes.first.map(Int.init) ?? 0) * 16)
  let sink = Sieve()
  let options = ReaderOptions(fileName: "fuzz.log")
  switch reader {
  case "validate": try validateJSON(source)
  case "redact": checkRedaction(of: bytes)
  case "compressed": try decompress(bytes)
  case "getstats-lines", "run-log":
    var snapshots = SnapshotLineReader(sink: sink, options: options)
    var events = RunLogLineReader(sink: sink, options: options)
    var lines = LineReader(source, longestLine: options.longestLine)
    while try lines.next({ line, number, offset in
      do {
        if try !snapshots.line(line, number: number, offset: offset),
          try !events.line(line, number: number, offset: offset), let inner = WrappedLine.object(in: line)
        {
          _ = try inner.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: offset) }
        }
      } catch is SourceError {}
    }) {}
    try snapshots.finish()
    try events.finish()
  default:
    guard let format = SourceFormat(rawValue: reader) else { fatalError("no reader \(reader)") }
    try bytes.withUnsafeBufferPointer { head in
      _ = try? GetStatsReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
      _ = try? EventLogReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
      _ = try? CaptureReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
    }
    switch format {
    case .pcap, .pcapng: try CaptureReader.read(format, from: source, into: sink, options: options)
    case .sdkText:
      var snapshots = SnapshotLineReader(sink: sink, options: options, isAmidText: true)
      try EventLogReader.read(format, from: source, into: sink, options: options) {
        try snapshots.line($0, number: $1, offset: $2)
      }
      try snapshots.finish()
    case .sse: try EventLogReader.read(format, from: source, into: sink, options: options)
    default: try GetStatsReader.read(format, from: source, into: sink, options: options)
    }
  }
}

/// What was cleaned once stays as it is, and what is cleaned is not longer than marks can make it.
private func checkRedaction(of bytes: [UInt8]) {
  let redactor = Redactor()
  guard let once = bytes.withUnsafeBufferPointer(redactor.redacted) else { return }
  precondition(once.count <= bytes.count * 13 + 16, "redaction makes too much of it")
  if let twice = once.withUnsafeBufferPointer(redactor.redacted) {
    precondition(twice.count <= once.count * 2 + 64, "redaction grows when it is done again")
  }
}

/// The bytes as a file: gzip and zstd by their first bytes, brotli where the first byte is odd.
private func decompress(_ bytes: [UInt8]) throws {
  let path = "/dev/shm/callqa-fuzz-\(getpid())" + (bytes.first.map { $0 & 1 == 1 } ?? false ? ".br" : "")
  let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
  guard file >= 0 else { return }
  defer {
    close(file)
    unlink(path)
  }
  let body = bytes.dropFirst()
  _ = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
  let input = try InputFile(path: path, largest: 8 << 20, hashing: true)
  try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
    while try input.read(into: buffer) > 0 {}
  }
}

/// Takes everything, keeps nothing, and insists on what readers promise.
private final class Sieve: RecordSink {
  private var connections: Set<Int> = []
  private var streams: Set<Int> = []

  func connection(_ connection: Int, _ facts: ConnectionFacts) { connections.insert(connection) }
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    precondition(connections.contains(connection), "a stream of a connection that was never told")
    streams.insert(stream)
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    precondition(streams.contains(stream), "a sample of a stream that was never told")
  }
  func totals(_ totals: StreamTotals, of stream: Int) {
    precondition(streams.contains(stream), "totals of a stream that was never told")
  }
  func transport(_ transport: TransportSample, of connection: Int) {
    precondition(connections.contains(connection), "a path of a connection that was never told")
  }
  func event(_ event: EventRecord, of connection: Int?) {}
  func reject(_ reject: Reject) { precondition(!reject.reason.isEmpty, "refused without a reason") }
  func note(_ note: String) {}
  func packets(_ count: Int) {}
}
