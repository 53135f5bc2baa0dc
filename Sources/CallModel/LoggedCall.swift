/// Which of the calls of one end a log's connection is: one log may tell of many, one after the other or side by side.
///
/// The first has the end's own name, the later ones a number behind it: `caller`, `caller, call 2`; `call 2` where the log
/// names no end.
public struct LoggedCall: Hashable, Sendable {
  /// The name of the connection or the end in the log, nil where it has none.
  public let end: String?
  /// Its place among the calls of this end in the log, from 1.
  public let number: Int

  private static let word = "call "

  public init(of end: String?, number: Int) {
    self.end = end
    self.number = number
  }

  /// Reads a connection's name.
  public init(name: String?) {
    let parts = name.map { $0.split(separator: ", ", omittingEmptySubsequences: false) } ?? []
    guard let last = parts.last, last.hasPrefix(Self.word), let number = Int(last.dropFirst(Self.word.count)),
      number > 1
    else {
      self.init(of: name, number: 1)
      return
    }
    self.init(of: parts.count > 1 ? parts.dropLast().joined(separator: ", ") : nil, number: number)
  }

  /// The name of the connection.
  public var name: String? {
    guard number > 1 else { return end }
    return (end.map { $0 + ", " } ?? "") + Self.word + String(number)
  }
}
