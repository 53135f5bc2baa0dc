import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("A call that carried media was connected, and lasted as long as they did")
struct CallThatStoodTests {
  private static let start = 1_700_000_000_000.0

  /// A connection of the call: its events, and how long it received sound.
  private struct Part {
    var name: String
    var events: [(Double, EventName)]
    var audibleSeconds: Double?
  }

  private func judge(_ parts: [Part]) throws -> Store {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    var header = SourceHeader(path: "dump", sha256: "dump", format: .runLog, importedMs: 1)
    header.call = "one"
    try queue.write(header, stored: { _ in }) { writer in
      for (place, part) in parts.enumerated() {
        var facts = ConnectionFacts()
        facts.name = part.name
        facts.endpoint = part.name
        try writer.connection(place, facts)
        for (second, name) in part.events {
          try writer.event(
            EventRecord(timeMs: Self.start + second * 1000, event: name, raw: name.rawValue), of: place)
        }
        guard let seconds = part.audibleSeconds else { continue }
        var stream = StreamFacts()
        stream.kind = .audio
        stream.direction = .inbound
        stream.codec = "opus"
        stream.ssrc = UInt32(1_000_000 + place)
        try writer.stream(place, of: place, stream)
        for second in stride(from: 2.0, through: seconds, by: 1) {
          var sample = Sample(timeMs: Self.start + second * 1000)
          sample[.packets] = (second - 1) * 50
          sample[.lost] = 0
          sample[.totalSamples] = (second - 1) * 48_000
          sample[.concealedSamples] = 0
          try writer.sample(sample, of: place, extra: nil)
        }
      }
      return SourceStatus(.imported)
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
    return store
  }

  private let established: [(Double, EventName)] = [
    (0, .sdpOfferCreated), (1, .iceConnected), (1.1, .callEstablished), (40, .callEnded),
  ]
  private let inVain: [(Double, EventName)] = [
    (5, .sdpOfferCreated), (6, .iceChecking), (21, .iceFailed), (21, .callFailed),
  ]

  @Test("a connection tried in vain beside the one that carried it does not make it fail")
  func besideABridge() throws {
    let store = try judge([
      Part(name: "bridge", events: established, audibleSeconds: 40), Part(name: "p2p", events: inVain),
    ])
    #expect(try store.query("SELECT outcome FROM calls").rows.first?.first?.string == "completed")
  }

  @Test("without media it did")
  func never() throws {
    let store = try judge([Part(name: "bridge", events: []), Part(name: "p2p", events: inVain)])
    #expect(try store.query("SELECT outcome FROM calls").rows.first?.first?.string == "failed")
  }

  @Test("what ends while sound goes on is not the call")
  func goesOn() throws {
    let early = established.dropLast() + [(3, .callEnded)]
    let store = try judge([Part(name: "one", events: Array(early), audibleSeconds: 40)])
    let lasted = try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number ?? 0
    #expect(abs(lasted - 38_900) < 1000, "\(lasted)")
    #expect(try store.check() == [])
  }
}
