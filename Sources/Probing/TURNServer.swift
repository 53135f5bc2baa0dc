import Concurrency
import Glibc

/// A TURN server on loopback (RFC 8656), over UDP and TCP, for calls that are to go by one alone. It relays on loopback
/// only, and whoever reaches it may use it. One thread serves all clients.
final class TURNServer: @unchecked Sendable {
  /// The port that both transports listen on.
  let port: UInt16

  /// Who sends to the server: an address over UDP, a connection over TCP.
  private enum Client: Hashable {
    case udp(Address)
    case tcp(Int32)
  }

  private struct Connection {
    var address: Address
    var received: [UInt8] = []
    var waiting: [UInt8] = []
  }

  private struct Allocation {
    var socket: Int32
    var relayed: Address
    var permitted: Set<UInt32> = []
    var channels: [UInt16: Address] = [:]
  }

  /// The most clients, and the most bytes that wait for a slow one.
  private static let maxClients = 128
  private static let maxWaiting = 1 << 20

  private let udp: Int32
  private let listener: Int32
  private let isOver = Locked(false)
  private var thread: pthread_t?
  // Of the thread alone.
  private var connections: [Int32: Connection] = [:]
  private var allocations: [Client: Allocation] = [:]
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Starts to listen. Throws a `ProbeError` if the system has no socket or thread to spare.
  init() throws {
    func opened(_ kind: __socket_type, port: UInt16) throws -> Int32 {
      let socket = Glibc.socket(
        AF_INET, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      guard socket >= 0, Address(ip: Address.loopback, port: port).bind(socket) else {
        throw ProbeError("no socket for TURN: \(String(cString: strerror(errno)))")
      }
      return socket
    }
    udp = try opened(SOCK_DGRAM, port: 0)
    port = Address(of: udp).port
    listener = try opened(SOCK_STREAM, port: port)
    guard listen(listener, 64) == 0 else { throw ProbeError("TURN cannot listen at port \(port)") }
    thread = startThread { [self] in serve() }
    guard thread != nil else {
      throw ProbeError("no thread for TURN: \(String(cString: strerror(errno)))")
    }
  }

  /// Ends the server.
  func close() {
    guard !isOver.withLock({ over in (over, over = true).0 }) else { return }
    if let thread { pthread_join(thread, nil) }
    for socket in [udp, listener] + connections.keys + allocations.values.map(\.socket) {
      Glibc.close(socket)
    }
  }

  // MARK: - The thread

  private func serve() {
    while !isOver.withLock({ $0 }) {
      let relayed = allocations.map { (client: $0.key, socket: $0.value.socket) }
      let open = Array(connections.keys)
      var events = ([udp, listener] + open + relayed.map(\.socket)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      for (index, socket) in open.enumerated() where connections[socket]?.waiting.isEmpty == false {
        events[2 + index].events |= Int16(POLLOUT)
      }
      guard poll(&events, nfds_t(events.count), 50) > 0 else { continue }
      if events[0].revents != 0 {
        while let (bytes, from) = receive(udp) { handle(bytes, from: .udp(from), at: from) }
      }
      if events[1].revents != 0 { accept() }
      for (index, socket) in open.enumerated() where events[2 + index].revents != 0 { read(socket) }
      for (index, own) in relayed.enumerated() where events[2 + open.count + index].revents != 0 {
        while let (bytes, from) = receive(own.socket) { pass(bytes, from: from, to: own.client) }
      }
    }
  }

  private func receive(_ socket: Int32) -> (bytes: [UInt8], from: Address)? {
    guard let (count, from) = Address.receive(socket, &buffer) else { return nil }
    return (Array(buffer[..<count]), from)
  }

  private func accept() {
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { return }
      guard connections.count < Self.maxClients else {
        Glibc.close(socket)
        continue
      }
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      connections[socket] = Connection(address: Address(ofPeer: socket))
    }
  }

  /// Reads what a connection sends, and sends what waits for it.
  private func read(_ socket: Int32) {
    let count = Glibc.read(socket, &buffer, buffer.count)
    if count == 0 || count < 0 && errno != EAGAIN {
      Glibc.close(socket)
      connections[socket] = nil
      if let allocation = allocations.removeValue(forKey: .tcp(socket)) { Glibc.close(allocation.socket) }
      return
    }
    guard var connection = connections[socket] else { return }
    if count > 0 { connection.received += buffer[..<count] }
    var messages: [[UInt8]] = []
    while connection.received.count >= 4 {
      let length = Int(connection.received.uint16(at: 2))
      // A channel's data are padded to four bytes; a STUN message has a header of twenty.
      let whole = connection.received[0] >> 6 == 1 ? 4 + (length + 3) / 4 * 4 : 20 + length
      guard connection.received.count >= whole else { break }
      messages.append(Array(connection.received[..<whole]))
      connection.received.removeFirst(whole)
    }
    connections[socket] = connection
    for message in messages { handle(message, from: .tcp(socket), at: connection.address) }
    flush(socket)
  }

  private func flush(_ socket: Int32) {
    guard let waiting = connections[socket]?.waiting, !waiting.isEmpty else { return }
    let count = Glibc.send(socket, waiting, waiting.count, Int32(MSG_NOSIGNAL))
    if count > 0 { connections[socket]?.waiting.removeFirst(count) }
  }

  private func send(_ bytes: [UInt8], to client: Client) {
    switch client {
    case .udp(let address): address.send(bytes, from: udp)
    case .tcp(let socket):
      guard connections[socket]?.waiting.count ?? .max < Self.maxWaiting else { return }
      connections[socket]?.waiting += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
      flush(socket)
    }
  }

  // MARK: - Messages

  private func handle(_ bytes: [UInt8], from client: Client, at address: Address) {
    guard bytes.count >= 4 else { return }
    if bytes[0] >> 6 == 1 {
      let length = Int(bytes.uint16(at: 2))
      guard bytes.count >= 4 + length, let own = allocations[client],
        let to = own.channels[bytes.uint16(at: 0)]
      else { return }
      return to.send(Array(bytes[4..<(4 + length)]), from: own.socket)
    }
    guard let message = STUNMessage(bytes) else { return }
    switch message.method {
    case .binding: answer(message, [.mapped(address)], to: client)
    case _ where !message.isSigned && message.method != .send:
      answer(message, [.error(401), .realm, .nonce], to: client)
    case .allocate:
      guard let own = allocations[client] ?? allocate(for: client) else {
        return answer(message, [.error(486)], to: client)
      }
      answer(message, [.relayed(own.relayed), .mapped(address), .lifetime(600)], to: client)
    case .refresh:
      if message.lifetime == 0, let own = allocations.removeValue(forKey: client) { Glibc.close(own.socket) }
      answer(message, [.lifetime(message.lifetime ?? 600)], to: client)
    case .createPermission:
      for peer in message.peers { allocations[client]?.permitted.insert(peer.ip) }
      answer(message, allocations[client] == nil ? [.error(437)] : [], to: client)
    case .channelBind:
      guard let channel = message.channel, let peer = message.peers.first else {
        return answer(message, [.error(400)], to: client)
      }
      allocations[client]?.channels[channel] = peer
      allocations[client]?.permitted.insert(peer.ip)
      answer(message, allocations[client] == nil ? [.error(437)] : [], to: client)
    case .send:
      guard let own = allocations[client], let peer = message.peers.first, own.permitted.contains(peer.ip),
        let data = message.data
      else { return }
      peer.send(data, from: own.socket)
    }
  }

  private func allocate(for client: Client) -> Allocation? {
    let socket = Glibc.socket(
      AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return nil }
    guard allocations.count < Self.maxClients, Address(ip: Address.loopback, port: 0).bind(socket) else {
      Glibc.close(socket)
      return nil
    }
    let own = Allocation(socket: socket, relayed: Address(of: socket))
    allocations[client] = own
    return own
  }

  private func answer(_ message: STUNMessage, _ attributes: [STUNAttribute], to client: Client) {
    send(message.answer(attributes), to: client)
  }

  /// Passes on what a peer sent, by its channel if it has one.
  private func pass(_ bytes: [UInt8], from peer: Address, to client: Client) {
    guard let own = allocations[client], own.permitted.contains(peer.ip) else { return }
    if let channel = own.channels.first(where: { $0.value == peer })?.key {
      return send([UInt8](channel) + [UInt8](UInt16(bytes.count)) + bytes, to: client)
    }
    send(STUNMessage.data(bytes, from: peer), to: client)
  }
}
