extension Sequence {
  /// The same in order of time. What has none stays behind the one that it followed: it happened, nobody knows when.
  public func inOrder(by time: (Element) -> Double?) -> [Element] {
    var last = -Double.infinity
    let keyed = enumerated().map { index, element in
      last = time(element) ?? last
      return (key: last, index: index, element: element)
    }
    return keyed.sorted { ($0.key, $0.index) < ($1.key, $1.index) }.map(\.element)
  }
}
