/// Puts IP fragments together (RFC 791, RFC 8200, overlaps refused as RFC 5722 has it), in bounded memory.
final class FragmentStore {
  /// A datagram with all its bytes; valid until the next call.
  struct Whole {
    var bytes: Octets
    var wireLength: Int
  }

  private struct Key: Hashable {
    var source: Address
    var destination: Address
    var id: UInt32
    var next: UInt8
  }

  private struct Partial {
    var pieces: [(offset: Int, bytes: [UInt8], wire: Int)] = []
    var total: Int?
    var firstNs: Int64
    /// Whether its datagram was whole a moment ago: the capture sees packets twice, and never lacks what only their copies do.
    var isCopy = false
  }

  private var partials: [Key: Partial] = [:]
  private var order: [Key] = []
  /// When datagrams became whole of which copies of fragments may come.
  private var done: [Key: Int64] = [:]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Datagrams dropped because a fragment did not come within the time or the room allowed.
  private var givenUp = 0
  /// Datagrams of which a fragment has not come.
  var incomplete: Int { givenUp + partials.values.count { !$0.isCopy } }
  /// Fragments left out because their datagram had too many.
  private(set) var beyond = 0

  /// Datagrams waited for at once, and for how long.
  private static let most = 256
  private static let patienceNs: Int64 = 30_000_000_000
  /// What a capture sees twice comes again within so long.
  private static let copyNs: Int64 = 10_000_000
  private let mostPieces: Int

  init(mostPieces: Int) { self.mostPieces = mostPieces }

  deinit { buffer.deallocate() }

  /// Takes a fragment; answers the datagram when this was its last missing piece.
  func add(_ header: Header, timeNs: Int64) -> Whole? {
    let key = Key(
      source: header.source, destination: header.destination, id: header.fragmentID, next: header.next)
    let wire = header.bodyLength
    let end = header.fragmentOffset + wire
    guard end <= 65_535, wire > 0 else { return nil }
    var partial = partials[key] ?? begin(key, timeNs)
    if timeNs &- partial.firstNs > (partial.isCopy ? Self.copyNs : Self.patienceNs) {
      giveUp(partial)
      partial = begin(key, timeNs)
    }
    if partials[key] == nil { makeRoom(for: key) }
    let overlaps = partial.pieces.contains {
      header.fragmentOffset < $0.offset + $0.wire && $0.offset < end
    }
    guard !overlaps else { return nil }
    guard partial.pieces.count < mostPieces else {
      beyond += 1
      return nil
    }
    if !header.moreFragments { partial.total = end }
    partial.pieces.append((header.fragmentOffset, header.body.copy(), wire))
    guard let total = partial.total, partial.pieces.reduce(0, { $0 + $1.wire }) >= total else {
      partials[key] = partial
      return nil
    }
    forget(key)
    if done.count == Self.most { done = done.filter { timeNs &- $0.value <= Self.copyNs } }
    if done.count < Self.most { done[key] = timeNs }
    return assemble(partial, total: total)
  }

  private func begin(_ key: Key, _ timeNs: Int64) -> Partial {
    let isCopy = done[key].map { timeNs &- $0 <= Self.copyNs } ?? false
    return Partial(firstNs: timeNs, isCopy: isCopy)
  }

  private func giveUp(_ partial: Partial) {
    if !partial.isCopy { givenUp += 1 }
  }

  private func assemble(_ partial: Partial, total: Int) -> Whole? {
    guard let base = buffer.baseAddress else { return nil }
    var captured = 0
    for piece in partial.pieces.sorted(by: { $0.offset < $1.offset }) {
      guard piece.offset + piece.bytes.count <= buffer.count else { return nil }
      // Bytes are usable only up to the first hole that the snaplen left.
      guard piece.offset == captured else { break }
      piece.bytes.withUnsafeBytes { from in
        if let start = from.baseAddress {
          (base + piece.offset).copyMemory(from: start, byteCount: from.count)
        }
      }
      captured += piece.bytes.count
      if piece.bytes.count < piece.wire { break }
    }
    return Whole(bytes: Octets(base, count: captured), wireLength: total)
  }

  private func makeRoom(for key: Key) {
    order.append(key)
    guard order.count > Self.most else { return }
    let oldest = order.removeFirst()
    if let partial = partials.removeValue(forKey: oldest) { giveUp(partial) }
  }

  private func forget(_ key: Key) {
    partials.removeValue(forKey: key)
    order.removeAll { $0 == key }
  }
}
