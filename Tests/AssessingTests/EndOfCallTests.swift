import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("What comes after the end of a call is no drop")
struct EndOfCallTests {
  /// A caller whose sound stops at 12 s, who sees the path break at 17 s and goes on reporting until 21 s.
  private func judge(closed: Bool, calleeHangsUp: Bool) throws -> Store {
    let ends = try EndsOfOneCall()
    try ends.write("caller", format: .getstatsLines) { writer in
      try writer.stream(0, of: 0, facts(.inbound))
      for second in 1...21 {
        let time = 1_000_000 + Double(second) * 1000
        var path = TransportSample(timeMs: time)
        path.dtlsState = closed && second > 12 ? "closed" : "connected"
        try writer.transport(path, of: 0)
        var sound = Sample(timeMs: time)
        sound.set(.packets, Double(min(second, 12)) * 50)
        sound.set(.lost, 0)
        sound.set(.lastPacketMs, 1_000_000 + Double(min(second, 12)) * 1000)
        sound.set(.totalSamples, Double(second) * 48_000)
        sound.set(.concealedSamples, Double(max(0, second - 12)) * 48_000)
        try writer.sample(sound, of: 0, extra: nil)
      }
      try writer.addEvents(
        [(0.1, .dtlsConnected), (0.1, .callEstablished), (17, .iceDisconnected)], from: 1_000_000)
    }
    if calleeHangsUp {
      try ends.write("callee", format: .getstatsLines) {
        try $0.addEvents(
          [(0.1, .dtlsConnected), (0.1, .callEstablished), (12.05, .callEnded)], from: 1_000_000)
      }
    }
    let store = try ends.finished()
    try Assessor(store: store).assessStale()
    return store
  }

  private func facts(_ direction: StreamDirection) -> StreamFacts {
    var facts = StreamFacts()
    facts.source = .stats
    facts.direction = direction
    facts.kind = .audio
    facts.codec = "opus"
    facts.ssrc = 1
    return facts
  }

  private func column(_ store: Store, _ sql: String) throws -> [String] {
    try store.query(sql).rows.map { "\($0[0].string ?? "\($0[0].number ?? -1)")" }
  }

  @Test("nobody says that it was over: dropped")
  func dropped() throws {
    let store = try judge(closed: false, calleeHangsUp: false)
    #expect(try column(store, "SELECT code FROM findings") == ["dropped-mid-call"])
    #expect(try column(store, "SELECT score FROM windows").contains("0.0"))
  }

  @Test("closed by the far end, or hung up there", arguments: [(true, false), (false, true), (true, true)])
  func over(closed: Bool, calleeHangsUp: Bool) throws {
    let store = try judge(closed: closed, calleeHangsUp: calleeHangsUp)
    #expect(try column(store, "SELECT code FROM findings").isEmpty)
    #expect(try column(store, "SELECT score FROM windows WHERE score < 100").isEmpty)
    #expect(
      try column(store, "SELECT outcome FROM calls") == [calleeHangsUp ? "completed" : "unknown"])
  }
}
