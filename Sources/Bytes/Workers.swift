import Glibc

/// Threads that do background work, whosever it is: one less than there are cores, for who gives the work has one.
///
/// More threads than cores interrupt each other, and threads that each do little are woken all the time, on a virtual
/// machine often on a core that is busy while another one rests.
final class Workers: Sendable {
  /// Those of the program, for cores are shared by all of it: handed from room to room, each hand could make more of them.
  /// They rest when there is nothing to do, and end with it.
  static let shared = Workers(most: max(1, Cores.count - 1))

  private let desk: Desk

  /// As many threads at most; each begins when it is wanted.
  init(most: Int) { desk = Desk(most: most) }

  deinit { desk.close() }

  /// Has one piece of some work done soon; false where the system has no thread to give.
  func add(_ work: BackgroundWork) -> Bool { desk.add(work) }

  /// Work that waits for a thread, for one who has time for it.
  func next() -> BackgroundWork? { desk.takeDue() }

  /// Whether some work waits for a thread.
  var areWanted: Bool { desk.hasDue }
}

/// Where work lies until a thread takes it. Threads hold this, and not the workers, who end them when they are let go.
private final class Desk: @unchecked Sendable {
  private let monitor = Monitor()
  private let most: Int
  private var due: [BackgroundWork] = []
  private var threads = 0
  private var resting = 0
  private var isClosing = false

  init(most: Int) { self.most = most }

  var hasDue: Bool { monitor.inside { !due.isEmpty } }

  func takeDue() -> BackgroundWork? { monitor.inside { due.isEmpty ? nil : due.removeFirst() } }

  func add(_ work: BackgroundWork) -> Bool {
    let isTaken = monitor.inside {
      if due.count >= resting, threads < most, startThread() { threads += 1 }
      if threads > 0 { due.append(work) }
      return threads > 0
    }
    monitor.tell()
    return isTaken
  }

  func close() {
    monitor.inside { isClosing = true }
    monitor.tellAll()
  }

  private func startThread() -> Bool {
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Desk>.fromOpaque(context).takeRetainedValue().serve() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard code == 0 else {
      Unmanaged.passUnretained(self).release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func serve() {
    while let work = next() { work.turn() }
  }

  private func next() -> BackgroundWork? {
    monitor.inside {
      while due.isEmpty {
        if isClosing { return nil }
        resting += 1
        monitor.wait()
        resting -= 1
      }
      return due.removeFirst()
    }
  }
}
