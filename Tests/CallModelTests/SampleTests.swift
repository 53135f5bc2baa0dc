import CallModel
import Testing

@Suite("A sample distinguishes unknown from zero")
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

  @Test("a value is read in place", arguments: Metric.allCases)
  func inPlace(metric: Metric) {
    let samples = (1...3).map { number in
      var sample = Sample(timeMs: Double(number))
      sample[metric] = Double(number) + 0.5
      return sample
    }
    samples.withUnsafeBufferPointer { samples in
      for index in samples.indices {
        guard let first = samples.baseAddress else { return }
        let view = SampleView(first + index)
        #expect(view[metric] == samples[index][metric] && view[metric] != nil)
        #expect(Metric.allCases.filter { view.has($0) } == [metric])
        #expect(view.timeMs == samples[index].timeMs)
      }
    }
  }

  @Test("a sample with a non-finite value is not finite", arguments: Metric.allCases)
  func finite(metric: Metric) {
    var sample = Sample(timeMs: 1)
    #expect(sample.isFinite)
    sample[metric] = -1e300
    #expect(sample.isFinite)
    for odd in [Double.nan, .infinity, -.infinity] {
      sample[metric] = odd
      #expect(!sample.isFinite)
    }
    #expect(!Sample(timeMs: .nan).isFinite)
  }
}
