import Testing

@testable import Packets
@testable import Playout

@Suite("Who spoke, by the levels of packets")
struct SpeechSpansTests {
  /// Packets of 20 ms: loud where somebody speaks, else the background.
  private func spans(loud: [ClosedRange<Double>], background: UInt8 = 80, seconds: Double = 12)
    -> [(from: Double, until: Double)]
  {
    var speech = SpeechSpans()
    var time = 0.02
    while time < seconds {
      let isLoud = loud.contains { $0.contains(time) }
      speech.take(isLoud ? 28 : background, at: Int64(time * 1e9))
      time += 0.02
    }
    return speech.spans(packetMs: 20).map { (Double($0.fromNs) / 1e9, Double($0.untilNs) / 1e9) }
  }

  @Test("utterances are found where they begin and end, to a packet")
  func found() {
    let found = spans(loud: [2...4.5, 8...9])
    #expect(found.count == 2)
    for (one, wanted) in zip(found, [(2.0, 4.5), (8.0, 9.0)]) {
      #expect(abs(one.from - wanted.0) <= 0.041 && abs(one.until - wanted.1) <= 0.041)
    }
  }

  @Test("a pause of a breath does not end an utterance, and a click is none")
  func pauses() {
    #expect(spans(loud: [2...3, 3.3...4]).count == 1)
    #expect(spans(loud: [2...3, 3.6...4.6]).count == 2)
    #expect(spans(loud: [2...3, 8...8.03]).count == 1)
  }

  @Test("where nothing stands out of its background nobody spoke: music, a hum, an encrypted codec")
  func flat() {
    #expect(spans(loud: [2...20], background: 36).isEmpty)
    #expect(spans(loud: []).isEmpty)
    // What is too quiet to be heard is none, however it stands out.
    var quiet = SpeechSpans()
    for packet in 0..<500 { quiet.take(packet % 100 < 50 ? 70 : 120, at: Int64(packet) * 20_000_000) }
    #expect(quiet.spans(packetMs: 20).isEmpty)
  }

  @Test("G.711 says how loud it is: full scale, silence, and what was not captured")
  func g711() {
    func level(_ bytes: [UInt8], isMuLaw: Bool, to end: Int? = nil) -> UInt8? {
      bytes.withUnsafeBytes { raw in
        raw.baseAddress.flatMap {
          G711.level(
            of: Octets($0, count: raw.count), from: 0, to: end ?? bytes.count, isMuLaw: isMuLaw)
        }
      }
    }
    #expect(level([UInt8](repeating: 0x00, count: 160), isMuLaw: true) == 0)
    #expect(level([UInt8](repeating: 0xFF, count: 160), isMuLaw: true) == 127)
    #expect(level([UInt8](repeating: 0x2A, count: 160), isMuLaw: false) == 0)
    #expect((level([UInt8](repeating: 0xD5, count: 160), isMuLaw: false) ?? 0) > 65)
    #expect(level([0, 0], isMuLaw: true, to: 160) == nil)
  }
}
