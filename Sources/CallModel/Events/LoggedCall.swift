/// Which call of which end a log's connection belongs to: one log may cover several calls, in sequence or in
/// parallel.
///
/// The first call has the name of the end, later ones add a number: `caller`, `caller, call 2`; `call 2` if
/// the log does not name the end. A connection that replaced another within a call adds its own number:
/// `caller, connection 2`, `caller, call 2, connection 3`.
public struct LoggedCall: Hashable, Sendable {
  /// The name of the connection or the end in the log; nil if it has none.
  public let end: String?
  /// Index of the call among those of this end in the log, from 1.
  public let number: Int
  /// Index of the connection among those of this end in the call, from 1.
  public let connection: Int

  private static let word = "call "
  private static let connectionWord = "connection "

  public init(of end: String?, number: Int, connection: Int = 1) {
    self.end = end
    self.number = number
    self.connection = connection
  }

  /// Parses the name of a connection.
  public init(name: String?) {
    var rest = name.map { $0[...] }
    let connection = Self.takeNumber(from: &rest, behind: Self.connectionWord)
    let number = Self.takeNumber(from: &rest, behind: Self.word)
    self.init(of: rest.map(String.init), number: number, connection: connection)
  }

  /// Removes a suffix of a word and a number from a name; the suffix may be the whole name.
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

  /// The same call, without the number of the connection.
  public var call: LoggedCall { LoggedCall(of: end, number: number) }

  /// The name of the connection.
  public var name: String? {
    var parts = end.map { [$0] } ?? []
    if number > 1 { parts.append(Self.word + String(number)) }
    if connection > 1 { parts.append(Self.connectionWord + String(connection)) }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
