/// Numbers in ascending order, so that a repeatedly needed median requires no sorting.
struct OrderedValues {
  private(set) var values: [Double] = []

  var count: Int { values.count }

  mutating func insert(_ value: Double) {
    values.insert(value, at: values.firstIndex { $0 > value } ?? values.endIndex)
  }
}
