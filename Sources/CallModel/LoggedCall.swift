/// Which of the calls of one end a log's connection is: one log may tell of many, one after the other or side by side.
///
/// The first has the end's own name, the later ones a number behind it: `caller`, `caller, call 2`; `call 2` where the log
/// names no end. A connection that took the place of another one within a call has its own number behind that:
/// `caller, connection 2`, `caller, call 2, connection 3`.
public struct LoggedCall: Hashable, Sendable {
  /// The name of the connection or the end in the log, nil where it has none.
  public let end: String?
  /// Its place among the calls of this end in the log, from 1.
  public let number: Int
  /// Its place among the connections that this end had in the call, from 1.
  public let connection: Int

  private static let word = "call "
  private static let connectionWord = "connection "

  public init(of end: String?, number: Int, connection: Int = 1) {
    self.end = end
    self.number = number
    self.connection = connection
  }

  /// Reads a connection's name.
  public init(name: String?) {
    var parts = name.map { $0.split(separator: ", ", omittingEmptySubsequences: false) } ?? []
    let connection = Self.takeNumber(from: &parts, behind: Self.connectionWord)
    let number = Self.takeNumber(from: &parts, behind: Self.word)
    self.init(
      of: parts.isEmpty ? nil : parts.joined(separator: ", "), number: number, connection: connection)
  }

  private static func takeNumber(from parts: inout [Substring], behind word: String) -> Int {
    guard let last = parts.last, last.hasPrefix(word), let number = Int(last.dropFirst(word.count)),
      number > 1
    else { return 1 }
    parts.removeLast()
    return number
  }

  /// The same call, whichever of its connections.
  public var call: LoggedCall { LoggedCall(of: end, number: number) }

  /// The name of the connection.
  public var name: String? {
    var parts = end.map { [$0] } ?? []
    if number > 1 { parts.append(Self.word + String(number)) }
    if connection > 1 { parts.append(Self.connectionWord + String(connection)) }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
