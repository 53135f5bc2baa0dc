import Bytes
import EventLogs
import IO

/// A form that is proposed for a table of figures.
public struct FormProposal {
  /// The form as JSON.
  public let form: String
  /// What is unsure, a sentence each.
  public let unsure: [String]
  /// Form and doubts as one JSON object.
  public let json: String

  /// Guesses the form of a file by its beginning; nil if it has no figure. Throws `BytesError`.
  public init?(ofFile path: String) throws {
    let head = HeadedSource(try InputFile(RawPath(path)), count: Self.bytesTried)
    if let error = head.headError { throw error }
    let text = UTF16Bytes(head, head: head.head).map { HeadedSource($0, count: Self.bytesTried) } ?? head
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let bare = name.prefix { $0 != "." }
    guard let guess = text.head.withUnsafeBufferPointer({ FormGuess($0, name: String(bare).lowercased()) })
    else {
      return nil
    }
    form = guess.form
    unsure = guess.unsure.map { $0.of.isEmpty ? $0.why : "\($0.of): \($0.why)" }
    var json = ByteWriter()
    json.append("{\"form\":\(guess.form),\"unsure\":[")
    for (index, doubt) in guess.unsure.enumerated() {
      if index > 0 { json.append(",") }
      json.append("{\"of\":")
      json.append(json: doubt.of)
      json.append(",\"why\":")
      json.append(json: doubt.why)
      json.append("}")
    }
    json.append("]}")
    self.json = json.string
  }

  private static let bytesTried = 256 << 10
}
