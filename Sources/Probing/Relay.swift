import Concurrency
import Glibc
import IO

/// A UDP relay in user space for a call's media: it loses, delays and queues packets according to the plan, and counts
/// them.
///
/// Each candidate address is represented by a port of the relay. Replies to a sender come from that port; toward the
/// address each sender has a port of its own, as behind a NAT. One thread moves the packets.
public final class Relay: @unchecked Sendable {
  private struct PublicPort {
    var socket: Int32
    var target: sockaddr_in
    /// Direction of packets to the target.
    var direction: Direction
  }

  private struct SenderPort {
    var socket: Int32
    var publicPort: Int
    var client: sockaddr_in
  }

  private struct QueuedPacket {
    var due: Double
    var socket: Int32
    var to: sockaddr_in
    var bytes: [UInt8]
  }

  /// Requests of other threads to the thread that moves packets.
  private struct Shared {
    var fresh: [PublicPort] = []
    var isOver = false
    var truth = RelayTruth()
  }

  private let shared = Locked(Shared())
  private let wake: (read: Int32, write: Int32)
  private let phases: [ProbePlan.Change]
  private let seed: UInt64
  private var thread = pthread_t()
  private var isStarted = false
  /// Ports by the address they represent, and the relay's own addresses; for the caller's thread only.
  private var ports: [String: UInt16] = [:]
  private var own: Set<String> = []
  private var sockets: [Int32] = []

  /// The most addresses, and the most senders.
  private static let maxPublicPorts = 128
  private static let maxSenderPorts = 512

