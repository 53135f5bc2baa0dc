import Glibc

/// Frames of a WebSocket (RFC 6455) as its client sends and receives them.
struct WebSocketFraming: MessageFraming {
  /// The frames of a message of which the last has not come.
  private var message: [UInt8] = []

  private static let mask: [UInt8] = (0..<4).map { _ in .random(in: 1...255) }

  /// Opens a WebSocket on loopback; returns its descriptor. Throws a `ProbeError` if it is refused.
  static func connect(to port: UInt16, path: String) throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var patience = timeval(tv_sec: 15, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let request = Array(
      """
      GET \(path) HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Key: Y2FsbHFhLXByb2JlLi4uLg==\r
      Sec-WebSocket-Version: 13\r
      \r

      """.utf8)
    var answer: [UInt8] = []
    if Address(ip: Address.loopback, port: port).connect(socket),
      write(socket, request, request.count) == request.count
    {
      var byte: UInt8 = 0
      while !answer.ends(with: "\r\n\r\n".utf8), answer.count < 4096, read(socket, &byte, 1) == 1 {
        answer.append(byte)
      }
    }
    guard answer.starts(with: "HTTP/1.1 101 ".utf8), answer.ends(with: "\r\n\r\n".utf8) else {
      close(socket)
      throw ProbeError("the browser opens no WebSocket at port \(port)")
    }
    return socket
  }

  func framed(_ message: [UInt8]) -> [UInt8] {
    // Whole messages of text; what a client sends is masked.
    var frame: [UInt8] = [0x81]
    switch message.count {
    case ..<126: frame += [0x80 | UInt8(message.count)]
    case ..<65_536: frame += [0x80 | 126] + Self.bytes(message.count, 2)
    default: frame += [0x80 | 127] + Self.bytes(message.count, 8)
    }
    return frame + Self.mask + message.enumerated().map { $1 ^ Self.mask[$0 & 3] }
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  mutating func takeMessages(from received: inout [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var at = 0
    while let (isLast, kind, payload) = Self.frame(in: received, at: at) {
      at = payload.upperBound
      // Others than text and its continuation are of no use here.
      guard kind <= 1 else { continue }
      message += received[payload]
      if isLast {
        messages.append(message)
        message = []
      }
    }
    received.removeFirst(at)
    return messages
  }

  /// The frame at a place, if it is there to its end.
  private static func frame(in received: [UInt8], at: Int) -> (
    isLast: Bool, kind: UInt8, payload: Range<Int>
  )? {
    guard received.count >= at + 2 else { return nil }
    let short = Int(received[at + 1] & 0x7F)
    let begin = at + 2 + (short == 127 ? 8 : short == 126 ? 2 : 0)
    guard received.count >= begin else { return nil }
    let length = short < 126 ? short : received[(at + 2)..<begin].reduce(0) { $0 << 8 | Int($1) }
    guard (0...(received.count - begin)).contains(length) else { return nil }
    return (received[at] & 0x80 != 0, received[at] & 0x0F, begin..<(begin + length))
  }
}

extension [UInt8] {
  fileprivate func ends(with text: some Collection<UInt8>) -> Bool { suffix(text.count).elementsEqual(text) }
}
