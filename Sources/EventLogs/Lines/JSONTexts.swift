import Bytes
import LogText

/// The strings in a line that is a JSON object of unknown origin. An SDK's event is within one of them, and
/// the JSON after that string is not part of it.
struct JSONTexts {
  private let line: ArraySlice<UInt8>
  /// The maximum number of strings examined per line.
  private static let most = 64

  /// Fails if the line is not a JSON object.
  init?(of line: ArraySlice<UInt8>) {
    guard line.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else { return nil }
    let isObject = line.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
    }
    guard isObject else { return nil }
    self.line = line
  }

  /// Returns the first event found in one of the strings. If a string is only a name, the other members are
  /// its arguments; if the name is that of a member, the member's value is its argument.
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

  // Appends the other members to a name, as a callback has its arguments.
  private static func call(_ name: String, without own: String, _ members: LogArguments) -> ArraySlice<UInt8>
  {
    var others = LogArguments()
    for member in members.members where member.name != own { others.add(member.name, json: member.json) }
    return Array("\(name): \(others.flattened.object)".utf8)[...]
  }

  private static func text(_ member: LogArguments.Member) -> String? {
    member.json.first == "\"" ? LogArguments.plain(member.json) : nil
  }
}

extension LogArguments {
  // Members in which bridges, emitters and loggers put all arguments of an event.
  private static let holders: Set = ["arguments", "args", "data", "payload", "params", "detail", "body"]

  /// The arguments, with those that are together in one member as members of their own.
  var flattened: LogArguments {
    var found = LogArguments()
    for member in members {
      if let inner = Self.inner(of: member) {
        for argument in inner.members { found.add(argument.name, json: argument.json) }
      } else {
        found.add(member.name, json: member.json)
      }
    }
    return found
  }

  private static func inner(of member: Member) -> LogArguments? {
    guard holders.contains(member.normal), let first = member.json.first, "{[".contains(first) else {
      return nil
    }
    var json = member.json
    return json.withUTF8 { bytes in
      first == "{" ? try? LogArguments(object: bytes) : try? LogArguments(array: bytes)
    }
  }
}
