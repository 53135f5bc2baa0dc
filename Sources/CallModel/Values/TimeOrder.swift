extension Sequence {
  /// The elements in order of time. An element without a time stays behind the one that it followed.
  @inlinable
  public func inOrder(by time: (Element) -> Double?) -> [Element] {
    let elements = Array(self)
    var last = -Double.infinity
    var isInOrder = true
    let keys = elements.map { element in
      let key = time(element) ?? last
      if !(key >= last) { isInOrder = false }
      last = key
      return key
    }
    // Nearly always.
    if isInOrder { return elements }
    return elements.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { elements[$0] }
  }
}
