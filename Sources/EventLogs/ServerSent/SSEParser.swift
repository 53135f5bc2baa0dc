/// Puts the lines of an event stream together to events, by WHATWG HTML 9.2.6.
struct SSEParser {
  /// One event as it was sent.
  struct Event {
    /// `message` where the stream named none.
    var name: String
    /// The id that the event itself carries.
    var id: String?
    /// The id of an earlier event, which still holds.
    var lastID: String?
    /// Lines of data put together; nil where there was none, so that a browser would not have been told.
    var data: [UInt8]?
    /// Line on which it began.
    var line: Int
  }

  /// Most data taken of one event.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  private var name: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var ownID: String?
  private var lastID: String?
  private var firstLine = 0
  private(set) var isTooLarge = false
  // Whether the log has empty lines: some loggers leave them out.
  private var hasBlanks = false

  /// Whether a line is a field of an event, and no word of someone else's.
  static func isField(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let name = line[..<(line.firstIndex(of: UInt8(ascii: ":")) ?? line.count)]
    return line.first == UInt8(ascii: ":") || fields.contains { matches(name, $0) }
  }

  private static let fields: [StaticString] = ["event", "data", "id", "retry"]

  /// Whether an event has begun and not ended.
  var isOpen: Bool { hasData || !name.isEmpty }
  /// Line on which the open event began.
  var openLine: Int { firstLine }

  /// The open event in a log without empty lines, where it is as whole as Pexip sends it, its name before its data: to be asked where
  /// the next one begins, or something else comes.
  mutating func endWithoutBlank() -> Event? {
    hasBlanks || !hasData || name.isEmpty ? nil : dispatch()
  }

  /// Takes a line; the event that it ends, if it ends one.
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

  /// A line of the open event, or of the next one, could not be read: the event is not whole.
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
