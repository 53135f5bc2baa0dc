import Assessing
import Bytes
import CallModel
import CallStore
import CallViews
import Captures
import EventLogs
import GetStats
import Glibc
import Importing
import IO
import Redaction
import Rendering
import Reporting

// What libFuzzer calls: one input through what CALLQA_FUZZ names: a format, `validate`, `redact`, `compressed`, `dialect`, `gate`,
// `definition`, or a whole import that is grouped, scored and put on a page: `call`, `pseudonyms`, `manifest`.

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
  case "guess": _ = bytes.withUnsafeBufferPointer { FormGuess($0, name: "fuzz") }
  case "dialect":
    _ = try? Dialects(files: [("fuzz.summary.json", bytes)])
    _ = try Dialects(files: [("fuzz.json", bytes)])
  case "gate": _ = try GateFile(name: "fuzz.gate", text: String(decoding: bytes, as: UTF8.self))
  case "definition":
    _ = try ReportDefinition(text: String(decoding: bytes, as: UTF8.self), file: "report.txt", folder: "/nowhere")
  case "call", "pseudonyms", "manifest": try judge(bytes, as: reader)
  case "getstats-lines", "run-log":
    var snapshots = SnapshotLineReader(sink: sink, options: options)
    var events = RunLogLineReader(sink: sink, options: options)
    var lines = LineReader(source, longestLine: options.longestLine)
    while try lines.next({ line, number, offset in
      do {
        if try !snapshots.line(line, number: number, offset: offset),
          try !events.line(line, number: number, offset: offset), let inner = WrappedLine.object(in: line)
        {
          _ = try inner.bytes.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: offset) }
        }
      } catch is SourceError {}
    }) {}
    try snapshots.finish()
    try events.finish()
  default:
    let format = SourceFormat(rawValue: reader)
    guard FormatCatalogue.description(of: format) != nil else { fatalError("no reader \(reader)") }
    bytes.withUnsafeBufferPointer { head in
      _ = try? GetStatsReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
      _ = try? EventLogReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
      _ = try? CaptureReader.recognise(.init(rebasing: head.prefix(65_536)), name: "fuzz.log")
    }
    switch format {
    case .pcap, .pcapng: try CaptureReader.read(format, from: source, into: sink, options: options)
    case .sdkText:
      var statistics = TextStatistics(sink: sink, options: options)
      try EventLogReader.read(
        format, from: source, into: sink, options: options,
        statistics: { try statistics.json($0, number: $1, offset: $2) },
        printed: { try statistics.line($0, number: $1, timeMs: $2) })
      try statistics.finish()
    case _ where EventLogReader.reads(format):
      try EventLogReader.read(format, from: source, into: sink, options: options)
    default: try GetStatsReader.read(format, from: source, into: sink, options: options)
    }
  }
}

/// A log beside which a manifest may stand.
private let plainLog = """
  {"ts":1795226100000,"call":"c1","endpoint":"caller","sdk":"cisco-rem","event":"onStatusChanged","args":{"status":"RINGING"}}
  {"ts":1795226104000,"call":"c1","endpoint":"caller","sdk":"cisco-rem","event":"onStatusChanged","args":{"status":"IN_CALL"}}
  {"ts":1795226164000,"call":"c1","endpoint":"caller","sdk":"cisco-rem","event":"onStatusChanged","args":{"status":"ENDED"}}
  """
private let resources = try? PageResources()

/// A whole import of one log, and of the same cut in two: grouped, scored, put on a page.
private func judge(_ bytes: [UInt8], as kind: String) throws {
  let folder = "/dev/shm/callqa-fuzz-\(getpid())"
  mkdir(folder, 0o700)
  func put(_ name: String, _ bytes: ArraySlice<UInt8>) {
    let file = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return }
    _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
  }
  let middle = bytes.count / 2
  let cut = bytes[middle...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
  if kind == "manifest" {
    put("run.json", bytes[...])
    put("caller.jsonl", Array(plainLog.utf8)[...])
  } else {
    put("caller.log", bytes[..<cut])
    put("callee.log", bytes[cut...])
  }
  defer { for name in ["run.json", "caller.jsonl", "caller.log", "callee.log"] { unlink("\(folder)/\(name)") } }
  let store = try Store(path: "memory", access: .memory)
  var request = ImportRequest(paths: [folder])
  if kind == "pseudonyms", let key = HMACKey(Array("a key that nobody can guess".utf8)) { request.pseudonyms = Pseudonymizer(key: key) }
  _ = try Importer(store: store, request: request).run()
  try Assessor(store: store).assessStale()
  for row in try store.query("SELECT call_key FROM calls ORDER BY call_key").rows {
    guard let key = row.first?.integer, let account = try CallAccount(of: key, in: store) else { continue }
    for window in account.ends.flatMap(\.windows) {
      guard let score = window.score, let points = window.pointsLost else { continue }
      precondition((0...100).contains(score), "a score of \(score)")
      precondition(score + points.reduce(0) { $0 + Int($1.value) } == 100, "points lost do not add up")
    }
    guard let resources else { continue }
    let page = try CallPage(account, in: store, zone: .utc, resources: resources).bytes()
    precondition(page.count < 64 << 20, "a page of \(page.count) bytes")
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
    precondition(connections.contains(connection), "a stream of a connection that was never announced")
    streams.insert(stream)
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    precondition(streams.contains(stream), "a sample of a stream that was never announced")
  }
  func totals(_ totals: StreamTotals, of stream: Int) {
    precondition(streams.contains(stream), "totals of a stream that was never announced")
  }
  func transport(_ transport: TransportSample, of connection: Int) {
    precondition(connections.contains(connection), "a path of a connection that was never announced")
  }
  func event(_ event: EventRecord, of connection: Int?) {}
  func reject(_ reject: Reject) { precondition(!reject.reason.isEmpty, "refused without a reason") }
  func note(_ note: String) {}
  func packets(_ count: Int) {}
}
