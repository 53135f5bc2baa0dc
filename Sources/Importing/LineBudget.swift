import Bytes
import CallModel
import Glibc

/// Limits the lines of a log without any record: each takes time, and a compressed file of a few kilobytes may have
/// millions.
///
/// The limit grows with the size of the file on disk, and so the time for a file does, too.
final class LineBudget: ByteSource {
  private let source: any ByteSource
  private let sink: RecordCount
  private let most: Int
  private var lines = 0
  private var taken = 0

  /// A source that ends with an error after `most` consecutive lines without a record for the sink.
  init(_ source: any ByteSource, counting sink: RecordCount, most: Int) {
    (self.source, self.sink, self.most) = (source, sink, most)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let got = try source.read(into: buffer)
    try count(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
    return got
  }

  func lend() throws -> UnsafeRawBufferPointer? {
    let lent = try source.lend()
    if let lent { try count(lent) }
    return lent
  }

  private func count(_ bytes: UnsafeRawBufferPointer) throws {
    guard sink.records == taken else {
      // The lines of a piece after one with records are not counted: most files have records in each.
      (taken, lines) = (sink.records, 0)
      return
    }
    // memchr compares many bytes at a time.
    var rest = bytes
    while lines <= most, let first = rest.baseAddress,
      let end = memchr(first, Int32(UInt8(ascii: "\n")), rest.count)
    {
      lines += 1
      rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(end) - first + 1)...])
    }
    if lines > most {
      throw SourceError(
        .tooLarge,
        "\(most) lines in a row had no record, and the rest of it was not read: --raise lines=NUMBER reads on"
      )
    }
  }
}

/// Counts the records passed to another sink.
final class RecordCount: RecordSink {
  private let sink: any RecordSink
  /// Connections, streams, samples, events and postponed lines so far, not rejects and notes.
  private(set) var records = 0

  init(_ sink: any RecordSink) { self.sink = sink }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    records += 1
    try sink.connection(connection, facts)
  }
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    records += 1
    try sink.stream(stream, of: connection, facts)
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    records += 1
    try sink.sample(sample, of: stream, extra: extra)
  }
  func totals(_ totals: StreamTotals, of stream: Int) throws {
    records += 1
    try sink.totals(totals, of: stream)
  }
  func transport(_ transport: TransportSample, of connection: Int) throws {
    records += 1
    try sink.transport(transport, of: connection)
  }
  func event(_ event: EventRecord, of connection: Int?) throws {
    records += 1
    try sink.event(event, of: connection)
  }
  func reject(_ reject: Reject) throws { try sink.reject(reject) }
  func note(_ note: String) throws { try sink.note(note) }
  func packets(_ count: Int) throws { try sink.packets(count) }
  func postpone() { records += 1 }
  func settle() throws { try sink.settle() }
}

extension Int {
  /// The sum, or the largest integer on overflow.
  func addingClamped(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? .max : sum
  }
}
