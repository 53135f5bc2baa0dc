/// A list of one owner that is gone through often. An array in an object is held on to and let go of at each look, which in
/// a loop over reports costs more than what is looked for.
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

  /// What the list holds, where it lies; good until the list changes.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  mutating func append(contentsOf more: UnsafeBufferPointer<Element>) {
    while room - count < more.count { grow() }
    _ = UnsafeMutableBufferPointer(start: base + count, count: more.count).initialize(fromContentsOf: more)
    count += more.count
  }

  /// Forgets all, and keeps the room.
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
