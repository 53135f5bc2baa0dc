import Concurrency
import Foundation
import IO
import Testing

@testable import Importing

@Suite("Files on their way from a walk to those who import them")
struct FileQueueTests {
  private func file(_ number: Int) -> FoundFile {
    FoundFile(location: RawPath("/n/\(number)"), named: false, bytes: 1)
  }

  @Test("each comes with the file 32 places later, if there is one")
  func later() {
    let queue = FileQueue()
    for number in 0..<100 { queue.append(file(number)) }
    queue.complete()
    for number in 0..<100 {
      let next = queue.next()
      #expect(next?.index == number)
      #expect(next?.file.path == "/n/\(number)")
      #expect(next?.later?.path == (number + FileQueue.ahead < 100 ? "/n/\(number + FileQueue.ahead)" : nil))
    }
    #expect(queue.next() == nil)
  }

  @Test("each is returned once, to any thread, while others are still being found", arguments: [1, 2, 5])
  func together(takers: Int) {
    let queue = FileQueue()
    let taken = Locked<[Int]>([])
    queue.open()
    DispatchQueue.concurrentPerform(iterations: takers + 1) { one in
      if one == 0 {
        for number in 0..<5000 { queue.append(file(number)) }
        return queue.complete()
      }
      while let next = queue.next() {
        #expect(next.file == file(next.index))
        taken.withLock { $0.append(next.index) }
        queue.finish(next.index)
      }
    }
    #expect(taken.withLock { $0.sorted() } == Array(0..<5000))
  }

  @Test(
    "each comes with those of its size that are not finished; a copy of one of them is known by its bytes")
  func alike() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "callqa-queue-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let queue = FileQueue()
    for (name, text) in [("a", "same"), ("b", "other"), ("c", "same"), ("d", "diff"), ("e", "same")] {
      try Data(text.utf8).write(to: folder.appending(path: name))
      queue.append(
        FoundFile(
          location: RawPath(folder.path + "/" + name), named: false, bytes: Int64(text.utf8.count)))
    }
    queue.complete()
    func isCopy() throws -> Bool {
      let next = try #require(queue.next())
      return next.file.isCopy(ofOneOf: next.alike)
    }
    #expect(try (0..<4).map { _ in try isCopy() } == [false, false, true, false])
    for index in 0..<4 { queue.finish(index) }
    #expect(try !isCopy())
  }

  @Test("nothing is returned before it is open or complete")
  func closed() {
    let queue = FileQueue()
    for number in 0..<10 { queue.append(file(number)) }
    let isOpen = Locked(false)
    DispatchQueue.concurrentPerform(iterations: 2) { one in
      if one == 0 {
        Thread.sleep(forTimeInterval: 0.05)
        isOpen.withLock { $0 = true }
        queue.open()
      } else {
        #expect(queue.next()?.index == 0)
        #expect(isOpen.withLock { $0 })
      }
    }
    #expect(queue.wait(for: 10) == 10)
    queue.complete()
    #expect(queue.wait(for: 11) == 10)
  }
}
