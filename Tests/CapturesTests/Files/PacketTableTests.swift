import Bytes
import CallModel
import Packets
import Testing

@testable import Captures

@Suite("A stream packet by packet")
struct PacketTableTests {
  private typealias C = CaptureBuilder

  /// A voice of 8 kHz, a packet each 20 ms, in the order of the numbers that are given.
  private func capture(_ numbers: [Int], type: Int = 0) -> [UInt8] {
    var b = C()
    // Something else in between: its frames count.
    b.addUDP([1, 2, 3], atMs: 0)
    for (place, number) in numbers.enumerated() {
      b.addUDP(
        C.rtp(type: type, sequence: number, timestamp: 160 * number, ssrc: 7, payload: 160),
        atMs: 10 + 20 * Double(place))
    }
    return b.pcap()
  }

  private func rows(_ numbers: [Int], type: Int = 0) throws -> [PacketRow] {
    let bytes = capture(numbers, type: type)
    let stream = try #require(PacketTable.streams(.pcap, from: MemoryBytes(bytes)).first)
    var rows: [PacketRow] = []
    try PacketTable.rows(of: stream, .pcap, from: MemoryBytes(bytes)) { rows.append($0) }
    return rows
  }

  @Test("has the frame, the time since the one before, and a row for each that is missing")
  func lost() throws {
    let rows = try rows([5, 6, 9, 10])
    #expect(rows.map(\.sequence) == [5, 6, 7, 8, 9, 10])
    #expect(rows.map(\.state) == [.ok, .ok, .lost, .lost, .ok, .ok])
    #expect(rows.map(\.frame) == [2, 3, nil, nil, 4, 5])
    #expect(rows[1].deltaMs.map { abs($0 - 20) < 0.01 } == true && rows[0].deltaMs == nil)
    #expect(rows[0].bytes == 160 && rows[2].bytes == nil)
  }

  @Test("tells what came late, twice, and of a sender that began anew")
  func order() throws {
    let rows = try rows([1, 2, 4, 3, 4, 30_000, 30_001])
    #expect(rows.map(\.state) == [.ok, .ok, .lost, .ok, .late, .duplicate, .restart, .ok])
  }

  @Test("goes on over the end of the numbers")
  func wraps() throws {
    let rows = try rows([65_534, 65_535, 1])
    #expect(rows.map(\.sequence) == [65_534, 65_535, 0, 1])
    #expect(rows.map(\.state) == [.ok, .ok, .lost, .ok])
  }

  @Test("has jitter by RFC 3550, which a constant clock does not raise")
  func jitter() throws {
    let even = try rows(Array(1...50))
    #expect(even.allSatisfy { ($0.jitterMs ?? 1) < 0.01 })
    // A number that is missing takes no time here: the packet after it came 20 ms too early.
    let uneven = try rows([1, 2, 4])
    #expect(abs((uneven.last?.jitterMs ?? 0) - 20.0 / 16) < 0.01)
  }

  @Test("finds the clock of a dynamic payload type by its timestamps, or says that it is not known")
  func clocks() throws {
    #expect(
      try PacketTable.streams(.pcap, from: MemoryBytes(capture(Array(1...50), type: 98))).first?.clockRate
        == 8000)
    #expect(clock(ticks: 90_000 * 10, overMs: 10_050) == 90_000)
    #expect(clock(ticks: 1000, overMs: 100) == nil && clock(ticks: 65_000 * 10, overMs: 10_000) == nil)
    #expect(try rows([1, 2], type: 98).allSatisfy { $0.jitterMs == nil })
  }

  @Test("finds that an assigned payload type counts another clock")
  func wrongClock() {
    let packets = PayloadFormat.assigned(9)
    #expect(clock(ticks: 16_000 * 4, overMs: 4000, assigned: packets) == 16_000)
    #expect(clock(ticks: 6700 * 4, overMs: 4000, assigned: packets) == 8000)
  }

  private func clock(ticks: Int, overMs: Int, assigned: PayloadFormat? = nil) -> Int? {
    var estimate = RTPClockEstimate()
    for n in 0...200 {
      estimate.take(
        timeNs: Int64(overMs) * 1_000_000 * Int64(n) / 200, timestamp: UInt32(ticks * n / 200))
    }
    return estimate.clock(assigned: assigned)
  }
}
