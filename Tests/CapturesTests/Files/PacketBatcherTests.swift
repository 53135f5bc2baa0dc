import Bytes
import CallModel
import Testing

@testable import Captures
@testable import Packets

@Suite("Packets of sound that wait to be taken stream by stream")
struct PacketBatcherTests {
  typealias C = CaptureBuilder

  /// Senders that lose, repeat and delay packets, pause, begin anew and change their codec, on a few pairs of addresses; between
  /// them reports, what is unknown, and a clock that is set back.
  private func unrest(seed: UInt64) -> CaptureBuilder {
    var random = SplitMix64(seed: seed)
    var builder = CaptureBuilder()
    var sent = (0..<8).map { _ in (number: Int.random(in: 0..<65_536, using: &random), time: 0) }
    var packets: [(ms: Double, payload: [UInt8], port: Int)] = []
    for n in 0..<400 {
      for sender in sent.indices {
        func happens(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
        let isVideo = sender == 7
        sent[sender].number += happens(300) ? 5000 : 1
        sent[sender].time += isVideo ? 1800 : happens(200) ? 160 * 40 : 160
        if happens(20) || n > 200 && n < 240 && sender == 2 { continue }
        var ms = 20 * Double(n) + Double.random(in: 0..<15, using: &random)
        if happens(40) { ms += 60 }
        if n > 300, seed % 2 == 0 { ms -= 900 }
        let packet = C.rtp(
          type: isVideo ? 96 : sender == 3 && n > 150 ? 8 : sender == 4 ? 111 : 0,
          sequence: sent[sender].number,
          timestamp: sent[sender].time, ssrc: 0x1234_0000 + 77 * sender, payload: happens(100) ? 0 : 160)
        packets.append((ms, packet, 40_000 + 2 * (sender % 6)))
        if happens(50) { packets.append((ms + (happens(2) ? 0.1 : 30), packet, 40_000 + 2 * (sender % 6))) }
        if happens(150) {
          let report = [0x81, 201] + C.be16(7) + C.be32(9) + C.be32(0x1234_0000 + 77 * sender) + C.be32(0)
          packets.append((ms + 1, report + [UInt8](repeating: 0, count: 16), 40_000 + 2 * (sender % 6)))
        }
        if happens(400) { packets.append((ms + 2, [0x21, 1, 2, 3, 4, 5, 6, 7], 40_000)) }
      }
    }
    if seed % 3 != 0 { packets.sort { $0.ms < $1.ms } }
    for packet in packets { builder.addUDP(packet.payload, atMs: 1000 + packet.ms, from: packet.port) }
    return builder
  }

  /// All that a capture gives, in words, where so many packets may wait.
  private func records(_ bytes: [UInt8], maxWaiting: Int) throws -> [String] {
    let recorder = Recorder()
    let source = try PacketSource(.pcap, MemoryBytes(bytes))
    let reading = CaptureReading(
      sink: recorder, options: ReaderOptions(fileName: "a.pcap"), maxWaiting: maxWaiting)
    try source.forEach { try reading.take($0) }
    try reading.finish(source)
    var records = recorder.streams.map { "\($0)" } + recorder.notes
    records += recorder.sampled.map { "\($0)" } + recorder.events.map { "\($0)" }
    for (stream, samples) in recorder.samples.sorted(by: { $0.key < $1.key }) {
      records += samples.map { "\(stream) \($0)" }
    }
    return records
  }

  @Test("are the same as if none waited, however many do", arguments: 1...8)
  func batches(seed: UInt64) throws {
    let bytes = unrest(seed: seed).pcap()
    let alone = try records(bytes, maxWaiting: 0)
    #expect(alone.count > 50)
    for most in [1, 2, 7, 100, PacketBatcher.usual] {
      #expect(try records(bytes, maxWaiting: most) == alone, "\(most)")
    }
  }
}
