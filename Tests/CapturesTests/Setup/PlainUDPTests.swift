import CallModel
import Testing

@testable import Packets

@Suite("What is recognised at a glance")
struct PlainUDPTests {
  typealias C = CaptureBuilder

  private func agree(_ packet: [UInt8]) -> Bool? {
    packet.withUnsafeBytes { bytes -> Bool? in
      guard let base = bytes.baseAddress else { return nil }
      let octets = Octets(base, count: bytes.count)
      guard let plain = PlainUDP(octets) else { return nil }
      let whole = Packet(bytes: octets, wireLength: bytes.count, timeNs: 5, linkType: 101)
      let network = NetworkLayer(fragmentsPerDatagram: 8)
      guard
        case .datagram(let other) = network.content(
          .init(payload: octets, direction: .received), of: whole)
      else { return false }
      return "\(plain.datagram(.received, at: 5))" == "\(other)"
    }
  }

  @Test("is what a closer look says, whatever the headers are")
  func sameAsContent() {
    var random = SplitMix64(seed: 3)
    var builder = CaptureBuilder()
    let rtp = C.rtp(sequence: 1, timestamp: 160, payload: 30)
    let packet = builder.ip(C.udp(rtp, from: 40_000, to: 50_000), proto: 17)
    #expect(agree(packet) == true)
    #expect(agree(builder.ip(C.udp(rtp, from: 40_000, to: 4789), proto: 17)) == nil)
    #expect(agree(builder.ip(C.udp(rtp, from: 40_000, to: 50_000), proto: 17, fragment: 0x2000)) == nil)
    var plain = 0
    for _ in 0..<20_000 {
      var other = packet
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        other[Int.random(in: 0..<32, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      other.removeLast(
        Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<60, using: &random) : 0)
      guard let agrees = agree(other) else { continue }
      plain += 1
      #expect(agrees, "\(other)")
    }
    #expect(plain > 5000)
  }
}
