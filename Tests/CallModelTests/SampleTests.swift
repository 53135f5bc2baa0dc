import CallModel
import Testing

@Suite("A sample keeps unknown apart from zero")
struct SampleTests {
  @Test("every metric has room and a column of its own")
  func everyMetricHasRoom() {
    #expect(Metric.allCases.count <= Sample.capacity)
    #expect(Set(Metric.allCases.map(\.info.column)).count == Metric.allCases.count)
  }

  @Test("set, read back, cleared", arguments: Metric.allCases)
  func setAndClear(metric: Metric) {
    var sample = Sample(timeMs: 1)
    #expect(sample[metric] == nil)
    sample[metric] = 0
    #expect(sample[metric] == 0)
    #expect(Metric.allCases.filter { sample.has($0) } == [metric])
    sample[metric] = nil
    #expect(sample.isEmpty)
  }
}
