import CallModel
import Testing

@testable import Playout

@Suite("Many streams between two addresses")
struct ManyStreamsTests {
  typealias C = CaptureBuilder

  /// Packets of every sender in turn, all of them every 20 ms.
  private func conference(senders: Int, rounds: Int) -> CaptureBuilder {
    var builder = CaptureBuilder()
    for n in 0..<rounds {
      for sender in 0..<senders {
        builder.addUDP(
          C.rtp(sequence: 100 + n, timestamp: 160 * n, ssrc: 0x1000 + sender, payload: 20),
          atMs: 20 * Double(n) + 19 * Double(sender) / Double(senders))
      }
    }
    return builder
  }

  @Test(
    "a capture that begins amid a conference has all who speak, and loses none of their packets while they are few",
    arguments: [16, 40, 300])
  func conference(senders: Int) throws {
    let rounds = 100
    let streams = try Recorder.read(conference(senders: senders, rounds: rounds).pcap()).streams
    #expect(Set(streams.compactMap(\.facts.ssrc)).count == senders)
    #expect(streams.count == senders)
    for stream in streams {
      let packets = try #require(stream.totals.packets)
      #expect(senders > 16 ? packets > rounds / 2 : packets == rounds, "\(packets)")
      #expect(stream.totals.lost == 0)
    }
  }

  @Test("a stream that was silent for a minute is sampled again, before those that were recognised after it")
  func wakesAgain() throws {
    var builder = CaptureBuilder()
    var sent = 0
    for n in 0..<3700 {
      let ms = 20 * Double(n)
      if ms < 15_000 || ms >= 60_000 && ms < 72_000 {
        builder.addUDP(
          C.rtp(sequence: sent, timestamp: 160 * n, ssrc: 0x1000), atMs: ms, from: 4000, to: 4002)
        sent += 1
      }
      builder.addUDP(
        C.rtp(sequence: n, timestamp: 160 * n, ssrc: 0x2000), atMs: ms + 5, from: 5000, to: 5002)
    }
    let read = try Recorder.read(builder.pcap())
    #expect(read.streams.map(\.facts.ssrc) == [0x1000, 0x2000])
    let startMs = Double(builder.startUs) / 1000
    let at = try #require(read.sampled.lastIndex { $0.stream == 1 && $0.timeMs < startMs + 70_500 })
    let (before, second) = (read.sampled[at - 1], read.sampled[at])
    // After a silence samples wait until it is known how it was played, and are handed on at a later tick: at the same as this.
    #expect(before.stream == 0 && second.timeMs - before.timeMs < FreezeDetector.settleMs + 1000, "\(before)")
    #expect(read.samples[0]?.last?[.packets] == Double(sent))
  }

  @Test("a sender is found among four times as many datagrams that only look like RTP")
  func amidNoise() throws {
    var random = SplitMix64(seed: 7)
    var builder = CaptureBuilder()
    for n in 0..<400 {
      for part in 0..<4 {
        let noise = C.rtp(
          sequence: Int(random.next() & 0xFFFF), timestamp: Int(random.next() & 0xFFFF_FFFF),
          ssrc: Int(random.next() & 0xFFFF_FFFF), payload: 60)
        builder.addUDP(noise, atMs: 20 * Double(n) + 4 * Double(part))
      }
      // It begins when the noise is there already.
      guard n >= 100 else { continue }
      builder.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: 77), atMs: 20 * Double(n) + 18)
    }
    let streams = try Recorder.read(builder.pcap()).streams
    let longest = streams.max { ($0.totals.packets ?? 0) < ($1.totals.packets ?? 0) }
    #expect(longest?.facts.ssrc == 77)
    #expect(try #require(longest?.totals.packets) > 200)
  }
}
