extension RandomAccessCollection where Index == Int {
  /// The index after the leading elements that meet a condition, which no later element meets: found by bisection.
  @inlinable
  public func endOfPrefix(while isMet: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isMet(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
