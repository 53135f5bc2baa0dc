import Foundation
import Glibc
import Synchronization

/// A running browser, over a pair of pipes: no port, no driver, no network. It takes seconds to start, so the next page
/// is opened in one that no other page is in.
final class ChromiumProcess: Sendable {
  private static let unused = Mutex<[ChromiumProcess]>([])
  private static let all = Mutex<[ChromiumProcess]>([])

  private let process: pid_t
  private let commands: Int32
  private let answers: Int32
  private let profile: URL
  private let state = Mutex<(waiting: [UInt8], lastID: Int)>(([], 0))

  /// One that no page is in.
  static func take() throws -> ChromiumProcess {
    if let one = unused.withLock({ $0.popLast() }) { return one }
    let one = try ChromiumProcess()
    let isFirst = all.withLock { all in
      all.append(one)
      return all.count == 1
    }
    if isFirst { atexit { ChromiumProcess.all.withLock { for one in $0 { one.end() } } } }
    return one
  }

  /// Leaves it to the next page. Its own is gone.
  func giveBack() { Self.unused.withLock { $0.append(self) } }

  private init() throws {
    guard let path = Chromium.path else { throw Chromium.Failure(description: "no Chromium") }
    // Short: the browser makes a socket in it, and the path of one has room for 107 bytes.
    profile = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    var toBrowser: [Int32] = [0, 0]
    var fromBrowser: [Int32] = [0, 0]
    guard pipe(&toBrowser) == 0, pipe(&fromBrowser) == 0 else {
      throw Chromium.Failure(description: "no pipes")
    }
    for end in [toBrowser[1], fromBrowser[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    commands = toBrowser[1]
    answers = fromBrowser[0]
    // Out of the way of 3 and 4, which the browser's ends become.
    let reading = fcntl(toBrowser[0], F_DUPFD_CLOEXEC, 100)
    let writing = fcntl(fromBrowser[1], F_DUPFD_CLOEXEC, 100)
    for end in [toBrowser[0], fromBrowser[1]] { close(end) }
    defer { for end in [reading, writing] { close(end) } }
    process = try Self.spawn(
      path, reading: reading, writing: writing, temporary: profile.path,
      arguments: [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--remote-debugging-pipe", "--user-data-dir=\(profile.path)", "about:blank",
      ])
  }

  private func end() {
    // With its helpers, who would make the folder of the profile anew.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    for _ in 0..<100 where kill(-process, 0) == 0 { usleep(20_000) }
    try? FileManager.default.removeItem(at: profile)
  }

  /// The DevTools pipes are descriptors 3 and 4 of the browser; what it leaves lying about is left in its profile.
  private static func spawn(
    _ path: String, reading: Int32, writing: Int32, temporary: String, arguments: [String]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A process group of its own.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawn_file_actions_adddup2(&actions, reading, 3)
    posix_spawn_file_actions_adddup2(&actions, writing, 4)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] =
      ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for variable in environment { free(variable) } }
    var process = pid_t()
    guard posix_spawn(&process, path, &actions, &attributes, &words, &environment) == 0 else {
      throw Chromium.Failure(description: "\(path) does not start")
    }
    return process
  }

  /// Sends a command to a page, or to the browser itself, and returns its number.
  func send(_ method: String, _ parameters: [String: Any], _ session: String?) throws -> Int {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    var message: [String: Any] = ["id": id, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    var bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
    while !bytes.isEmpty {
      let wrote = write(commands, bytes, bytes.count)
      guard wrote > 0 else { throw Chromium.Failure(description: "the browser is gone") }
      bytes.removeFirst(wrote)
    }
    return id
  }

  /// The next message of the browser.
  func receive(seconds: Int32 = 60) throws -> [String: Any] {
    while true {
      let message = state.withLock { state -> Data? in
        guard let end = state.waiting.firstIndex(of: 0) else { return nil }
        defer { state.waiting.removeFirst(end + 1) }
        return Data(state.waiting[..<end])
      }
      if let message { return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:] }
      var watched = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, seconds * 1000) > 0 else {
        throw Chromium.Failure(description: "the browser does not answer")
      }
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      let got = read(answers, &chunk, chunk.count)
      guard got > 0 else { throw Chromium.Failure(description: "the browser is gone") }
      let read = chunk[..<got]
      state.withLock { $0.waiting.append(contentsOf: read) }
    }
  }
}
