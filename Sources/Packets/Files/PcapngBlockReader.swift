/// Reads a pcapng block by block.
final class PcapngBlockReader {
  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  private var block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  /// Byte order of the section.
  private(set) var isLittle: Bool
  /// Why reading stopped before the end, if it did.
  private(set) var error: String?

  /// - Parameters:
  ///   - isLittle: the byte order, where the file goes on within a section.
  ///   - read: copies the next bytes of the file, and returns how many; 0 at its end.
  init(isLittle: Bool = true, _ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    (self.isLittle, self.read) = (isLittle, read)
  }
  deinit { block.deallocate() }

  /// The next block with its header, valid until the next call; nil at the end, or where the rest cannot be read.
  func next() throws -> Octets? {
    guard error == nil, try fill(from: 0, to: 12), let base = block.baseAddress else { return nil }
    let head = Octets(base, count: 12)
    let order = head.word(0) == PcapngBlock.section ? PcapngBlock.isLittle(head) : isLittle
    let length = order.map { Int(PcapngBlock.word(head, 4, swapped: $0)) } ?? 0
    guard let order, length >= 12, length <= PcapngBlock.longest, length & 3 == 0 else {
      error = "a block of the capture has an absurd length"
      return nil
    }
    isLittle = order
    guard try fill(from: 12, to: length) else {
      error = error ?? "the capture is cut within its last block"
      return nil
    }
    return block.baseAddress.map { Octets($0, count: length) }
  }

  /// Reads until the block has `end` bytes; false if the file ends before.
  private func fill(from start: Int, to end: Int) throws -> Bool {
    if end > block.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: end, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<start]))
      block.deallocate()
      block = larger
    }
    var at = start
    while at < end {
      let got = try read(UnsafeMutableRawBufferPointer(rebasing: block[at..<end]))
      if got == 0 {
        if at > start || start > 0 { error = "the capture is cut within its last block" }
        return false
      }
      at += got
    }
    return true
  }
}
