import CallModel
import Testing

@testable import CallStore

@Suite("Source keys are stored as ranges")
struct SourceKeysTests {
  @Test("consecutive keys are one range, in any order", arguments: 0..<20)
  func anyOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let keys = Set((0..<200).map { _ in Int64.random(in: 1...300, using: &random) })
    var kept = SourceKeys()
    for key in Array(keys).shuffled(using: &random) + keys.prefix(20) { kept.insert(key) }
    #expect(Set(kept.ranges.flatMap { Array($0) }) == keys)
    for (one, next) in zip(kept.ranges, kept.ranges.dropFirst()) {
      #expect(one.upperBound + 1 < next.lowerBound, "two that touch, or out of order")
    }
  }

  @Test("what an import stores in order is one range")
  func inOrder() {
    var keys = SourceKeys()
    for key in Int64(7)...10_000 { keys.insert(key) }
    #expect(keys.ranges == [7...10_000])
    #expect(keys.json == "[[7,10000]]")
  }

  @Test("the calls of some sources are those they have connections in, once each")
  func calls() throws {
    let store = try Store.inMemory()
    for number in 1...6 {
      var header = SourceHeader(path: "\(number)", sha256: "\(number)", importedMs: 0)
      header.call = "call-\((number + 1) / 2)"
      try store.write(header) { writer in
        try writer.connection(0, end(number.isMultiple(of: 2) ? "caller" : "callee"))
        try writer.event(EventRecord(timeMs: 0, event: .callCreated, raw: "r"), of: 0)
        return .imported
      }
    }
    var keys = SourceKeys()
    #expect(try store.countCalls(of: keys) == 0)
    for key: Int64 in [1, 2, 6] { keys.insert(key) }
    #expect(try store.countCalls(of: keys) == 2)
    #expect(try store.calls(of: keys).count == 2)
  }
}
