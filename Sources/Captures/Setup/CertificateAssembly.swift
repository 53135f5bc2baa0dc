/// A Certificate message arriving in fragments, which overlap where it is sent again cut otherwise (RFC 6347 section 4.2.3).
struct CertificateAssembly {
  private(set) var bytes: [UInt8]
  /// How many bytes from the first on are there, and what is there beyond the first hole.
  private var whole = 0
  private var ahead: [Range<Int>] = []
  /// Fragments beyond the first hole that are remembered; one more is taken when it comes again.
  private static let mostAhead = 64

  init(length: Int) { bytes = [UInt8](repeating: 0, count: length) }

  /// Whether every byte is there.
  var isWhole: Bool { whole == bytes.count }

  /// Takes a fragment, as far as it was captured.
  mutating func add(_ fragment: Octets, at offset: Int) {
    let end = offset + fragment.count
    guard end > whole, end <= bytes.count else { return }
    if offset > whole {
      guard ahead.count < Self.mostAhead, !ahead.contains(offset..<end) else { return }
      ahead.append(offset..<end)
    } else {
      whole = end
    }
    for i in 0..<fragment.count { bytes[offset + i] = fragment.byte(i) }
    while let next = ahead.firstIndex(where: { $0.lowerBound <= whole }) {
      whole = max(whole, ahead.remove(at: next).upperBound)
    }
  }
}
