import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("Sound that is missing, as a capture between the ends saw it")
struct MiddleOfPathTests {
  /// What came to an end of the call in 20 s.
  private enum Received {
    case nothing
    case sound
    /// Text (RFC 4103), which is neither sound nor picture.
    case text
    /// Too few packets to tell their clock.
    case unknown

    var facts: StreamFacts? {
      var facts = StreamFacts()
      facts.source = .capture
      facts.direction = .inbound
      switch self {
      case .nothing: return nil
      case .sound: facts.kind = .audio
      case .text: facts.codec = "t140"
      case .unknown: break
      }
      return facts
    }
  }

  /// Findings of a call between these ends; `beside`: media of another call in the same capture.
  private func findings(
    _ caller: Received, _ callee: Received, beside: Received = .nothing, isElsewhere: Bool = false,
    isKeyed: Bool = false, isBegunBefore: Bool = false
  ) throws -> [String] {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    let header = SourceHeader(path: "proxy.pcap", sha256: "1", format: .pcap, importedMs: 1)
    try queue.write(header, stored: { _ in }) { writer in
      let ends = [("one", "caller", caller), ("one", "callee", callee), ("two", "caller", beside)]
      for (number, (call, end, received)) in ends.enumerated() {
        var facts = ConnectionFacts()
        facts.endpoint = end
        facts.identities = [Identity(.sip, call)]
        try writer.connection(number, facts)
        for (ms, event) in [(1000.0, EventName.callEstablished), (21_000, .callEnded)] where call == "one" {
          let isUnknown = isBegunBefore && event == .callEstablished
          try writer.event(
            EventRecord(timeMs: isUnknown ? nil : ms, event: event, raw: event.rawValue), of: number)
        }
        if isKeyed, call == "one" {
          try writer.event(
            EventRecord(timeMs: 1000, event: .dtlsConnected, raw: "DTLS Finished"), of: number)
        }
        if isElsewhere, call == "one" {
          let args = #"{"call":"two"}"#
          let record = EventRecord(timeMs: 1000, event: .unknown, raw: "capture.media-elsewhere", args: args)
          try writer.event(record, of: number)
        }
        guard let stream = received.facts else { continue }
        try writer.stream(number, of: number, stream)
        var totals = StreamTotals()
        (totals.firstMs, totals.lastMs, totals.packets) = (1000, 21_000, 1000)
        try writer.totals(totals, of: number)
      }
      return SourceStatus(.imported)
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
    return try store.query("SELECT code || ' ' || severity FROM findings ORDER BY 1").rows.compactMap {
      if case .text(let finding) = $0.first { finding } else { nil }
    }
  }

  @Test("who hears nothing while the other does; text is no sound, and what nobody can tell may be")
  func sound() throws {
    #expect(try findings(.sound, .sound) == [])
    #expect(try findings(.sound, .nothing) == ["one-way-audio info"])
    #expect(try findings(.sound, .text) == ["one-way-audio info"])
    #expect(try findings(.text, .nothing) == [])
    #expect(try findings(.sound, .unknown) == [])
  }

  @Test("who heard nothing in a call of which the capture has no more than the end")
  func begunBefore() throws {
    #expect(try findings(.sound, .sound, isBegunBefore: true) == [])
    #expect(try findings(.sound, .nothing, isBegunBefore: true) == ["one-way-audio info"])
    #expect(try findings(.nothing, .nothing, isBegunBefore: true) == [])
  }

  @Test("media is missing only where the capture has any: one of signalling alone cannot tell")
  func signallingAlone() throws {
    #expect(try findings(.nothing, .nothing) == [])
    #expect(try findings(.nothing, .nothing, beside: .sound) == ["no-media warning", "no-media warning"])
    #expect(try findings(.nothing, .nothing, beside: .sound, isElsewhere: true) == [])
    #expect(try findings(.nothing, .nothing, isKeyed: true) == ["no-media warning", "no-media warning"])
  }
}