  /// Starts moving packets with the phases of an impairment. Throws a `ProbeError` if the system has no thread or pipe
  /// to spare.
  public init(phases: [ProbePlan.Change], seed: UInt64) throws {
    self.phases = phases
    self.seed = seed
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ProbeError("no pipe: \(Self.reason)") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wake = (ends[0], ends[1])
    let own = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Relay>.fromOpaque(context).takeRetainedValue().move() }
        return nil
      }, own.toOpaque())
    guard code == 0 else {
      own.release()
      throw ProbeError("no thread for the relay: \(String(cString: strerror(code)))")
    }
    isStarted = true
  }

  /// The address and port that represent a candidate. An address of the relay represents itself.
  ///
  /// `isOwn`: the candidate is the page's own, not one of the far end. `isCaller`: the page is the first of the call.
  /// Throws a `ProbeError` if it is not an IPv4 address, or there are too many.
  public func address(for ip: String, port: UInt16, isOwn: Bool, isCaller: Bool) throws -> (
    ip: String, port: UInt16
  ) {
    let name = "\(ip):\(port)"
    if own.contains(name) { return (ip, port) }
    let key = "\(name) \(isCaller)"
    guard let target = Self.address(ip, port) else { throw ProbeError("\(ip) is no IPv4 address") }
    // On loopback: pages reach it there, and nobody else can.
    let near = Self.loopback
    let host = Self.text(of: near)
    if let known = ports[key] { return (host, known) }
    guard ports.count < Self.maxPublicPorts else {
      throw ProbeError("more than \(Self.maxPublicPorts) candidates")
    }
    let socket = try Self.socket(boundTo: near)
    sockets.append(socket)
    let given = Self.port(of: socket)
    ports[key] = given
    own.insert("\(host):\(given)")
    let direction: Direction = isOwn == isCaller ? .toCaller : .fromCaller
    shared.withLock { $0.fresh.append(PublicPort(socket: socket, target: target, direction: direction)) }
    wakeThread()
    return (host, given)
  }

  /// Stops the relay and returns its counts.
  public func finish() -> RelayTruth {
    guard isStarted else { return shared.withLock { $0.truth } }
    isStarted = false
    shared.withLock { $0.isOver = true }
    wakeThread()
    pthread_join(thread, nil)
    sockets.forEach { close($0) }
    close(wake.read)
    close(wake.write)
    return shared.withLock { $0.truth }
  }

  private func wakeThread() {
    var byte: UInt8 = 1
    _ = write(wake.write, &byte, 1)
  }

  // MARK: - The thread that moves packets

  private func move() {
    var links: [Direction: Link] = [:]
    for (index, direction) in Direction.allCases.enumerated() {
      links[direction] = Link(seed: seed &* 2 &+ UInt64(index))
    }
    var publicPorts: [PublicPort] = []
    var senderPorts: [SenderPort] = []
    var queue: [QueuedPacket] = []
    var phase = -1
    var mediaBegan: Double?
    let wallOffset = WallClock.nowMs - Self.nowMs
    var buffer = [UInt8](repeating: 0, count: 65_536)
    defer { senderPorts.forEach { close($0.socket) } }

    func enter(_ next: Int, at now: Double) {
      phase = next
      for direction in Direction.allCases {
        links[direction]?.change(to: phases[next].impairment(of: direction))
      }
      shared.withLock {
        $0.truth.phases.append(
          RelayTruth.Phase(
            from_ms: now + wallOffset, to_caller: phases[next].impairment(of: .toCaller),
            from_caller: phases[next].impairment(of: .fromCaller)))
      }
    }

    func take(_ count: Int, direction: Direction, from socket: Int32, to: sockaddr_in) {
      let now = Self.nowMs
      let header = buffer.withUnsafeBytes { RTPHeader(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      if header != nil, mediaBegan == nil {
        mediaBegan = now
        shared.withLock { $0.truth.media_began_ms = now + wallOffset }
      }
      let fate = links[direction]?.fate(ofBytes: count, at: now) ?? .due(now)
      shared.withLock {
        $0.truth.add(header, bytes: count, direction, fate, at: now, wallMs: now + wallOffset)
      }
      guard case .due(let due) = fate else { return }
      let packet = QueuedPacket(due: due, socket: socket, to: to, bytes: Array(buffer[..<count]))
      // Nearly always the last: packets of one delay come in order.
      let place = queue.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
      queue.insert(packet, at: place)
    }

    enter(0, at: Self.nowMs)
    while true {
      let (isOver, fresh) = shared.withLock { shared in
        defer { shared.fresh.removeAll() }
        return (shared.isOver, shared.fresh)
      }
      if isOver { return }
      publicPorts += fresh

      var now = Self.nowMs
      if let mediaBegan, phase + 1 < phases.count, now - mediaBegan >= phases[phase + 1].at_s * 1000 {
        enter(phase + 1, at: now)
      }
      var sent = 0
      while sent < queue.count, queue[sent].due <= now {
        send(queue[sent], late: now - queue[sent].due)
        sent += 1
        now = Self.nowMs
      }
      queue.removeFirst(sent)

      var events = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
      events += publicPorts.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      events += senderPorts.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      var until = queue.first.map { $0.due - now } ?? 100
      if let mediaBegan, phase + 1 < phases.count {
        until = min(until, mediaBegan + phases[phase + 1].at_s * 1000 - now)
      }
      let wait = max(0, min(until, 100))
      guard poll(&events, nfds_t(events.count), Int32(wait)) > 0 else {
        // poll(2) has a resolution of one millisecond: the rest is slept.
        if wait < 1 { usleep(UInt32(wait * 1000)) }
        continue
      }
      if events[0].revents != 0 {
        var drained = [UInt8](repeating: 0, count: 64)
        _ = read(wake.read, &drained, drained.count)
      }
      // New senders get a port here, which is polled from the next iteration on.
      let (publicCount, senderCount) = (publicPorts.count, senderPorts.count)
      for index in 0..<publicCount where events[1 + index].revents != 0 {
        let publicPort = publicPorts[index]
        while let (count, client) = Self.receive(publicPort.socket, &buffer) {
          guard
            let senderPort = self.senderPort(
              of: index, in: publicPorts, for: client, among: &senderPorts)
          else { continue }
          take(
            count, direction: publicPort.direction, from: senderPorts[senderPort].socket,
            to: publicPort.target)
        }
      }
      for index in 0..<senderCount where events[1 + publicCount + index].revents != 0 {
        let senderPort = senderPorts[index]
        let publicPort = publicPorts[senderPort.publicPort]
        let opposite: Direction = publicPort.direction == .toCaller ? .fromCaller : .toCaller
        while let (count, sender) = Self.receive(senderPort.socket, &buffer) {
          guard sender.sin_port == publicPort.target.sin_port,
            sender.sin_addr.s_addr == publicPort.target.sin_addr.s_addr
          else { continue }
          take(count, direction: opposite, from: publicPort.socket, to: senderPort.client)
        }
      }
    }
  }

  private func send(_ packet: QueuedPacket, late: Double) {
    var to = packet.to
    _ = withUnsafePointer(to: &to) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        packet.bytes.withUnsafeBytes {
          sendto(
            packet.socket, $0.baseAddress, $0.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    shared.withLock {
      if late > 50 { $0.truth.late_packets += 1 }
      $0.truth.most_late_ms = max($0.truth.most_late_ms, late)
    }
  }

  /// The port through which a sender reaches the address behind a public port; nil if there are too many.
  private func senderPort(
    of publicPort: Int, in publicPorts: [PublicPort], for client: sockaddr_in,
    among senderPorts: inout [SenderPort]
  ) -> Int? {
    let known = senderPorts.firstIndex {
      $0.publicPort == publicPort && $0.client.sin_port == client.sin_port
        && $0.client.sin_addr.s_addr == client.sin_addr.s_addr
    }
    if let known { return known }
    let target = publicPorts[publicPort].target
    let source = Self.isOfThisMachine(target) ? Self.loopback : Self.leaving(toward: target)
    guard senderPorts.count < Self.maxSenderPorts, let socket = try? Self.socket(boundTo: source) else {
      return nil
    }
    senderPorts.append(SenderPort(socket: socket, publicPort: publicPort, client: client))
    return senderPorts.count - 1
  }
}

// MARK: - Sockets

extension Relay {
  private static var reason: String { String(cString: strerror(errno)) }

  /// Monotonic time, ms.
  private static var nowMs: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) * 1000 + Double(now.tv_nsec) / 1e6
  }

  private static func address(_ ip: String, _ port: UInt16) -> sockaddr_in? {
    var address = sockaddr_in(sin_family: sa_family_t(AF_INET))
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, ip, &address.sin_addr) == 1 else { return nil }
    return address
  }

  private static func text(of address: sockaddr_in) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
    var ip = address.sin_addr
    guard inet_ntop(AF_INET, &ip, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func socket(boundTo address: sockaddr_in) throws -> Int32 {
    let socket = Glibc.socket(
      AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { throw ProbeError("no socket for the relay: \(reason)") }
    var size: Int32 = 1 << 20
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var address = address
    address.sin_port = 0
    guard bind(socket, &address) else {
      let why = reason
      close(socket)
      throw ProbeError("the relay cannot listen at \(text(of: address)): \(why)")
    }
    return socket
  }

  private static func bind(_ socket: Int32, _ address: inout sockaddr_in) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func name(of socket: Int32) -> sockaddr_in {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return address
  }

  private static func port(of socket: Int32) -> UInt16 { UInt16(bigEndian: name(of: socket).sin_port) }

  private static func isOfThisMachine(_ address: sockaddr_in) -> Bool {
    guard let socket = try? socket(boundTo: address) else { return false }
    close(socket)
    return true
  }

  private static let loopback = address("127.0.0.1", 0) ?? sockaddr_in()

  /// The source address of this machine for packets to another; the loopback address if there is no route.
  private static func leaving(toward target: sockaddr_in) -> sockaddr_in {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return loopback }
    defer { close(socket) }
    var target = target
    let isReached = withUnsafePointer(to: &target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    return isReached ? name(of: socket) : loopback
  }

  /// A packet and its sender; nil if none is waiting.
  private static func receive(_ socket: Int32, _ buffer: inout [UInt8]) -> (Int, sockaddr_in)? {
    var sender = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &sender) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        buffer.withUnsafeMutableBytes { recvfrom(socket, $0.baseAddress, $0.count, 0, address, &size) }
      }
    }
    return count > 0 ? (count, sender) : nil
  }
}

extension sockaddr_in {
  fileprivate init(sin_family: sa_family_t) {
    self.init()
    self.sin_family = sin_family
  }
}
