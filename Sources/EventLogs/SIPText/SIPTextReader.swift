import Bytes
import CallModel
import IO
import LogText

extension SourceFormat {
  public static let sipText = SourceFormat(rawValue: "sip-text")
}

/// Reads the SIP messages that a telephone, a switch, a page or a sniffer printed as text, each below or behind a line
/// that has its time and says whether it was sent or received, or from where to where.
struct SIPTextReader {
  static let description = FormatDescription(
    .sipText, .lines,
    summary:
      "SIP messages as text: traces of Asterisk, FreeSWITCH, PJSIP, Linphone, JsSIP, SIP.js, baresip, ngrep and sngrep",
    recognisedBy: "a line that ends in SIP/2.0 or begins with it, headers below it, and a time before it",
    example:
      "10:00:00.427 pjsua_core.c .TX 910 bytes Request msg INVITE/cseq=1 (tdta0) to UDP 192.0.2.9:5060:")

  private let options: ReaderOptions
  private let sink: any RecordSink
  private let signalling: EventLogReader.Signalling

  init(sink: any RecordSink, options: ReaderOptions, signalling: @escaping EventLogReader.Signalling) {
    (self.sink, self.options, self.signalling) = (sink, options, signalling)
  }

  /// In the first line of each message (RFC 3261 section 7).
  static let version = "SIP/2.0"

  /// Whether a message whose time and way are known is in the first bytes.
  static func recognises(_ head: [UInt8]) -> Bool {
    guard ByteSearch.contains(version, in: head[...]) else { return false }
    var messages = SIPTextMessages(writtenMs: 0)
    for line in head.lines() {
      for part in SIPTextMessages.unescaped(Array(line)) where messages.take(part[...], number: 0) != nil {
        return true
      }
    }
    return messages.finish() != nil
  }

  /// Reads the source to its end. Throws any error of the source or the sink.
  func read(_ source: any ByteSource) throws {
    var messages = SIPTextMessages(writtenMs: options.writtenMs)
    var latestMs = -Double.infinity
    func pass(_ message: SignallingMessage?) throws {
      guard var message else { return }
      // Threads write out of order.
      latestMs = max(latestMs, message.timeMs)
      message.timeMs = latestMs
      try signalling(message)
    }
    try LineReader.each(of: source, longest: options.longestTextLine, for: sink) { bytes, number, _ in
      for line in SIPTextMessages.unescaped(Array(bytes)) {
        try pass(messages.take(line[...], number: number))
      }
    }
    try pass(messages.finish())
    for note in messages.notes { try sink.note(note) }
  }
}
