import FoundationEssentials
import Glibc
import IO

/// How messages are told apart in what is sent and received.
protocol MessageFraming {
  /// A message as it is sent.
  func framed(_ message: [UInt8]) -> [UInt8]
  /// Takes the complete messages out of what was received.
  mutating func takeMessages(from received: inout [UInt8]) -> [[UInt8]]
}

/// Messages from and to a browser, in JSON: commands with ids, their answers, and events. The DevTools protocol and
/// WebDriver BiDi both have them. For one thread.
final class BrowserConnection {
  /// An event of the browser: method, parameters, and the session (of the DevTools protocol alone).
  typealias Event = (method: String, parameters: JSONValue, session: String?)

  /// Handles an event; must not wait for a response.
  var onEvent: (Event) -> Void = { _ in }

  /// The browser's name, for people.
  private let name: String
  fileprivate let input: Int32
  private let output: Int32
  private let loop: BrowserLoop
  private var framing: any MessageFraming
  private var nextID = 1
  private var received: [UInt8] = []
  private var answers: [Int: JSONValue] = [:]
  private var awaited: Set<Int> = []

  /// Maximum length of a message from the browser.
  private static let largestMessage = 64 << 20

  /// Takes over descriptors, which may be one.
  init(to name: String, input: Int32, output: Int32, framing: any MessageFraming, loop: BrowserLoop) {
    (self.name, self.input, self.output, self.framing, self.loop) = (name, input, output, framing, loop)
    loop.connections.append(self)
  }

  func close() {
    guard let index = loop.connections.firstIndex(where: { $0 === self }) else { return }
    loop.connections.remove(at: index)
    for descriptor in Set([input, output]) { Glibc.close(descriptor) }
  }

  /// Sends a command without waiting for the response.
  @discardableResult
  func send(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) throws -> Int {
    var message: [String: JSONValue] = [
      "id": .number(Double(nextID)), "method": .string(method), "params": parameters,
    ]
    if let session { message["sessionId"] = .string(session) }
    defer { nextID += 1 }
    let bytes = framing.framed([UInt8](try JSONEncoder().encode(JSONValue.object(message))))
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes {
        write(output, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      guard wrote > 0 else { throw ProbeError("\(name) went away (see browser.log)") }
      done += wrote
    }
    return nextID
  }

  /// Sends a command and waits for the response, handling events of all browsers meanwhile. Throws a `ProbeError` with
  /// the browser's message.
  @discardableResult
  func call(
    _ method: String, _ parameters: JSONValue = [:], session: String? = nil, within seconds: Double = 15
  ) throws -> JSONValue {
    let id = try send(method, parameters, session: session)
    awaited.insert(id)
    defer { awaited.remove(id) }
    try loop.run(until: MonotonicClock.nowSeconds + seconds) { self.answers[id] != nil }
    guard let answer = answers.removeValue(forKey: id) else {
      throw ProbeError("\(name) did not answer \(method) within \(Int(seconds)) s")
    }
    if answer["error"] != .null {
      let words = answer["error"]["message"].text ?? answer["message"].text ?? "an error"
      throw ProbeError("\(method): \(words)")
    }
    return answer["result"]
  }

  fileprivate func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = read(input, &chunk, chunk.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { throw ProbeError("\(name) ended by itself (see browser.log)") }
    received += chunk[..<count]
    guard received.count <= Self.largestMessage else {
      throw ProbeError("\(name) sent a message without an end")
    }
  }

  fileprivate func handleMessages() {
    for message in framing.takeMessages(from: &received) {
      guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(message)) else { continue }
      if let id = value["id"].number.map({ Int($0) }) {
        if awaited.contains(id) { answers[id] = value }
      } else if let method = value["method"].text {
        onEvent((method, value["params"], value["sessionId"].text))
      }
    }
  }
}

/// Waits for messages of all browsers of a call: what a page of one does may need a page of another. For one thread.
final class BrowserLoop {
  fileprivate var connections: [BrowserConnection] = []

  /// Handles events until a time (of `MonotonicClock`) or until the condition holds; returns whether it does.
  @discardableResult
  func run(until: Double, _ condition: () -> Bool) throws -> Bool {
    while true {
      if ProbeInterruption.signal != nil { throw ProbeInterrupted() }
      for connection in connections { connection.handleMessages() }
      if condition() { return true }
      let left = until - MonotonicClock.nowSeconds
      if left <= 0 { return false }
      var events = connections.map { pollfd(fd: $0.input, events: Int16(POLLIN), revents: 0) }
      guard poll(&events, nfds_t(events.count), Int32(min(left * 1000, 200)) + 1) > 0 else { continue }
      for (event, connection) in zip(events, connections) where event.revents != 0 { try connection.fill() }
    }
  }
}
