import Glibc
import Testing

@testable import Probing

/// Two ends of a path on loopback, and the packets received by each.
private final class End {
  let socket: Int32
  let port: UInt16

  init() {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = End.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(socket, $0, size)
        _ = getsockname(socket, $0, &size)
      }
    }
    var limit = timeval(tv_sec: 0, tv_usec: 300_000)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    self.socket = socket
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(socket) }

  static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  func send(_ bytes: [UInt8], to port: UInt16) {
    var address = Self.loopback(port)
    withUnsafePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// The next packet and the port it came from; nil if none arrives within 0.3 s.
  func receive() -> (bytes: [UInt8], from: UInt16)? {
    var buffer = [UInt8](repeating: 0, count: 2048)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(socket, &buffer, buffer.count, 0, $0, &size)
      }
    }
    return count > 0 ? (Array(buffer[..<count]), UInt16(bigEndian: address.sin_port)) : nil
  }
}

@Suite("The relay")
struct RelayTests {
  private func relay(_ both: Impairment? = nil, changes: [ProbePlan.Change] = []) throws -> Relay {
    try Relay(
      phases: [ProbePlan.Change(at_s: 0, both: both, to_caller: nil, from_caller: nil)] + changes, seed: 5)
  }

  /// An RTP packet of opus.
  private func media(_ number: UInt8, ssrc: UInt8 = 7) -> [UInt8] {
    [0x80, 111, 0, number, 0, 0, 0, 0, 0, 0, 0, ssrc] + [UInt8](repeating: 1, count: 60)
  }

  @Test("passes packets both ways, and replies from the address used")
  func passes() throws {
    let (caller, callee) = (End(), End())
    let relay = try relay()
    let stand = try relay.address(for: "127.0.0.1", port: callee.port, isOwn: true, isCaller: false)
    #expect(stand.ip == "127.0.0.1" && stand.port != callee.port)
    caller.send([1, 2, 3], to: stand.port)
    let came = try #require(callee.receive())
    #expect(came.bytes == [1, 2, 3])
    #expect(came.from != caller.port)
    callee.send([4, 5], to: came.from)
    let answer = try #require(caller.receive())
    #expect(answer.bytes == [4, 5] && answer.from == stand.port)
    let truth = relay.finish()
    #expect(truth.totals["from_caller"]?.packets == 1 && truth.totals["to_caller"]?.packets == 1)
    #expect(truth.streams.isEmpty && truth.media_began_ms == nil)
  }

  @Test("represents an address once, and its own addresses not at all")
  func once() throws {
    let relay = try relay()
    let first = try relay.address(for: "127.0.0.1", port: 5000, isOwn: true, isCaller: true)
    let again = try relay.address(for: "127.0.0.1", port: 5000, isOwn: true, isCaller: true)
    let own = try relay.address(for: first.ip, port: first.port, isOwn: false, isCaller: false)
    #expect(first.port == again.port && own.port == first.port)
    #expect(throws: ProbeError.self) {
      try relay.address(for: "fe80::1", port: 5000, isOwn: true, isCaller: true)
    }
    _ = relay.finish()
  }

  @Test("counts the lost packets of each stream")
  func counts() throws {
    let (caller, callee) = (End(), End())
    var impairment = Impairment()
    impairment.loss = 0.3
    let relay = try relay(impairment)
    let stand = try relay.address(for: "127.0.0.1", port: callee.port, isOwn: true, isCaller: false)
    for number in 0..<200 {
      caller.send(media(UInt8(number)), to: stand.port)
      if number % 20 == 19 { usleep(2000) }
    }
    var came = 0
    while callee.receive() != nil { came += 1 }
    let stream = try #require(relay.finish().streams.first)
    #expect(stream.ssrc == 7 && stream.payload_type == 111 && stream.direction == .fromCaller)
    #expect(stream.packets == 200 && stream.packets - stream.dropped == came)
    #expect((30...90).contains(stream.dropped))
  }

  @Test("changes what it does at its time after the first media")
  func changes() throws {
    let (caller, callee) = (End(), End())
    var black = Impairment()
    black.blackhole = true
    let relay = try relay(changes: [
      ProbePlan.Change(at_s: 0.2, both: black, to_caller: nil, from_caller: nil)
    ])
    let stand = try relay.address(for: "127.0.0.1", port: callee.port, isOwn: true, isCaller: false)
    // Before the first media packet nothing changes, however long it takes.
    usleep(250_000)
    caller.send(media(0), to: stand.port)
    #expect(callee.receive() != nil)
    usleep(250_000)
    caller.send(media(1), to: stand.port)
    #expect(callee.receive() == nil)
    let truth = relay.finish()
    #expect(truth.phases.count == 2 && truth.phases.last?.from_caller == black)
    let begin = try #require(truth.media_began_ms)
    #expect(abs((truth.phases.last?.from_ms ?? 0) - begin - 200) < 50)
    #expect(truth.totals["from_caller"]?.blackhole == 1)
  }

  @Test("holds packets back for the delay")
  func delay() throws {
    let (caller, callee) = (End(), End())
    var impairment = Impairment()
    impairment.delay_ms = 120
    let relay = try relay(impairment)
    let stand = try relay.address(for: "127.0.0.1", port: callee.port, isOwn: true, isCaller: false)
    let clock = ContinuousClock()
    let begin = clock.now
    caller.send([9], to: stand.port)
    #expect(callee.receive() != nil)
    #expect(clock.now - begin >= .milliseconds(119))
    #expect(relay.finish().totals["from_caller"].map { abs($0.delay_ms_sum - 120) < 1 } == true)
  }

  @Test("distinguishes RTP from STUN, DTLS and RTCP")
  func headers() {
    func header(_ bytes: [UInt8]) -> RTPHeader? { bytes.withUnsafeBytes { RTPHeader($0) } }
    #expect(header(media(1))?.ssrc == 7)
    #expect(header([0, 1] + [UInt8](repeating: 0, count: 18)) == nil)
    #expect(header([22, 254] + [UInt8](repeating: 0, count: 18)) == nil)
    #expect(header([0x80, 200] + [UInt8](repeating: 0, count: 18)) == nil)
    #expect(header([0x80, 111, 0]) == nil)
  }
}
