import Bytes
import CallModel
import LogText
import Redaction

/// Removes numbers from what people say to each other. Card numbers, accounts and codes are typed into chats
/// and read out, and say nothing about the quality of a call.
enum NumbersInSpeech {
  private static let events: Set<EventName> = [
    .appMessage, .appMessageSent, .appMessageFailed, .appTopicUpdated, .conferenceMessage,
    .conferenceCaptions,
  ]
  // Names of members whose numbers are not spoken, and endings of such names.
  private static let names: Set<String> = ["at", "to", "from", "ts", "seq"]
  private static let endings = [
    "id", "uuid", "guid", "time", "timestamp", "timems", "date", "type", "sequence", "version", "sender",
    "recipient",
    "address", "uri", "origin",
  ]
  /// The minimum number of digits that are hidden.
  private static let fewest = 4
  /// The maximum depth of nested objects. Deeper ones are hidden entirely.
  private static let deepest = 8

  /// Whether an event carries what people say.
  static func mayStand(in event: EventName) -> Bool { events.contains(event) }

  /// Returns arguments without the numbers in their texts.
  static func hidden(in arguments: LogArguments) -> LogArguments {
    var clean = arguments
    let parted = partedNumbers(arguments)
    clean.mapValues { name, json in
      if parted.contains(name) { return "\"\(Redactor.mark)\"" }
      return isKept(name) ? json : hidden(in: json, isPlace: Int(name) != nil, depth: 0)
    }
    return clean
  }

  /// Words of a line, by position, that together form one number: `+43`, `(660)`, `555-1111`.
  private static func partedNumbers(_ arguments: LogArguments) -> Set<String> {
    var found: Set<String> = []
    var run: (names: [String], digits: Int) = ([], 0)
    func close() {
      if run.names.count > 1, run.digits >= fewest { found.formUnion(run.names) }
      run = ([], 0)
    }
    for member in arguments.members {
      let text = LogArguments.plain(member.json) ?? member.json
      let digits = text.utf8.count(where: \.isASCIIDigit)
      let isNumber = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "+") || marks.contains($0) }
      if Int(member.name) == nil || digits == 0 || !isNumber {
        close()
      } else {
        run.names.append(member.name)
        run.digits += digits
      }
    }
    close()
    return found
  }

  private static func isKept(_ name: String) -> Bool {
    let name = LogName.normal(name)
    return names.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  private static func hidden(in json: String, isPlace: Bool, depth: Int) -> String {
    switch json.utf8.first {
    case UInt8(ascii: "\""):
      guard let text = LogArguments.plain(json), let clean = withoutNumbers(text) else { return json }
      var out = ByteWriter()
      out.append(json: clean)
      return out.string
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < deepest else { return "\"\(Redactor.mark)\"" }
      return inside(json, depth)
    // In a word of a text line, any number is hidden. A named number is kept, unless it is as long as that of
    // a card.
    default:
      let digits = json.utf8.count(where: \.isASCIIDigit)
      return digits >= (isPlace ? fewest : 15) && digits == json.utf8.count ? "\"\(Redactor.mark)\"" : json
    }
  }

  private static func inside(_ json: String, _ depth: Int) -> String {
    var json = json
    let isObject = json.utf8.first == UInt8(ascii: "{")
    let members = json.withUTF8 { isObject ? try? LogArguments(object: $0) : try? LogArguments(array: $0) }
    guard var members else { return "\"\(Redactor.mark)\"" }
    members.mapValues { name, json in
      isObject && isKept(name) ? json : hidden(in: json, isPlace: false, depth: depth + 1)
    }
    return isObject ? members.object : "[" + members.members.map(\.json).joined(separator: ",") + "]"
  }

  // Hides separate groups of digits, with few punctuation marks between them; nil if there are none.
  private static func withoutNumbers(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var kept = 0
    var at = 0
    while at < bytes.count {
      guard bytes[at].isASCIIDigit, at == 0 || !bytes[at - 1].isASCIIWord else {
        at += 1
        continue
      }
      let (end, digits) = run(from: at, in: bytes)
      if digits >= fewest, end == bytes.count || !bytes[end].isASCIIWord {
        out += bytes[kept..<at] + Array(Redactor.mark.utf8)
        kept = end
      }
      at = end
    }
    return kept == 0 ? nil : String(decoding: out + bytes[kept...], as: UTF8.self)
  }

  // The punctuation marks between the digits of a number, and the maximum number in a row: `+43 (660)
  // 555-1111`.
  private static let marks = Set(" -()./".utf8)
  private static let maxMarks = 2

  private static func run(from start: Int, in bytes: [UInt8]) -> (end: Int, digits: Int) {
    var (end, digits, marked) = (start, 0, 0)
    for at in start..<bytes.count {
      if bytes[at].isASCIIDigit {
        (end, digits, marked) = (at + 1, digits + 1, 0)
      } else if marks.contains(bytes[at]), marked < maxMarks {
        marked += 1
      } else {
        break
      }
    }
    return (end, digits)
  }
}
