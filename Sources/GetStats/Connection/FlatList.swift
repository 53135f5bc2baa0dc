/// A list with one owner, iterated often. Each access to an array in an object retains and releases it, which in a loop
/// over reports costs more than the lookup.
struct FlatList<Element>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  private var room: Int
  private(set) var count = 0

  init() {
    room = 0
    base = .allocate(capacity: 0)
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  var indices: Range<Int> { 0..<count }

  subscript(_ place: Int) -> Element {
    @inline(__always) _read {
      precondition(place >= 0 && place < count, "beyond the list")
      yield base[place]
    }
  }

  mutating func append(_ element: Element) {
    if count == room { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  /// The elements in place; valid until the list changes.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  mutating func append(contentsOf more: UnsafeBufferPointer<Element>) {
    guard let first = more.baseAddress else { return }
    while room - count < more.count { grow() }
    (base + count).initialize(from: first, count: more.count)
    count += more.count
  }

  /// Removes all elements but the first ones, keeping the capacity.
  mutating func removeAll(behind kept: Int) {
    let kept = Swift.min(kept, count)
    (base + kept).deinitialize(count: count - kept)
    count = kept
  }

  /// Removes all elements, keeping the capacity.
  mutating func removeAll() {
    base.deinitialize(count: count)
    count = 0
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, 2 * room))
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    room = max(16, 2 * room)
  }
}
