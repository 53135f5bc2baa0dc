import Bytes
import Packets
import Testing

@Suite("Interfaces of one pcapng")
struct PcapngTapTests {
  private typealias C = CaptureBuilder

  /// Each packet on the interfaces given, one after the other.
  private func capture(_ interfaces: [[Int]], snaplens: [Int] = [0, 0]) -> [UInt8] {
    var builder = C()
    for (n, seenOn) in interfaces.enumerated() {
      let packet = builder.ip(
        C.udp(C.rtp(sequence: n, timestamp: 160 * n), from: 40_000, to: 50_000), proto: 17)
      for interface in seenOn { builder.add(packet, atMs: 20 * Double(n), interface: interface) }
    }
    return builder.pcapng(snaplens: snaplens)
  }

  private func packets(_ source: any ByteSource) throws -> [Bool] {
    var all: [Bool] = []
    try PacketSource(.pcapng, source).forEach { all.append($0.isElsewhere) }
    return all
  }

  @Test("those that saw the same packets are captures of their own, also of another link type or snaplen")
  func taps() {
    let shared = Array(repeating: [0, 1], count: 60)
    #expect(PcapngTaps.names(MemoryBytes(capture(shared))) == ["interface-0", "interface-1"])
    #expect(
      PcapngTaps.names(MemoryBytes(capture(shared, snaplens: [0, 1000, 0])))
        == ["interface-0", "interface-1", nil])
  }

  @Test("those that hardly share a packet are one capture, as are the packets of one interface")
  func oneCapture() {
    let apart = (0..<200).map { $0 < 40 ? [0, 1] : [$0 % 2] }
    #expect(PcapngTaps.names(MemoryBytes(capture(apart))).isEmpty)
    #expect(PcapngTaps.names(MemoryBytes(capture(Array(repeating: [0, 0], count: 60)))).isEmpty)
    #expect(PcapngTaps.names(MemoryBytes(capture([[0]], snaplens: [0]))).isEmpty)
  }

  @Test("a packet of another interface is one without a byte, so that frames keep their numbers")
  func frames() throws {
    let file = capture([[0, 1], [0], [1], [0, 1]])
    let isElsewhere = [false, true, false, true, false, true]
    #expect(try packets(PcapngTap(MemoryBytes(file), interface: 0)) == isElsewhere)
    #expect(try packets(PcapngTap(MemoryBytes(file), interface: 1)) == isElsewhere.map { !$0 })
  }

  @Test("a file that is cut or broken is read as far as it goes")
  func broken() throws {
    let file = capture(Array(repeating: [0, 1], count: 60))
    for count in stride(from: 0, to: file.count, by: 13) {
      _ = PcapngTaps.names(MemoryBytes(Array(file.prefix(count))))
    }
    var absurd = file
    for place in stride(from: 4, to: absurd.count, by: 97) { absurd[place] = 0xFF }
    #expect(PcapngTaps.names(MemoryBytes(absurd)).isEmpty)
    let cut = PcapngTap(MemoryBytes(file.dropLast(30)), interface: 0)
    #expect(throws: BytesError.self) {
      try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        while try cut.read(into: buffer) > 0 {}
      }
    }
  }
}
