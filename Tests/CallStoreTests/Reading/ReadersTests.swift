import Concurrency
import Glibc
import Testing

@testable import CallStore

@Suite("Results of concurrent reads come in order")
struct ReadersTests {
  private struct Trouble: Error {}
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(path: folder.file("x.sqlite"), access: .write)
  }

  @Test(
    "whatever each piece takes, alone or beside others, and each is worked on once", arguments: [1, 2, 3],
    [0, 1, 2, 7, 200])
  func order(most: Int, count: Int) throws {
    let readers = Readers(of: store, most: most)
    let worked = Locked<[Int]>([])
    var taken: [Int] = []
    try readers.inOrder(
      Array(0..<count), ahead: 4, until: { false },
      { number, store in
        worked.withLock { $0.append(number) }
        _ = try store.query("SELECT count(*) FROM calls")
        usleep(UInt32(number % 5 * 100))
        return number
      }, take: { taken.append($0) })
    #expect(taken == Array(0..<count))
    #expect(worked.withLock { $0.sorted() } == taken)
  }

  @Test("an error ends it, and no later result is passed")
  func failure() throws {
    let readers = Readers(of: store, most: 2)
    var taken: [Int] = []
    #expect(throws: Trouble.self) {
      try readers.inOrder(
        Array(0..<100), ahead: 4, until: { false },
        { number, _ in
          if number == 40 { throw Trouble() }
          return number
        }, take: { taken.append($0) })
    }
    #expect(taken == Array(0..<taken.count) && taken.count <= 40)
    #expect(throws: Trouble.self) {
      try readers.inOrder(
        Array(0..<100), ahead: 4, until: { false }, { number, _ in number },
        take: { if $0 == 3 { throw Trouble() } })
    }
    // And those who worked are free again.
    #expect(try readers.map([1, 2]) { number, _ in number } == [1, 2])
  }

  @Test("once enough, started items are passed and no more are started")
  func enough() throws {
    let readers = Readers(of: store, most: 2)
    let begun = Locked(0)
    var taken = 0
    try readers.inOrder(
      Array(0..<100), ahead: 4, until: { taken >= 10 },
      { number, _ in begun.withLock { $0 += 1 } }, take: { taken += 1 })
    #expect(taken >= 10 && taken <= 20)
    #expect(begun.withLock { $0 } == taken)
  }
}
