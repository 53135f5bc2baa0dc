import Bytes

/// Passes a pcapng to libpcap and inspects it: interface statistics, and the position at which libpcap would fail.
///
/// libpcap requires one link type, snaplen and byte order per file; at an interface or section with another one the
/// stream ends for libpcap, at a block boundary, and `PcapngSplitter` reads the rest.
final class PcapngInterfaceSplitter: ByteSource {
  private let source: any ByteSource
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
  private var start = 0
  private var end = 0
  /// Bytes from `start` that libpcap may read.
  private var allowed = 0
  /// Bytes of the current block not yet in `allowed`.
  private var rest = 0
  private var atEnd = false
  private var little: Bool?
  /// Byte order of the section.
  var isLittle: Bool { little ?? true }
  private var first: (link: UInt16, snap: UInt32)?

  /// Whether the stream was ended because libpcap would reject the rest.
  private(set) var refused = false
  private(set) var statistics = PcapngStatistics()
  /// The header and interface blocks of the section so far.
  private(set) var preamble: [[UInt8]] = []

  init(_ source: any ByteSource) { self.source = source }
  deinit { buffer.deallocate() }

  func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    while allowed == 0 {
      if refused { return 0 }
      walk()
      if allowed > 0 || refused { continue }
      if atEnd {
        // A truncated block: libpcap reports it itself.
        allowed = end - start
        if allowed == 0 { return 0 }
        break
      }
      try fill()
    }
    let count = min(allowed, target.count)
    if count > 0, let from = buffer.baseAddress {
      target.copyMemory(from: UnsafeRawBufferPointer(start: from + start, count: count))
    }
    start += count
    allowed -= count
    return count
  }

  /// The rest of the file, from the rejected block on.
  func readRest(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = min(end - start, target.count)
    guard count > 0, let from = buffer.baseAddress else { return try source.read(into: target) }
    target.copyMemory(from: UnsafeRawBufferPointer(start: from + start, count: count))
    start += count
    return count
  }

  private func fill() throws {
    guard let base = buffer.baseAddress else { return }
    if start > 0 {
      memmoveDown(base)
    }
    guard end < buffer.count else { return }
    let got = try source.read(
      into: UnsafeMutableRawBufferPointer(start: base + end, count: buffer.count - end))
    if got == 0 { atEnd = true }
    end += got
  }

  private func memmoveDown(_ base: UnsafeMutableRawPointer) {
    base.copyMemory(from: base + start, byteCount: end - start)
    end -= start
    start = 0
  }

  /// Advances `allowed` over all inspected blocks.
  private func walk() {
    guard let base = buffer.baseAddress else { return }
    while true {
      let at = start + allowed
      let there = end - at
      if rest > 0 {
        let step = min(rest, there)
        allowed += step
        rest -= step
        if rest > 0 { return }
        continue
      }
      let block = Octets(base + at, count: there)
      guard there >= 28 || (atEnd && there >= 12) else { return }
      let type = block.word(0)
      if type == PcapngBlock.section, !enterSection(block) { return }
      guard let little else { return passAll() }
      let length = Int(PcapngBlock.word(block, 4, swapped: little))
      guard length >= 12, length & 3 == 0, length <= PcapngBlock.longest else { return passAll() }
      if !inspect(block, PcapngBlock.word(block, 0, swapped: little), length, little) { return }
      rest = length
    }
  }

  /// Records a section's byte order; false if libpcap would reject it.
  private func enterSection(_ block: Octets) -> Bool {
    let order = PcapngBlock.isLittle(block)
    if let little, let order, order != little {
      refused = true
      return false
    }
    little = order ?? little
    preamble = []
    statistics.beginSection()
    return true
  }

  /// Inspects a block; false if more bytes are needed or libpcap would reject it.
  private func inspect(_ block: Octets, _ type: UInt32, _ length: Int, _ little: Bool) -> Bool {
    let wanted =
      type == PcapngBlock.section || type == PcapngBlock.interface || type == PcapngBlock.statistics
    guard wanted, length <= buffer.count / 2 else { return true }
    guard block.count >= length || atEnd else { return false }
    switch type {
    case PcapngBlock.interface:
      let link = PcapngBlock.short(block, 8, swapped: little)
      let snap = PcapngBlock.word(block, 12, swapped: little)
      if let first, first.link != link || first.snap != snap {
        refused = true
        return false
      }
      first = (link, snap)
      if preamble.count < 4096 { preamble.append(block.first(length).copy()) }
    case PcapngBlock.section: preamble = [block.first(length).copy()]
    default: statistics.take(block.first(length), little: little)
    }
    return true
  }

  /// Invalid blocks are passed to libpcap, which reports them.
  private func passAll() { rest = .max }
}
