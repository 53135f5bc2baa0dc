import Testing

@testable import Probing

@Suite("Frames of a WebSocket")
struct WebSocketFramingTests {
  /// A frame as a server sends it, without a mask.
  private func frame(_ payload: [UInt8], first: UInt8 = 0x81) -> [UInt8] {
    switch payload.count {
    case ..<126: [first, UInt8(payload.count)] + payload
    case ..<65_536: [first, 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    default:
      [first, 127, 0, 0, 0, 0] + (0..<4).map { UInt8(payload.count >> (24 - 8 * $0) & 0xFF) } + payload
    }
  }

  @Test(
    "are read in every form of length, however they are cut", arguments: [0, 1, 125, 126, 65_535, 65_536])
  func lengths(_ count: Int) {
    let message = (0..<count).map { UInt8($0 & 0x7F) }
    let all = frame(message) + frame([1, 2])
    for cut in [0, 1, 2, 5, 9, all.count - 4, all.count].filter({ 0...all.count ~= $0 }) {
      var framing = WebSocketFraming()
      var received = Array(all[..<cut])
      var messages = framing.takeMessages(from: &received)
      received += all[cut...]
      messages += framing.takeMessages(from: &received)
      #expect(messages == [message, [1, 2]] && received.isEmpty)
    }
  }

  @Test("are put together, and a ping between them is left out")
  func fragments() {
    var framing = WebSocketFraming()
    var received = frame([1], first: 0x01) + frame([9], first: 0x89) + frame([2], first: 0x00)
    #expect(framing.takeMessages(from: &received).isEmpty)
    received += frame([3], first: 0x80) + frame([4])
    #expect(framing.takeMessages(from: &received) == [[1, 2, 3], [4]])
  }

  @Test("of a length that no message has are waited for, to the limit of what is received")
  func endless() {
    var framing = WebSocketFraming()
    var received: [UInt8] = [0x81, 127] + [UInt8](repeating: 0xFF, count: 8) + [1]
    #expect(framing.takeMessages(from: &received).isEmpty && received.count == 11)
  }

  @Test("are sent with a mask", arguments: [3, 200, 70_000])
  func masked(_ count: Int) {
    let message = [UInt8](repeating: 7, count: count)
    let sent = WebSocketFraming().framed(message)
    let head = sent.count - count
    let mask = sent[(head - 4)..<head].map { $0 }
    #expect(sent[0] == 0x81 && sent[1] & 0x80 != 0 && !mask.contains(0))
    #expect(sent[head...].enumerated().allSatisfy { $1 ^ mask[$0 & 3] == 7 })
  }
}
