import Bytes

/// What a logger puts beside a message that is a name and nothing else: `{"msg":"onStatusChanged","status":"BUSY"}`. Such members are the
/// arguments of the callback (pino, winston, bunyan, Serilog).
enum LoggedMembers {
  /// Most words of such a message, and the longest.
  private static let mostWords = 4
  private static let longest = 64
  /// What loggers say of themselves, of the line and of the process.
  private static let own: Set = [
    "log", "eventmessage", "@m", "m", "mt", "renderedmessage", "message", "messagetemplate", "msg", "line",
    "textpayload", "raw", "shortmessage", "text",
    "ts", "t", "time", "timestamp", "date", "datetime", "instant", "realtimetimestamp", "receivetimestamp",
    "level", "levelname", "levelvalue", "levelno", "severity", "priority", "l", "i", "r", "v", "version",
    "pid", "processid", "process", "tid", "threadid", "thread", "threadname", "hostname", "host", "container",
    "containerid", "containername", "logger", "loggername", "name", "label", "service", "app", "application",
    "stream", "source", "sourcetype", "index", "tag", "filename", "function", "lineno", "caller", "module",
    "subsystem", "category", "senderimagepath", "processimagepath", "machtimestamp", "traceid", "spanid",
    "insertid", "logname", "resource", "kubernetes", "environment", "env",
  ]

  /// The message with what stands beside it behind it, as a callback has its arguments; nil where it is no bare name, or nothing does.
  static func added(to message: [UInt8], of line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard isBare(message), let members = try? LogArguments(object: line) else { return nil }
    var beside = LogArguments()
    for member in members.members where !own.contains(member.normal) {
      beside.add(member.name, json: member.json)
    }
    guard !beside.isEmpty else { return nil }
    return message + Array(": \(beside.object)".utf8)
  }

  // A name (`onStatusChanged`, `Call.onBusy`), or a few plain words (`Call status changed`); a name with anything behind it has arguments
  // of its own.
  private static func isBare(_ message: [UInt8]) -> Bool {
    guard message.count <= longest, message.first?.isASCIILetter == true, message.last?.isASCIIWord == true
    else { return false }
    let words = message.split(separator: UInt8(ascii: " "))
    if words.count == 1 { return message.allSatisfy { $0.isASCIIWord || $0 == UInt8(ascii: ".") } }
    return words.count <= mostWords
      && words.allSatisfy { word in word.dropFirst().allSatisfy(\.isASCIISmall) }
      && words.dropFirst().allSatisfy { word in word.allSatisfy(\.isASCIISmall) }
  }
}
