import Testing

@testable import Concurrency

@Suite("Work beside the one that gives it")
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

  @Test("many who give work share few workers, and each one's work is done in order", arguments: [0, 1, 3])
  func sharing(workers: Int) throws {
    let workers = Workers(limit: workers)
    let works = (0..<20).map { _ in (BackgroundWork(depth: 4, by: workers), Box()) }
    for piece in 0..<200 {
      for (work, box) in works { try work.begin { box.done.append(piece) } }
    }
    for (work, box) in works {
      try work.wait()
      #expect(box.done == Array(0..<200))
    }
  }

  @Test(
    "a piece may give work itself and wait for it, though all workers are at such pieces", arguments: [1, 2])
  func nesting(workers: Int) throws {
    let workers = Workers(limit: workers)
    let outer = (0..<4).map { _ in (BackgroundWork(depth: 8, by: workers), Box()) }
    for piece in 0..<100 {
      for (work, box) in outer {
        try work.begin {
          let inner = BackgroundWork(depth: 1, by: workers)
          defer { inner.close() }
          let sum = Box()
          for part in 1...3 { try inner.begin { sum.done.append(part) } }
          try inner.wait()
          box.done.append(piece * sum.done.reduce(0, +))
        }
      }
    }
    for (work, box) in outer {
      try work.wait()
      #expect(box.done == (0..<100).map { $0 * 6 })
    }
  }

  @Test("who waits for a worker does meanwhile what the worker has no time for")
  func helping() throws {
    let workers = Workers(limit: 1)
    let (slow, other) = (BackgroundWork(depth: 1, by: workers), BackgroundWork(depth: 1, by: workers))
    let (begun, box) = (ConditionMonitor(), Box())
    let isBegun = Locked(false)
    // The worker goes on only once the other work is done, which it cannot do itself.
    try slow.begin {
      isBegun.withLock { $0 = true }
      begun.broadcast()
      begun.inside { while box.done.isEmpty { begun.wait() } }
    }
    begun.inside { while !isBegun.withLock({ $0 }) { begun.wait() } }
    try other.begin {
      begun.inside { box.done.append(1) }
      begun.broadcast()
    }
    try slow.wait()
    try other.wait()
    #expect(box.done == [1])
  }

  @Test("work with a thread of its own does not wait for workers that are busy")
  func ownThread() throws {
    let gate = ConditionMonitor()
    let box = Box()
    let own = [
      BackgroundWork(ofItsOwn: true), BackgroundWork(ofItsOwn: true), BackgroundWork(ofItsOwn: true),
    ]
    // Each waits for all to have begun.
    for (index, work) in own.enumerated() {
      try work.begin {
        gate.inside {
          box.done.append(index)
          gate.broadcast()
          while box.done.count < own.count { gate.wait() }
        }
      }
    }
    for work in own { try work.wait() }
    #expect(box.done.sorted() == [0, 1, 2])
  }
}
