/// Numbers in their order, the least first: a median that is asked for again and again needs no sorting.
struct OrderedValues {
  private(set) var values: [Double] = []

  var count: Int { values.count }

  mutating func insert(_ value: Double) {
    values.insert(value, at: values.firstIndex { $0 > value } ?? values.endIndex)
  }
}
