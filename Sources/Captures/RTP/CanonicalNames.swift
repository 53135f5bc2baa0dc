import CallModel

/// Sound and picture of one sender on ports of their own: its canonical name (CNAME, RFC 3550 section 6.5.1) says that they are
/// one call where nothing else does.
///
/// Gateways give every call the same name. So two paths are joined only where the one has what the other lacks, and where
/// no third could be meant.
struct CanonicalNames {
  /// A name is its host's, towards another.
  private struct Sender: Hashable {
    var name: [UInt8]
    var host: Address
    var other: Address
  }

  private var paths: [Sender: [(path: Path, end: Int)]] = [:]
  private static let mostSenders = 10_000
  private static let mostPaths = 16

  /// Takes what a source description (RFC 3550 section 6.5) says of the sources that `stream` finds.
  mutating func take(_ description: Octets, chunks: Int, _ stream: (UInt32) -> MediaStream?) {
    var at = 4
    for _ in 0..<chunks where at + 6 <= description.count {
      let source = stream(description.word(at))
      at += 4
      while at + 2 <= description.count, description.byte(at) != 0 {
        let value = description.from(at + 2).first(Int(description.byte(at + 1)))
        if description.byte(at) == 1, let source { take(value.copy(), of: source) }
        at += 2 + Int(description.byte(at + 1))
      }
      at += 4 - at % 4
    }
  }

  private mutating func take(_ name: [UInt8], of stream: MediaStream) {
    let path = stream.path
    guard !name.isEmpty, stream.kind != nil, !path.isWebRTC, path.overNs == nil else { return }
    let sender = Sender(name: name, host: stream.source.address, other: stream.destination.address)
    guard paths[sender] != nil || paths.count < Self.mostSenders else { return }
    var known = paths[sender] ?? []
    known.removeAll { $0.path.whole != nil || $0.path.overNs != nil }
    defer { paths[sender] = known }
    guard !known.contains(where: { $0.path === path }) else {
      join((path, stream.sender), known)
      return
    }
    guard known.count < Self.mostPaths else { return }
    known.append((path, stream.sender))
    join((path, stream.sender), known)
  }

  private func join(_ one: (path: Path, end: Int), _ known: [(path: Path, end: Int)]) {
    let others = known.filter { $0.path !== one.path && $0.path.isBesides(one.path) }
    guard others.count == 1, let other = others.first else { return }
    let (older, younger) = one.path.number < other.path.number ? (one, other) : (other, one)
    guard younger.path.isBare else { return }
    older.path.takeIn(younger.path, isTurned: older.end != younger.end)
  }
}

extension Path {
  /// Whether one of two has sound alone and the other a picture alone, at the same time.
  fileprivate func isBesides(_ other: Path) -> Bool {
    let (own, others) = (Set(media.compactMap(\.kind)), Set(other.media.compactMap(\.kind)))
    guard own.count == 1, others.count == 1, own != others else { return false }
    let (firstNs, otherNs) = (media.map(\.firstNs).min() ?? 0, other.media.map(\.firstNs).min() ?? 0)
    return firstNs <= other.heardNs && otherNs <= heardNs
  }
}
