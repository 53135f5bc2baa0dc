/// What was gathered for each window, by its index. Nearly all that comes concerns the last windows, so they lie in a row,
/// in order; windows of which nothing is known take no room.
struct WindowBins<Value> {
  private(set) var indices: [Int] = []
  private var values: [Value] = []

  /// What is known of a window, nil where nothing is.
  subscript(_ index: Int) -> Value? {
    let place = place(of: index)
    return place < indices.count && indices[place] == index ? values[place] : nil
  }

  /// What is known of a window, which begins as `new`.
  subscript(_ index: Int, default new: @autoclosure () -> Value) -> Value {
    get { self[index] ?? new() }
    _modify {
      let place = place(of: index)
      if place == indices.count || indices[place] != index {
        indices.insert(index, at: place)
        values.insert(new(), at: place)
      }
      yield &values[place]
    }
  }

  /// Forgets the windows before one.
  mutating func forget(before index: Int) {
    let count = place(of: index)
    indices.removeFirst(count)
    values.removeFirst(count)
  }

  /// Where a window lies, or would.
  private func place(of index: Int) -> Int {
    guard let last = indices.last, last >= index else { return indices.count }
    var (low, high) = (0, indices.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if indices[middle] < index { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension WindowBins: Sendable where Value: Sendable {}
