import Concurrency
import CSQLite
import Synchronization

/// A pool of read-only connections, to read on several cores beside the store that writes. They see committed data.
///
/// A store in memory has no second connection: there the store itself does the work, one item at a time.
public final class Readers: Sendable {
  /// The fewest samples whose reading pays for another connection: to open one, SQLite compiles the whole schema, which
  /// takes as long as reading and scoring some hundreds of samples.
  public static let fewestSamples = 4000

  private let store: Store
  private let most: Int
  private let keepsPages: Bool
  private let state = Locked<(idle: [Store], busy: Int)>(([], 0))

  /// A pool of up to `most` connections.
  ///
  /// - Parameter keepsPages: whether they have as large a page cache as the store: for queries over all calls, not for
  /// samples, which are read once.
  public init(of store: Store, most: Int, keepsPages: Bool = false) {
    self.store = store
    self.keepsPages = keepsPages
    self.most = store.access == .memory ? 1 : most
  }

  /// Whether there are separate connections, so that several items are processed without the store itself.
  private var areSeparate: Bool { most > 1 }

  /// Processes each item, on several cores if there are several items, and returns the results in order.
  ///
  /// May be called again from within the work, with the store passed to it: if all connections are busy, that store
  /// does the rest. The first error is thrown after all items are done.
  public func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], beside own: Store? = nil, _ work: @Sendable (Item, Store) throws -> Result
  ) throws -> [Result] {
    let free = state.withLock { most - $0.busy }
    guard free > 1, items.count > 1 else { return try items.map { try work($0, own ?? store) } }
    let results = Locked([Swift.Result<Result, any Error>?](repeating: nil, count: items.count))
    let next = Atomic(0)
    concurrently(min(free, items.count)) {
      var reader: Store?
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < items.count else { break }
        let result = Swift.Result {
          let mine = try reader ?? take()
          reader = mine
          return try work(items[index], mine)
        }
        results.withLock { $0[index] = result }
      }
      if let reader { giveBack(reader) }
    }
    return try results.withLock { try $0.compactMap { try $0?.get() } }
  }

  /// Processes items in the background on all cores, and passes the results in order, on this thread, while later items
  /// are processed. An item not yet started when its turn comes is processed by the store itself.
  ///
  /// - Parameters:
  /// - ahead: the most finished results waiting for each of the other cores.
  /// - isEnough: asked before each item; once true, no more are started, and the results of those started are passed.
  /// - Throws: the error of the work, or of `take`, after all background work has ended.
  public func inOrder<Item: Sendable, Result>(
    _ items: some Collection<Item>, ahead: Int, until isEnough: () -> Bool,
    _ work: @escaping @Sendable (Item, Store) throws -> Result, take: (Result) throws -> Void
  ) throws {
    guard areSeparate, items.count > 1 else {
      for item in items where !isEnough() { try take(work(item, store)) }
      return
    }
    // This thread works as well.
    let lanes = (0..<min(most, items.count) - 1).map { _ in BackgroundWork(depth: ahead) }
    defer { for lane in lanes { lane.close() } }
    var (begun, taken) = (0, 0)
    var slots: [Slot<Item, Result>] = []
    func takeNext() throws {
      let slot = slots.removeFirst()
      let lane = lanes[taken % lanes.count]
      taken += 1
      if slot.claim() {
        try take(work(slot.item, store))
      } else {
        // A lane works in order, so this item is done when only those started after it are left.
        try lane.wait(leaving: (begun - taken) / lanes.count)
        if let result = slot.value { try take(result) }
      }
    }
    for item in items where !isEnough() {
      if slots.count == lanes.count * ahead { try takeNext() }
      let slot = Slot<Item, Result>(item)
      slots.append(slot)
      try lanes[begun % lanes.count].begin { [self] in
        guard slot.claim() else { return }
        let reader = try self.take()
        defer { giveBack(reader) }
        slot.value = try work(slot.item, reader)
      }
      begun += 1
    }
    while taken < begun { try takeNext() }
  }

  /// An item, for the thread that claims it first, with the result that a lane leaves for the waiting thread.
  private final class Slot<Item, Result> {
    let item: Item
    var value: Result?
    private let isClaimed = Atomic(false)

    init(_ item: Item) { self.item = item }

    func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }
  }

  /// Lends a connection to a thread that reads ahead of the caller; nil if it does not pay, if all cores are busy or no
  /// more connections can be opened.
  public func lend<Result>(if pays: Bool, _ body: (Store?) throws -> Result) rethrows -> Result {
    // Threads that use the store itself are not counted as busy.
    guard pays, state.withLock({ max($0.busy, 1) < most }), let reader = try? take() else {
      return try body(nil)
    }
    defer { giveBack(reader) }
    return try body(reader)
  }

  private func take() throws -> Store {
    if let reader = state.withLock({ state in
      state.idle.popLast().map { reader in
        state.busy += 1; return reader
      }
    }) {
      return reader
    }
    let reader = try store.reader(keepsPages: keepsPages)
    state.withLock { $0.busy += 1 }
    return reader
  }

  private func giveBack(_ reader: Store) {
    state.withLock { state in
      state.idle.append(reader)
      state.busy -= 1
    }
  }
}

extension Store {
  /// Samples are read once: caching their pages is of no use.
  private static let fewPages = "PRAGMA cache_size = -1024"

  /// Another connection to the file, which reads committed data and does not wait for writers; for a store in memory
  /// the store itself.
  public func reader(keepsPages: Bool = false) throws -> Store {
    guard access != .memory else { return self }
    try shareFile()
    let reader = try Store(path: path, access: .read)
    if !keepsPages { try reader.connection.execute(Self.fewPages) }
    return reader
  }

  /// Lets others read while this store writes, from now on.
  public func shareFile() throws {
    // Called by threads that read while another writes, so it must not wait for the store.
    guard !isShared.withLock({ $0 }) else { return }
    try exclusive { try connection.keepLog() }
    isShared.withLock { $0 = true }
  }

  /// Frees the page cache and keeps it small from now on, before others read beside it.
  public func keepFewPages() throws {
    try shareFile()
    try connection.execute(Self.fewPages)
    cqa_release_memory(connection.handle)
  }
}
