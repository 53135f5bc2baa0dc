import Bytes
import LogText

/// The texts in a line that is one JSON object of nobody knows whom: an SDK's word stands within one of them, and what follows it in the JSON is not
/// the text's.
struct JSONTexts {
  private let line: ArraySlice<UInt8>
  /// Most texts of one line that are looked at.
  private static let most = 64

  /// Nil where the line is no JSON object.
  init?(of line: ArraySlice<UInt8>) {
    guard line.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else { return nil }
    let isObject = line.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
    }
    guard isObject else { return nil }
    self.line = line
  }

  /// What the first of them tells. Beside a name alone, the other members are its arguments; of a name that is a member's, its value.
  func first(_ find: (ArraySlice<UInt8>) -> RawEvent?) -> RawEvent? {
    line.withUnsafeBufferPointer { bytes in
      guard let members = try? LogArguments(object: bytes) else { return nil }
      for member in members.members.prefix(Self.most) {
        if let text = Self.text(member), let event = find(Array(text.utf8)[...]) {
          return text == event.raw ? find(Self.call(text, without: member.name, members)) ?? event : event
        }
        if member.name.utf8.count >= 6, find(Array(member.name.utf8)[...])?.raw == member.name {
          return find(Array("\(member.name): \(member.json)".utf8)[...])
        }
      }
      return nil
    }
  }

  // A name with the other members behind it, as a callback has its arguments.
  private static func call(_ name: String, without own: String, _ members: LogArguments) -> ArraySlice<UInt8>
  {
    var others = LogArguments()
    for member in members.members where member.name != own { others.add(member.name, json: member.json) }
    return Array("\(name): \(others.object)".utf8)[...]
  }

  private static func text(_ member: LogArguments.Member) -> String? {
    member.json.first == "\"" ? LogArguments.plain(member.json) : nil
  }
}
