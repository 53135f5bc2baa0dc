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
    var target: Address
    /// Direction of packets to the target.
    var direction: Direction
  }

  private struct SenderPort {
    var socket: Int32
    var publicPort: Int
    var client: Address
  }

  private struct QueuedPacket {
    var due: Double
    var socket: Int32
    var to: Address
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
  /// Until it is finished.
  private var thread: pthread_t?
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
    thread = startThread { [self] in move() }
    guard thread != nil else { throw ProbeError("no thread for the relay: \(Self.reason)") }
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
    guard let target = Address(ip, port: port) else { throw ProbeError("\(ip) is no IPv4 address") }
    // On loopback: pages reach it there, and nobody else can.
    let near = Self.loopback
    let host = near.ipText
    if let known = ports[key] { return (host, known) }
    guard ports.count < Self.maxPublicPorts else {
      throw ProbeError("more than \(Self.maxPublicPorts) candidates")
    }
    let socket = try Self.socket(boundTo: near)
    sockets.append(socket)
    let given = Address(of: socket).port
    ports[key] = given
    own.insert("\(host):\(given)")
    let direction: Direction = isOwn == isCaller ? .toCaller : .fromCaller
    shared.withLock { $0.fresh.append(PublicPort(socket: socket, target: target, direction: direction)) }
    wakeThread()
    return (host, given)
  }

  /// Whether a packet of sound or picture has come.
  var hasMedia: Bool { shared.withLock { $0.truth.media_began_ms != nil } }

  /// Stops the relay and returns its counts.
  public func finish() -> RelayTruth {
    guard let thread else { return shared.withLock { $0.truth } }
    self.thread = nil
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

    func take(_ count: Int, direction: Direction, from socket: Int32, to: Address) {
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
        while let (count, client) = Address.receive(publicPort.socket, &buffer) {
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
        while let (count, sender) = Address.receive(senderPort.socket, &buffer) {
          guard sender == publicPort.target else { continue }
          take(count, direction: opposite, from: publicPort.socket, to: senderPort.client)
        }
      }
    }
  }

  private func send(_ packet: QueuedPacket, late: Double) {
    packet.to.send(packet.bytes, from: packet.socket)
    shared.withLock {
      if late > 50 { $0.truth.late_packets += 1 }
      $0.truth.most_late_ms = max($0.truth.most_late_ms, late)
    }
  }

  /// The port through which a sender reaches the address behind a public port; nil if there are too many.
  private func senderPort(
    of publicPort: Int, in publicPorts: [PublicPort], for client: Address,
    among senderPorts: inout [SenderPort]
  ) -> Int? {
    let known = senderPorts.firstIndex { $0.publicPort == publicPort && $0.client == client }
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
  private static var nowMs: Double { MonotonicClock.nowSeconds * 1000 }

  private static func socket(boundTo address: Address) throws -> Int32 {
    let socket = Glibc.socket(
      AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { throw ProbeError("no socket for the relay: \(reason)") }
    var size: Int32 = 1 << 20
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    guard Address(ip: address.ip, port: 0).bind(socket) else {
      let why = reason
      close(socket)
      throw ProbeError("the relay cannot listen at \(address.ipText): \(why)")
    }
    return socket
  }

  private static func isOfThisMachine(_ address: Address) -> Bool {
    guard let socket = try? socket(boundTo: address) else { return false }
    close(socket)
    return true
  }

  private static let loopback = Address(ip: Address.loopback, port: 0)

  /// The source address of this machine for packets to another; the loopback address if there is no route.
  private static func leaving(toward target: Address) -> Address {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return loopback }
    defer { close(socket) }
    return target.connect(socket) ? Address(of: socket) : loopback
  }
}
