/// A first-in, first-out queue with constant-time access to both ends.
public struct Queue<Element> {
  /// Elements before `start` are removed.
  private var items: [Element?] = []
  private var start = 0

  public init() {}

  /// The most removed elements kept before the first.
  private static var maxGone: Int { 64 }

  public var count: Int { items.count - start }
  public var first: Element? { start < items.count ? items[start] : nil }

  public mutating func append(_ element: Element) { items.append(element) }

  /// Inserts an element before the last ones that come after it in order.
  mutating func insert(_ element: Element, before isLater: (Element) -> Bool) {
    var place = items.count
    while place > start, let other = items[place - 1], isLater(other) { place -= 1 }
    items.insert(element, at: place)
  }

  @discardableResult
  public mutating func popFirst() -> Element? {
    guard start < items.count else { return nil }
    let element = items[start]
    items[start] = nil
    start += 1
    if start >= Self.maxGone, start * 2 >= items.count {
      items.removeFirst(start)
      start = 0
    }
    return element
  }
}
