import CallModel
import Testing

@testable import Probing

@Suite("The TURN server")
struct TURNTests {
  private let transaction = [UInt8](1...12)

  private func request(_ type: UInt16, _ attributes: [UInt8]) -> [UInt8] {
    [UInt8](type) + [UInt8](UInt16(attributes.count)) + [0x21, 0x12, 0xA4, 0x42] + transaction + attributes
  }

  @Test("reads peers, data and channels, and answers with the request's transaction")
  func reads() throws {
    let peer = Address(ip: Address.loopback, port: 4711)
    let attributes =
      STUNAttribute.encoded(0x0012, STUNMessage.xored(peer)) + STUNAttribute.encoded(0x0013, [1, 2, 3])
      + STUNAttribute.encoded(0x000C, [0x40, 0x01, 0, 0]) + STUNAttribute.encoded(0x000D, [0, 0, 0, 9])
    let message = try #require(STUNMessage(request(0x0016, attributes)))
    #expect(message.method == .send && message.peers == [peer] && message.data == [1, 2, 3])
    #expect(message.channel == 0x4001 && message.lifetime == 9 && !message.isSigned)
    let refused = try #require(STUNMessage(request(0x0003, []))).answer([.error(401), .realm, .nonce])
    #expect(refused.uint16(at: 0) == 0x0113 && Array(refused[8..<20]) == transaction)
    let signed = try #require(
      STUNMessage(request(0x0004, STUNAttribute.encoded(0x0008, [UInt8](repeating: 0, count: 20)))))
    let answer = signed.answer([.lifetime(600)])
    #expect(answer.uint16(at: 0) == 0x0104 && Int(answer.uint16(at: 2)) == answer.count - 20)
    #expect(answer.count == 20 + 8 + 24)
  }

  @Test("takes nothing of damaged messages, and goes on")
  func damaged() throws {
    let whole = request(0x0008, STUNAttribute.encoded(0x0012, STUNMessage.xored(Address(ip: 1, port: 2))))
    for length in 0..<whole.count { #expect(STUNMessage(Array(whole[..<length])) == nil) }
    var random = SplitMix64(seed: 5)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = STUNMessage(bytes)
    }
  }
}
