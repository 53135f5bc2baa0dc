import Testing

@testable import Bytes

@Suite("Work on a thread beside")
struct BackgroundWorkTests {
  private struct Trouble: Error {}

  private final class Box {
    var done: [Int] = []
  }

  @Test("every piece is done once and in order, by the thread or by the one who waits for it")
  func order() throws {
    let work = BackgroundWork()
    let box = Box()
    for piece in 0..<2000 { try work.begin { box.done.append(piece) } }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<2000))
  }

  @Test("what a piece throws is told once, by the next wait, and the next piece is done")
  func failures() throws {
    let work = BackgroundWork()
    let box = Box()
    var told = 0
    for piece in 0..<500 {
      do {
        try work.begin {
          box.done.append(piece)
          if piece.isMultiple(of: 7) { throw Trouble() }
        }
      } catch is Trouble {
        // Told of the piece before, and this one was not begun.
        told += 1
        try work.begin { box.done.append(piece) }
      }
    }
    do { try work.wait() } catch is Trouble { told += 1 }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<500))
    // 0, 7, … 497; none of them follows another.
    #expect(told == 72)
  }

  @Test("closing ends what was given")
  func closing() throws {
    let work = BackgroundWork()
    let box = Box()
    try work.begin { box.done.append(1) }
    work.close()
    #expect(box.done == [1])
  }

  @Test("several may be given before the first is done, and are done in order", arguments: [1, 2, 3, 8])
  func depth(depth: Int) throws {
    let work = BackgroundWork(depth: depth)
    let box = Box()
    for piece in 0..<500 {
      try work.begin { box.done.append(piece) }
      if piece.isMultiple(of: 50) { try work.wait(leaving: depth - 1) }
    }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<500))
  }

  @Test("what was given after one that fails is not done until it is told", arguments: [2, 3, 8])
  func failureAmongSeveral(depth: Int) throws {
    let work = BackgroundWork(depth: depth)
    let box = Box()
    var given = 0
    #expect(throws: Trouble.self) {
      for piece in 0..<100 {
        try work.begin {
          if piece == 5 { throw Trouble() }
          box.done.append(piece)
        }
        given += 1
      }
      try work.wait()
    }
    #expect(given <= 5 + depth)
    #expect(box.done == Array(0..<5))
    try work.begin { box.done.append(100) }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<5) + [100])
  }
}
