import COpenSSL
import Glibc

/// An IPv4 address and port.
struct Address: Hashable {
  /// In the order of bits of the machine.
  var ip: UInt32
  var port: UInt16

  static let loopback: UInt32 = 0x7F00_0001

  init(ip: UInt32, port: UInt16) { (self.ip, self.port) = (ip, port) }

  /// Nil if the text is no IPv4 address.
  init?(_ text: String, port: UInt16) {
    var address = in_addr()
    guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
    self.init(ip: UInt32(bigEndian: address.s_addr), port: port)
  }

  /// The IP address alone: `127.0.0.1`.
  var ipText: String { [24, 16, 8, 0].map { String(ip >> $0 & 0xFF) }.joined(separator: ".") }

  private init(_ address: sockaddr_in) {
    self.init(ip: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
  }

  /// The address that a socket is bound to.
  init(of socket: Int32) { self.init(Self.name(socket, getsockname)) }

  /// The address at the other end of a connection.
  init(ofPeer socket: Int32) { self.init(Self.name(socket, getpeername)) }

  private typealias Name = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

  private static func name(_ socket: Int32, _ call: Name) -> sockaddr_in {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(socket, $0, &size) }
    }
    return address
  }

  private func with<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = ip.bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  func bind(_ socket: Int32) -> Bool { with { Glibc.bind(socket, $0, $1) == 0 } }

  func connect(_ socket: Int32) -> Bool { with { Glibc.connect(socket, $0, $1) == 0 } }

  func send(_ bytes: [UInt8], from socket: Int32) {
    _ = with { sendto(socket, bytes, bytes.count, 0, $0, $1) }
  }

  /// A packet and its sender; nil if none is waiting.
  static func receive(_ socket: Int32, _ buffer: inout [UInt8]) -> (Int, Address)? {
    var sender = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &sender) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        buffer.withUnsafeMutableBytes { recvfrom(socket, $0.baseAddress, $0.count, 0, address, &size) }
      }
    }
    return count > 0 ? (count, Address(sender)) : nil
  }
}

/// An attribute of an answer (RFC 8489 section 14, RFC 8656 section 18).
enum STUNAttribute {
  case mapped(Address)
  case relayed(Address)
  case lifetime(UInt32)
  case error(Int)
  /// What a client without credentials is to name.
  case realm
  case nonce

  var bytes: [UInt8] {
    switch self {
    case .mapped(let address): Self.encoded(0x0020, STUNMessage.xored(address))
    case .relayed(let address): Self.encoded(0x0016, STUNMessage.xored(address))
    case .lifetime(let seconds): Self.encoded(0x000D, [UInt8](seconds))
    case .error(let code): Self.encoded(0x0009, [0, 0, UInt8(code / 100), UInt8(code % 100)])
    case .realm: Self.encoded(0x0014, Array("probe".utf8))
    case .nonce: Self.encoded(0x0015, Array("probe".utf8))
    }
  }

  /// With its length, padded to four bytes.
  static func encoded(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    [UInt8](type) + [UInt8](UInt16(value.count)) + value
      + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }
}

/// A request or an indication to a TURN server.
struct STUNMessage {
  enum Method: UInt16 {
    case binding = 0x0001, allocate = 0x0003, refresh = 0x0004, createPermission = 0x0008, channelBind =
      0x0009
    /// An indication, which is not answered.
    case send = 0x0016
  }

  private static let cookie: [UInt8] = [0x21, 0x12, 0xA4, 0x42]
  /// MD5 of `probe:probe:probe`: user, realm and password. Browsers want answers that are signed, and nothing is secret.
  private static let key: [UInt8] = [
    181, 100, 118, 237, 186, 168, 243, 209, 191, 8, 54, 69, 79, 153, 31, 224,
  ]

  let method: Method
  private let transaction: [UInt8]
  private(set) var peers: [Address] = []
  private(set) var data: [UInt8]?
  private(set) var channel: UInt16?
  private(set) var isSigned = false
  /// Seconds.
  private(set) var lifetime: UInt32?

  /// Nil if it is none that the server knows, or damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 20, Array(bytes[4..<8]) == Self.cookie,
      let method = Method(rawValue: bytes.uint16(at: 0)),
      bytes.count >= 20 + Int(bytes.uint16(at: 2))
    else { return nil }
    self.method = method
    transaction = Array(bytes[8..<20])
    let end = 20 + Int(bytes.uint16(at: 2))
    var at = 20
    while at + 4 <= end {
      let (type, length) = (bytes.uint16(at: at), Int(bytes.uint16(at: at + 2)))
      guard at + 4 + length <= end else { return nil }
      let value = Array(bytes[(at + 4)..<(at + 4 + length)])
      switch type {
      case 0x0012: if let peer = Self.address(value) { peers.append(peer) }
      case 0x0013: data = value
      case 0x0008: isSigned = true
      case 0x000C: if length == 4 { channel = value.uint16(at: 0) }
      case 0x000D: if length == 4 { lifetime = value.reduce(0) { $0 << 8 | UInt32($1) } }
      default: break
      }
      at += 4 + (length + 3) / 4 * 4
    }
  }

  /// The answer: a success, or an error if an attribute says so; signed if the request is.
  func answer(_ attributes: [STUNAttribute]) -> [UInt8] {
    let isError = attributes.contains { if case .error = $0 { true } else { false } }
    let type = method.rawValue | (isError ? 0x0110 : 0x0100)
    let body = attributes.flatMap(\.bytes)
    guard isSigned else { return Self.message(type, transaction, body) }
    // Its length counts the signature, which is of what comes before (RFC 8489 section 14.5).
    let unsigned = Self.message(type, transaction, body, more: 24)
    var signature = [UInt8](repeating: 0, count: 20)
    var length: UInt32 = 20
    _ = HMAC(EVP_sha1(), Self.key, Int32(Self.key.count), unsigned, unsigned.count, &signature, &length)
    return unsigned + STUNAttribute.encoded(0x0008, signature)
  }

  /// The indication that a peer sent something.
  static func data(_ bytes: [UInt8], from peer: Address) -> [UInt8] {
    let body = STUNAttribute.encoded(0x0012, xored(peer)) + STUNAttribute.encoded(0x0013, bytes)
    return message(0x0017, (0..<12).map { _ in UInt8.random(in: 0...255) }, body)
  }

  /// An address in the form of XOR-MAPPED-ADDRESS.
  static func xored(_ address: Address) -> [UInt8] {
    [0, 1] + [UInt8](address.port ^ 0x2112) + [UInt8](address.ip ^ 0x2112_A442)
  }

  private static func address(_ value: [UInt8]) -> Address? {
    guard value.count == 8, value[1] == 1 else { return nil }
    let ip = value[4...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Address(ip: ip ^ 0x2112_A442, port: value.uint16(at: 2) ^ 0x2112)
  }

  private static func message(
    _ type: UInt16, _ transaction: [UInt8], _ body: [UInt8], more: Int = 0
  ) -> [UInt8] {
    [UInt8](type) + [UInt8](UInt16(body.count + more)) + cookie + transaction + body
  }
}

extension [UInt8] {
  /// In network order.
  init(_ value: some FixedWidthInteger) {
    self = (0..<(value.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }
}
