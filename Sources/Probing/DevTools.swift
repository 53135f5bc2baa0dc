import FoundationEssentials
import Glibc
import IO

/// A headless Chromium, controlled with its DevTools protocol over two pipes (`--remote-debugging-pipe`), so that no
/// port is opened.
///
/// For one thread.
final class DevTools {
  /// An event of the browser: method, parameters, session.
  typealias Event = (method: String, parameters: JSONValue, session: String?)

  private let toBrowser: Int32
  private let fromBrowser: Int32
  private let process: pid_t
  private let profile: String
  private var nextID = 1
  private var pending: [UInt8] = []
  private var searched = 0
  private var answers: [Int: JSONValue] = [:]
  private var awaited: Set<Int> = []
  private var isClosed = false

  /// Handles an event; must not wait for a response.
  var onEvent: (Event) -> Void = { _ in }

  /// Maximum length of a message from the browser.
  private static let largestMessage = 64 << 20

  /// Starts a browser with a new profile, which `close` deletes. Throws a `ProbeError` if it does not start.
  init(browser: String, arguments: [String], log: String) throws {
    // mkdtemp replaces the X with an unused name.
    var template = Array("/tmp/callqa-probe-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ProbeError("no folder for the browser's profile: \(Self.reason)")
    }
    profile = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var down: [Int32] = [0, 0]
    var up: [Int32] = [0, 0]
    guard pipe(&down) == 0, pipe(&up) == 0 else {
      throw ProbeError("no pipe to the browser: \(Self.reason)")
    }
    // Chromium reads from descriptor 3 and writes to 4: the pipes must not use these numbers before they are moved
    // there.
    let childRead = fcntl(down[0], F_DUPFD_CLOEXEC, 10)
    let childWrite = fcntl(up[1], F_DUPFD_CLOEXEC, 10)
    toBrowser = fcntl(down[1], F_DUPFD_CLOEXEC, 10)
    fromBrowser = fcntl(up[0], F_DUPFD_CLOEXEC, 10)
    (down + up).forEach { Glibc.close($0) }
    process = try Self.spawn(
      browser, arguments + ["--user-data-dir=\(profile)", "--remote-debugging-pipe", "about:blank"],
      childRead,
      childWrite, profile: profile, log: log)
    Glibc.close(childRead)
    Glibc.close(childWrite)
    _ = fcntl(fromBrowser, F_SETFL, O_NONBLOCK)
    _ = try call("Browser.getVersion", within: 30)
  }

  deinit { close() }

  /// Ends the browser and deletes its profile.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    kill(-process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    Glibc.close(toBrowser)
    Glibc.close(fromBrowser)
    // Processes that are still ending may hold files for a moment.
    for _ in 0..<20 {
      if (try? FileManager.default.removeItem(atPath: profile)) != nil { return }
      usleep(50_000)
    }
  }

  /// Sends a command without waiting for the response.
  @discardableResult
  func send(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) throws -> Int {
    var message: [String: JSONValue] = [
      "id": .number(Double(nextID)), "method": .string(method), "params": parameters,
    ]
    if let session { message["sessionId"] = .string(session) }
    defer { nextID += 1 }
    let bytes = try [UInt8](JSONEncoder().encode(JSONValue.object(message))) + [0]
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes {
        write(toBrowser, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      guard wrote > 0 else { throw ProbeError("the browser went away (see browser.log)") }
      done += wrote
    }
    return nextID
  }

  /// Sends a command and waits for the response, handling events meanwhile. Throws a `ProbeError` with the browser's
  /// message.
  @discardableResult
  func call(
    _ method: String, _ parameters: JSONValue = [:], session: String? = nil, within seconds: Double = 15
  ) throws -> JSONValue {
    let id = try send(method, parameters, session: session)
    awaited.insert(id)
    defer { awaited.remove(id) }
    try run(until: Self.now + seconds) { self.answers[id] != nil }
    guard let answer = answers.removeValue(forKey: id) else {
      throw ProbeError("the browser did not answer \(method) within \(Int(seconds)) s")
    }
    if let message = answer["error"]["message"].text { throw ProbeError("\(method): \(message)") }
    return answer["result"]
  }

  /// Evaluates JavaScript in a page, awaits a promise, and returns its value. Throws a `ProbeError` for an exception.
  func evaluate(_ script: String, session: String, within seconds: Double = 15) throws -> JSONValue {
    let answer = try call(
      "Runtime.evaluate",
      ["expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true],
      session: session, within: seconds)
    if case .object = answer["exceptionDetails"] {
      let details = answer["exceptionDetails"]
      let words = details["exception"]["description"].text ?? details["text"].text ?? "an exception"
      throw ProbeError("the page's script failed: \(words.split(separator: "\n").first ?? "")")
    }
    return answer["result"]["value"]
  }

  /// Handles events until a time (as `now`) or until the condition holds; returns whether it does.
  @discardableResult
  func run(until: Double, _ condition: () -> Bool) throws -> Bool {
    while true {
      if ProbeInterruption.signal != nil { throw ProbeInterrupted() }
      try handleMessages()
      if condition() { return true }
      let left = until - Self.now
      if left <= 0 { return false }
      var events = pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)
      if poll(&events, 1, Int32(min(left * 1000, 200)) + 1) > 0 { try fill() }
    }
  }

  /// Monotonic time, s.
  static var now: Double { MonotonicClock.nowSeconds }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = read(fromBrowser, &chunk, chunk.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { throw ProbeError("the browser ended by itself (see browser.log)") }
    pending += chunk[..<count]
    guard pending.count <= Self.largestMessage else {
      throw ProbeError("the browser sent a message without an end")
    }
  }

  private func handleMessages() throws {
    var begin = 0
    while let end = pending[max(begin, searched)...].firstIndex(of: 0) {
      let message = pending[begin..<end]
      begin = end + 1
      searched = begin
      guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(message)) else { continue }
      if let id = value["id"].number.map({ Int($0) }) {
        if awaited.contains(id) { answers[id] = value }
      } else if let method = value["method"].text {
        onEvent((method, value["params"], value["sessionId"].text))
      }
    }
    pending.removeFirst(begin)
    searched = pending.count
  }

  private static var reason: String { String(cString: strerror(errno)) }

  private static func spawn(
    _ browser: String, _ arguments: [String], _ childRead: Int32, _ childWrite: Int32, profile: String,
    log: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    posix_spawn_file_actions_adddup2(&actions, childRead, 3)
    posix_spawn_file_actions_adddup2(&actions, childWrite, 4)
    // A process group, so that all of the browser's processes can be ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var words = ([browser] + arguments).map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = []
    var entry = environ
    while let setting = entry.pointee {
      if strncmp(setting, "HOME=", 5) != 0 { settings.append(strdup(setting)) }
      entry += 1
    }
    settings += [strdup("HOME=\(profile)"), nil]
    defer { (words + settings).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, browser, &actions, &attributes, &words, &settings)
    guard code == 0 else { throw ProbeError("\(browser) does not start: \(String(cString: strerror(code)))") }
    return process
  }
}
