import Bytes
import CallModel

/// What tells the page of a PeerConnection from others in a dump: its render process and its address, of which only a digest
/// is kept, for addresses of meetings let people in.
struct PageDigest {
  private let hash = SHA256()
  private var parts = 0

  /// Takes `rid` or `url`, as they stand in the dump.
  mutating func take(_ value: UnsafeBufferPointer<UInt8>) {
    guard value.count > 2 || value.first != UInt8(ascii: "\"") else { return }
    hash.update(UnsafeRawBufferPointer(value))
    parts += 1
  }

  /// The page, where both are known.
  var identity: Identity? { parts == 2 ? Identity(.page, String(hash.hexDigest().prefix(16))) : nil }
}
