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
    var rest = name.map { $0[...] }
    let connection = Self.takeNumber(from: &rest, behind: Self.connectionWord)
    let number = Self.takeNumber(from: &rest, behind: Self.word)
    self.init(of: rest.map(String.init), number: number, connection: connection)
  }

  /// Takes a word with a number behind it from the end of a name, where it is a part by itself; nothing may be left.
  private static func takeNumber(from name: inout Substring?, behind word: String) -> Int {
    guard let text = name?.utf8, let last = text.last, last >= UInt8(ascii: "0"), last <= UInt8(ascii: "9")
    else {
      return 1
    }
    let digits = text.reversed().prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
    let before = text.dropLast(digits)
    guard before.count >= word.utf8.count, before.suffix(word.utf8.count).elementsEqual(word.utf8) else {
      return 1
    }
    let rest = before.dropLast(word.utf8.count)
    let isWhole = rest.isEmpty || rest.suffix(separator.utf8.count).elementsEqual(separator.utf8)
    guard isWhole, let number = Int(Substring(text.suffix(digits))), number > 1 else { return 1 }
    name = rest.isEmpty ? nil : Substring(rest.dropLast(separator.utf8.count))
    return number
  }

  private static let separator = ", "

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
