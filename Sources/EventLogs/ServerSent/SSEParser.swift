/// Assembles the lines of an event stream into events, according to WHATWG HTML 9.2.6.
struct SSEParser {
  /// An event as it was sent.
  struct Event {
    /// The name; `message` if the stream named none.
    var name: String
    /// The id in the event itself.
    var id: String?
    /// The id of an earlier event, which still applies.
    var lastID: String?
    /// The joined lines of data; nil if there were none, in which case a browser would not dispatch the
    /// event.
    var data: [UInt8]?
    /// The line on which it began.
    var line: Int
  }

  /// The maximum number of bytes of data per event.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  private var name: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var ownID: String?
  private var lastID: String?
  private var firstLine = 0
  private(set) var isTooLarge = false
  // Whether the log has empty lines. Some loggers leave them out.
  private var hasBlanks = false

  /// Whether a line is a field of an event, and not the text of another program.
  static func isField(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = line[..<(line.firstIndex(of: UInt8(ascii: ":")) ?? line.count)]
    return line.first == UInt8(ascii: ":") || fields.contains { matches(name, $0) }
  }

  private static let fields: [StaticString] = ["event", "data", "id", "retry"]

  /// Whether an event has begun and not ended.
  var isOpen: Bool { hasData || !name.isEmpty }
  /// The line on which the open event began.
  var openLine: Int { firstLine }

  /// Returns the open event in a log without empty lines, if it is complete in the form that Pexip sends,
  /// name before data. Call this when the next event begins or something else follows.
  mutating func endWithoutBlank() -> Event? {
    hasBlanks || !hasData || name.isEmpty ? nil : dispatch()
  }

  /// Takes a line, and returns the event that it ends, if any.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>, number: Int) -> Event? {
    if line.isEmpty {
      hasBlanks = true
      return dispatch()
    }
    if line[0] == UInt8(ascii: ":") { return nil }
    if !isOpen { firstLine = number }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let field = line[..<(colon ?? line.count)]
    var value = colon.map { line[($0 + 1)...] } ?? line[line.count...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if Self.matches(field, "data") {
      hasData = true
      if data.count + value.count < limit {
        data.append(contentsOf: value)
        data.append(UInt8(ascii: "\n"))
      } else {
        isTooLarge = true
      }
    } else if Self.matches(field, "event") {
      name = Array(value.prefix(1024))
    } else if Self.matches(field, "id"), !value.contains(0) {
      ownID = String(decoding: value.prefix(1024), as: UTF8.self)
      lastID = ownID
    }
    return nil
  }

  /// Records that a line of the open event, or of the next one, could not be read, so that the event is
  /// incomplete.
  mutating func lose(line number: Int) {
    if !isOpen { firstLine = number }
    hasData = true
    isTooLarge = true
  }

  private mutating func dispatch() -> Event? {
    defer {
      name = []
      data.removeAll(keepingCapacity: data.count < 1 << 20)
      hasData = false
      ownID = nil
      isTooLarge = false
    }
    guard isOpen, !isTooLarge else { return nil }
    if hasData { data.removeLast() }
    return Event(
      name: name.isEmpty ? "message" : String(decoding: name, as: UTF8.self), id: ownID,
      lastID: ownID == nil ? lastID : nil, data: hasData ? data : nil, line: firstLine)
  }

  private static func matches(_ field: Slice<UnsafeBufferPointer<UInt8>>, _ word: StaticString) -> Bool {
    guard field.count == word.utf8CodeUnitCount else { return false }
    for (index, byte) in field.enumerated() where byte != word.utf8Start[index] { return false }
    return true
  }
}
