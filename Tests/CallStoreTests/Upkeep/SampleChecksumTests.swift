import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Stored samples match their checksums")
struct SampleChecksumTests {
  private let store: Store
  private static let rule = "samples are what was written"

  /// A source of values that are hard to keep, some in another order than their time, with a path beside them.
  init() throws {
    store = try Store.inMemory()
    var random = SplitMix64(seed: 7)
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for place in 0..<3000 {
        // One of seven comes later than those after it, when they may be in the database already.
        let isLate = place % 7 == 3 && place > 2500
        let time = isLate ? Double(place - 2500) + 0.25 : Double(place) * 10 + 0.5
        var sample = Sample(timeMs: time)
        for metric in Metric.allCases where Bool.random(using: &random) {
          sample[metric] = [0, -0.0, 1, 0.1, -3, 1e300, .infinity, .nan, 9e15, 0x1p63, 1e-300]
            .randomElement(using: &random)
        }
        try writer.sample(sample, of: 0, extra: place % 3 == 0 ? #"{"member":"ä\#(place)"}"# : nil)
        var path = TransportSample(timeMs: Double(place))
        path.rttMs = place % 2 == 0 ? Double(place) / 7 : nil
        path.bytesSent = Double(place)
        path.requestsSent = Double(place)
        path.extra = #"{"transport.packetsSent":\#(place)}"#
        try writer.transport(path, of: 0)
      }
      return .imported
    }
  }

  private func problems() throws -> [String] {
    try store.check().map(\.rule).filter { $0 == Self.rule }
  }

  @Test("unchanged samples match, whatever the values and their order")
  func sound() throws {
    #expect(try store.value("SELECT count(*) FROM streams WHERE sample_checksum IS NOT NULL") == .integer(1))
    #expect(try store.value("SELECT count(*) FROM paths WHERE sample_checksum IS NOT NULL") == .integer(1))
    #expect(try problems() == [])
  }

  @Test("a changed value in any column of a sample is found")
  func everyColumn() throws {
    let columns =
      try store.query("SELECT metrics FROM streams").rows[0][0].string?.split(separator: " ") ?? []
    #expect(columns.count > 40)
    for column in columns.map(String.init) + ["extra", "t_ms"] {
      try store.connection.execute("SAVEPOINT before")
      let changed = ["extra": "replace(extra, 'ä', 'a')", "t_ms": "t_ms + 0.25"][column] ?? "0.5 - \(column)"
      try store.connection.execute(
        "UPDATE samples SET \(column) = \(changed) WHERE t_ms = (SELECT max(t_ms) FROM samples WHERE \(column) IS NOT NULL)"
      )
      #expect(try problems() == [Self.rule], "\(column)")
      try store.connection.execute("ROLLBACK TO before; RELEASE before")
    }
    try store.connection.execute(
      "UPDATE samples SET packets = NULL WHERE t_ms = (SELECT max(t_ms) FROM samples WHERE packets IS NOT NULL)"
    )
    #expect(try problems() == [Self.rule], "a value that is gone")
  }

  @Test("so is one of a path", arguments: ["rtt_ms", "bytes_sent", "t_ms", "requests_sent"])
  func paths(column: String) throws {
    try store.connection.execute("UPDATE path_samples SET \(column) = \(column) + 0.5 WHERE t_ms = 2998")
    #expect(try problems() == [Self.rule])
  }

  @Test("a sample merged in the database makes the checksum unknown, and nothing is reported")
  func merged() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for place in 0..<5000 {
        try writer.sample(Sample(Double(place), [.packets: Double(place)]), of: 0, extra: nil)
      }
      try writer.sample(Sample(1, [.jitterMs: 4]), of: 0, extra: nil)
      return .imported
    }
    #expect(try store.value("SELECT sample_checksum FROM streams").isNull)
    #expect(
      try store.value("SELECT count(*) FROM samples WHERE packets = 1 AND jitter_ms = 4") == .integer(1))
    #expect(try store.check() == [])
  }
}
