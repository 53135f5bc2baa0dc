import CallModel
import Testing

@testable import Scoring

@Suite("Turns of two")
struct TurnsTests {
  private func said(_ isLocal: Bool, _ from: Double, _ until: Double) -> Utterance {
    Utterance(isLocal: isLocal, fromMs: from, untilMs: until)
  }

  @Test("an answer after the end is a gap, one in its last moments an overlap, one amid it a barge-in")
  func kinds() {
    let turns = TurnTaking.turns([
      said(true, 0, 2000), said(false, 2400, 4000), said(true, 3900, 6000), said(false, 5000, 8000),
    ])
    #expect(turns.map(\.kind) == [.gap, .overlap, .bargeIn])
    #expect(turns.map(\.gapMs) == [400, -100, -1000])
    #expect(turns.map(\.isToLocal) == [false, true, false])
    #expect(turns.map(\.atMs) == [2000, 4000, 6000])
  }

  @Test("pauses within a turn and a word of assent are no turns")
  func none() {
    #expect(TurnTaking.turns([said(true, 0, 1000), said(true, 1800, 3000)]).isEmpty)
    let assent = TurnTaking.turns([said(true, 0, 5000), said(false, 2000, 2300), said(true, 5200, 6000)])
    #expect(assent.isEmpty)
    #expect(TurnTaking.turns([]).isEmpty)
  }

  @Test("three seconds without anybody are dead air, whoever goes on")
  func deadAir() {
    let turns = TurnTaking.turns([said(true, 0, 1000), said(true, 4500, 5000), said(false, 9000, 9900)])
    #expect(turns.map(\.kind) == [.deadAir, .deadAir])
    #expect(turns.map(\.gapMs) == [3500, 4000])
    #expect(turns.map(\.isToLocal) == [true, false])
  }

  @Test("order of utterances does not matter, and every turn lies within them", arguments: 0..<30)
  func property(_ seed: Int) {
    var random = SystemRandomNumberGenerator()
    var all: [Utterance] = []
    var time = 0.0
    for _ in 0..<(seed + 2) {
      time += Double.random(in: -800...2500, using: &random)
      all.append(
        said(Bool.random(using: &random), time, time + Double.random(in: 100...3000, using: &random)))
    }
    let turns = TurnTaking.turns(all)
    #expect(turns == TurnTaking.turns(all.shuffled(using: &random)))
    #expect(turns.count < all.count)
    for turn in turns {
      #expect(all.contains { $0.untilMs == turn.atMs })
      #expect(all.contains { abs($0.fromMs - turn.atMs - turn.gapMs) < 0.001 })
    }
  }

  @Test("of one-second reports the beginning and the end are found within a second by their energy")
  func reports() {
    // Speech from 2.6 s to 6.3 s at a power of 0.01.
    let intervals = (0..<10).map { second -> SpeechOfReports.Interval in
      let from = Double(second)
      let spoken = max(0, min(6.3, from + 1) - max(2.6, from))
      return .init(fromMs: from * 1000, untilMs: from * 1000 + 1000, power: 0.01 * spoken)
    }
    let found = SpeechOfReports.utterances(intervals, isLocal: true)
    #expect(found.count == 1)
    #expect(abs((found.first?.fromMs ?? 0) - 2600) < 1 && abs((found.first?.untilMs ?? 0) - 6300) < 1)
  }

  @Test("where nothing stands out, as in noise or in silence, nobody knows who spoke")
  func noise() {
    let flat = (0..<20).map {
      SpeechOfReports.Interval(fromMs: Double($0) * 1000, untilMs: Double($0 + 1) * 1000, power: 0.01)
    }
    #expect(SpeechOfReports.utterances(flat, isLocal: true).isEmpty)
    let silent = (0..<20).map {
      SpeechOfReports.Interval(fromMs: Double($0) * 1000, untilMs: Double($0 + 1) * 1000, power: 0)
    }
    #expect(SpeechOfReports.utterances(silent, isLocal: false).isEmpty)
  }
}

@Suite("An agent that lets people wait")
struct SlowAnswerTests {
  private func spoke(_ by: String, _ from: Double, _ until: Double) -> EventRecord {
    EventRecord(
      timeMs: from, event: .mediaSpoke, raw: "audio level", args: #"{"by":"\#(by)","until_ms":\#(until)}"#)
  }

  /// Questions of two seconds at the local end, each answered after a wait.
  private func dialogue(_ waits: [Double]) -> [EventRecord] {
    var events: [EventRecord] = []
    var time = 1000.0
    for wait in waits {
      events.append(spoke("local", time, time + 2000))
      events.append(spoke("remote", time + 2000 + wait, time + 3500 + wait))
      time += 4000 + wait
    }
    return events
  }

  @Test("is told by the middle of its answers, and not by one that took long")
  func middle() throws {
    let slow = try #require(
      SlowAnswer.finding(dialogue([1800, 2100, 1700, 900]), agent: "callee", isLocal: false))
    #expect(slow.name == "slow-answer" && slow.text.contains("1.8 s in the middle"))
    #expect(SlowAnswer.finding(dialogue([800, 900, 2900, 700]), agent: "callee", isLocal: false) == nil)
    #expect(SlowAnswer.finding(dialogue([1800, 2100]), agent: "callee", isLocal: false) == nil)
  }

  @Test("is not told of the person who answers it")
  func person() {
    #expect(SlowAnswer.finding(dialogue([1800, 2100, 1700]), agent: "caller", isLocal: true) == nil)
  }
}
