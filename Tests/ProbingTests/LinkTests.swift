import Testing

@testable import Probing

@Suite("A link of the relay")
struct LinkTests {
  private func fates(_ impairment: Impairment, packets: Int = 20_000, every: Double = 5, bytes: Int = 172)
    -> [PacketFate]
  {
    var link = Link(seed: 3)
    link.change(to: impairment)
    return (0..<packets).map { link.fate(ofBytes: bytes, at: Double($0) * every) }
  }

  private func share(_ fates: [PacketFate], of fate: PacketFate) -> Double {
    Double(fates.count { $0 == fate }) / Double(fates.count)
  }

  @Test("passes everything immediately without impairments")
  func clean() {
    #expect(fates(Impairment(), packets: 3) == [.due(0), .due(5), .due(10)])
  }

  @Test("loses the requested share, independently", arguments: [0.01, 0.08, 0.3])
  func loss(_ asked: Double) {
    var impairment = Impairment()
    impairment.loss = asked
    #expect(abs(share(fates(impairment), of: .lost) - asked) < 0.01)
  }

  @Test("loses a share in bursts of the requested mean length")
  func bursts() {
    var impairment = Impairment()
    impairment.burst_loss = 0.1
    impairment.burst_packets = 6
    let lost = fates(impairment, packets: 100_000).map { $0 == .lost }
    let runs = zip([false] + lost, lost).count { !$0 && $1 }
    #expect(abs(Double(lost.count { $0 }) / 100_000 - 0.1) < 0.02)
    #expect(abs(Double(lost.count { $0 }) / Double(runs) - 6) < 0.6)
  }

  @Test("keeps packets in order under jitter, unless it may reorder them", arguments: [false, true])
  func jitter(_ mayReorder: Bool) {
    var impairment = Impairment()
    impairment.delay_ms = 100
    impairment.jitter_ms = 20
    impairment.reorder = mayReorder
    let due = fates(impairment).map { if case .due(let due) = $0 { due } else { -1.0 } }
    #expect(zip(due, due.dropFirst()).allSatisfy { $0 <= $1 } == !mayReorder)
    let mean = due.enumerated().reduce(0) { $0 + $1.element - Double($1.offset) * 5 } / Double(due.count)
    #expect(mean > 98 && mean < (mayReorder ? 102 : 160))
  }

  @Test("passes no more than the capacity, and queues no longer than requested")
  func capacity() {
    var impairment = Impairment()
    impairment.rate_kbps = 100
    impairment.queue_ms = 200
    // 200 bytes with headers every 5 ms are 320 kbit/s.
    let fates = fates(impairment, packets: 2000)
    let passed = fates.compactMap { if case .due(let due) = $0 { due } else { nil } }
    #expect(abs(Double(passed.count) * 200 * 8 / (passed.last ?? 1) - 100) < 2)
    #expect(fates.contains(.queueFull))
    for (index, fate) in fates.enumerated() {
      if case .due(let due) = fate { #expect(due - Double(index) * 5 <= 200 + 16.1) }
    }
  }

  @Test("passes nothing in a black hole")
  func blackhole() {
    var impairment = Impairment()
    impairment.blackhole = true
    #expect(share(fates(impairment, packets: 50), of: .blackhole) == 1)
  }

  @Test("makes the same decisions for the same seed")
  func repeatable() {
    var impairment = Impairment()
    impairment.loss = 0.2
    impairment.jitter_ms = 10
    #expect(fates(impairment) == fates(impairment))
  }
}
