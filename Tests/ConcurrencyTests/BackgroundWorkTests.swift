import Testing

@testable import Concurrency

@Suite("Work beside the one that gives it")
struct BackgroundWorkTests {
  private struct Trouble: Error {}

  private final class Box {
    var done: [Int] = []
  }

  @Test("every piece runs once and in order, on a worker or the waiting thread")
  func order() throws {
    let work = BackgroundWork()
    let box = Box()
    for piece in 0..<2000 { try work.begin { box.done.append(piece) } }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<2000))
  }

  @Test("an error is thrown once, by the next wait, and the next piece runs")
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
        // The error of the previous piece; this piece was not started.
        told += 1
        try work.begin { box.done.append(piece) }
      }
    }
    do { try work.wait() } catch is Trouble { told += 1 }
    try work.wait()
    work.close()
    #expect(box.done == Array(0..<500))
    // 0, 7, … 497; no two are adjacent.
    #expect(told == 72)
  }

  @Test("closing finishes submitted work")
  func closing() throws {
    let work = BackgroundWork()
    let box = Box()
    try work.begin { box.done.append(1) }
    work.close()
    #expect(box.done == [1])
  }

  @Test("several can be queued, and run in order", arguments: [1, 2, 3, 8])
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

  @Test("pieces after a failed one do not run until its error is thrown", arguments: [2, 3, 8])
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

  @Test("many submitters share few workers, and each one's work runs in order", arguments: [0, 1, 3])
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

  @Test("a waiting thread runs work that no worker has time for")
  func helping() throws {
    let workers = Workers(limit: 1)
    let (slow, other) = (BackgroundWork(depth: 1, by: workers), BackgroundWork(depth: 1, by: workers))
    let (begun, box) = (ConditionMonitor(), Box())
    let isBegun = Locked(false)
    // The worker continues only after the other work is done, which it cannot do itself.
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

  @Test("work with its own thread does not wait for busy workers")
  func ownThread() throws {
    let gate = ConditionMonitor()
    let box = Box()
    let own = [
      BackgroundWork(ofItsOwn: true), BackgroundWork(ofItsOwn: true), BackgroundWork(ofItsOwn: true),
    ]
    // Each waits until all have started.
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
