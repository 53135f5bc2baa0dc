import CallModel
import Testing

@Suite("Layers of one picture (simulcast), as the extensions of their first packets name them")
struct LayerOfPictureTests {
  typealias C = CaptureBuilder

  /// An RTP packet with elements of RFC 8285 of one byte.
  private func named(_ rtp: [UInt8], _ elements: [(id: UInt8, value: String)]) -> [UInt8] {
    var body: [UInt8] = []
    for element in elements {
      body.append(element.id << 4 | UInt8(element.value.utf8.count - 1))
      body += Array(element.value.utf8)
    }
    while body.count % 4 != 0 { body.append(0) }
    var packet = rtp
    packet[0] |= 0x10
    packet.insert(contentsOf: [0xBE, 0xDE] + C.be16(body.count / 4) + body, at: 12)
    return packet
  }

  /// Two pictures of one sender, the first switched off from 4 s to 12 s; what their names are, and which numbers of the first
  /// are lost. Answers the last sample of the first.
  private func read(
    _ names: [[(id: UInt8, value: String)]], lost: Range<Int> = 0..<0
  ) throws -> (last: Sample, samples: [Sample]) {
    var b = CallBuilder.webRTC()
    for frame in 0..<600 {
      for layer in 0..<2 where layer == 1 || !(120..<360).contains(frame) {
        let number = layer == 0 && frame >= 360 ? frame - 240 : frame
        if layer == 0 && lost.contains(number) { continue }
        let plain = C.rtp(
          type: 96, sequence: 100 + number, timestamp: 3000 * frame, ssrc: 0x5000_0000 + layer, marker: true,
          payload: 900 - 100 * layer)
        let rtp = frame < 20 && layer < names.count ? named(plain, names[layer]) : plain
        b.addUDP(rtp, atMs: 1400 + 33.333 * Double(frame) + Double(layer))
      }
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap(), name: "callee.pcap")
    let first = try #require(read.facts.first { $0.value.ssrc == 0x5000_0000 }?.key)
    let samples = try #require(read.samples[first])
    return (try #require(samples.last), samples)
  }

  @Test("one that is switched off while another goes on does not stand still")
  func switchedOff() throws {
    let (last, samples) = try read([[(4, "1"), (10, "h")], [(4, "1"), (10, "l")]])
    #expect(last[.pauseMs] == 0 && (last[.freezeMs] ?? 0) < 200)
    #expect(samples.count < 15)
  }

  @Test("nor is it switched off where its numbers went on: then it was lost")
  func lost() throws {
    let (last, _) = try read([[(4, "1"), (10, "h")], [(4, "1"), (10, "l")]], lost: 118..<123)
    #expect((last[.pauseMs] ?? 0) > 7000)
  }

  @Test(
    "two pictures that are of different media, or have no names, are pictures of their own",
    arguments: [[], [[(4, "1")], [(4, "2")]], [[(4, "1"), (10, "h")], [(4, "2"), (10, "h")]]]
      as [[[(id: UInt8, value: String)]]])
  func others(names: [[(id: UInt8, value: String)]]) throws {
    let (last, _) = try read(names)
    #expect((last[.pauseMs] ?? 0) > 7000)
  }
}
