import CallModel
import Testing

@Suite("Counters that fall")
struct RunningCounterTests {
  private static let startMs = 1_795_170_000_200.0
  private static let old = "reports that count less than the one before"
  private static let ranOver = "counters of 32 bits ran over"

  /// A poll a second: packets, and bytes where they do not follow from these.
  private func read(_ packets: [Double], bytes: [Double]? = nil, everyMs: Double = 1000) throws
    -> RecordingSink
  {
    let lines = packets.enumerated().map { place, packets in
      let timeMs = Self.startMs + Double(place) * everyMs
      return """
        {"ts":\(timeMs),"pc":"one","report":{"I":{"id":"I","type":"inbound-rtp","kind":"audio","ssrc":7,"timestamp":\(timeMs),\
        "packetsReceived":\(packets),"packetsLost":3,"bytesReceived":\(bytes?[place] ?? packets * 80)}}}

        """
    }
    return try readSource(lines.joined())
  }

  private func packets(_ sink: RecordingSink) -> [Double?] {
    sink.streams(.inbound).first?.series(.packets) ?? []
  }

  private func hasNote(_ sink: RecordingSink, _ words: String) -> Bool {
    sink.notes.keys.contains { $0.hasPrefix(words) }
  }

  @Test("for a poll or two are a stale answer, which is left out")
  func oldAnswers() throws {
    for (text, kept) in [
      ([900.0, 950, 1000, 1050, 1020, 1100], [900.0, 950, 1000, 1050, 1100]),
      ([900, 950, 1000, 1050, 1000, 1000, 1100], [900, 950, 1000, 1050, 1100]),
      ([50, 100, 150, 100, 200], [50, 100, 150, 200]),
    ] {
      let sink = try read(text)
      #expect(packets(sink) == kept)
      #expect(hasNote(sink, Self.old))
    }
  }

  @Test("for longer were reset, to zero or not")
  func begunAnew() throws {
    let anew: [Double] = [900, 950, 1000, 1050, 12, 62, 112]
    #expect(packets(try read(anew)) == anew)
    let slow: [Double] = [9000, 12_000, 15_000, 2500, 5500]
    #expect(packets(try read(slow, everyMs: 60_000)) == slow)
    let other: [Double] = [9000, 9050, 9100, 4000, 4050, 4100, 4150]
    #expect(packets(try read(other)) == [9000, 9050, 9100, 4100, 4150])
    #expect(!hasNote(try read(anew), Self.old))
  }

  @Test("all the time are used unchanged, as figures of intervals")
  func intervals() throws {
    let figures = (0..<60).map { Double($0 % 2 == 0 ? 310 : 290) }
    #expect(packets(try read(figures)).count > 40)
  }

  @Test("as 32 bits wrapped are continued")
  func ranOver() throws {
    let full = 4_294_967_296.0
    let bytes = (0..<6).map { full - 9000 + Double($0) * 4000 }
    let sink = try read(
      (1...6).map { Double($0) * 50 }, bytes: bytes.map { $0 < full ? $0 : $0 - full })
    #expect(sink.streams(.inbound).first?.series(.bytes) == bytes)
    #expect(hasNote(sink, Self.ranOver))
    let packets = (0..<6).map { full - 120 + Double($0) * 50 }
    #expect(self.packets(try read(packets.map { $0 < full ? $0 : $0 - full }, bytes: bytes)) == packets)
    let again = try read(
      (1...8).map { Double($0 <= 6 ? $0 : $0 - 6) * 50 },
      bytes: bytes.map { $0 < full ? $0 : $0 - full } + [4000, 8000])
    #expect(again.streams(.inbound).first?.series(.bytes) == bytes + [4000, 8000])
    // An hour of 3 Mb/s that was reset is not a wrap.
    let anew = try read([1e6, 1e6 + 300, 1e6 + 600, 250, 550], bytes: [1.3e9, 1.3e9, 1.3e9, 1e5, 2e5])
    #expect(!hasNote(anew, Self.ranOver) && self.packets(anew).count == 5)
  }
}
