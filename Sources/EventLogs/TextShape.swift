import Bytes
import LogText

/// Recognises an SDK's text log by the events in its first lines.
enum TextShape {
  /// Whether the bytes are lines of text and not markup.
  static func isText(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
    guard let start = text.firstIndex(where: { $0 > UInt8(ascii: " ") }) else { return false }
    // Markup begins with an angle bracket followed by a letter or a punctuation mark; a syslog line has its
    // priority in angle brackets.
    if head[start] == UInt8(ascii: "<"), start + 1 >= head.count || !head[start + 1].isASCIIDigit {
      return false
    }
    return !head.prefix(4096).contains {
      $0 == 0
        || $0 < UInt8(ascii: " ")
          && ![UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x1B].contains($0)
    }
  }

  /// Whether the lines are about calls, as shown by statistics, an event of a run log, or events of an SDK:
  /// one event is enough if lines or events have times, three are needed if they have none.
  static func isAboutCalls(
    _ head: [UInt8], _ dialects: Dialects, isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    var signs = Signs(dialects)
    var lines = PartialLineJoiner(longestLine: head.count)
    var spread = MultilineJSONJoiner(longest: head.count)
    // Parts of lines in a container's log are joined in chronological order.
    var stamps = TextStamps()
    let split = head.lines()
    for line in ReversedLog.fall(Array(head.prefix(64 << 10)), &stamps) ? split.reversed() : split {
      line.withUnsafeBufferPointer { bytes in
        lines.take(bytes, number: 0, offset: 0) { line, _, _ in
          spread.take(line, number: 0, offset: 0) { line, _, _ in signs.see(line, isStatistics) }
        }
      }
      // Some programs print statistics over several lines in a form other than JSON, which is not joined.
      if signs.areEnough || line.withUnsafeBufferPointer(isStatistics) { return true }
    }
    spread.finish { line, _, _ in signs.see(line, isStatistics) }
    return signs.areEnough
  }

  /// What has been found so far.
  private struct Signs {
    private(set) var areEnough = false
    private let finder: TextLine
    private var split = TextStamps()
    private var clock = TextClock(writtenMs: 0)
    private var stamps = 0
    private var events = 0
    private var sentences: [RawEvent] = []
    private var open: [UInt8] = []

    init(_ dialects: Dialects) { finder = TextLine(dialects: dialects) }

    mutating func see(
      _ line: UnsafeBufferPointer<UInt8>, _ isStatistics: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
      let carried = UnwrappedLine(line, &split, finder)
      let message = carried.text
      if carried.stamp != nil { stamps += 1 }
      let event = RunLogLine.event(
        endingLine: message, line: 1, clock: &clock, isName: { finder.isName($0) })
      if event != nil
        || message.withUnsafeBufferPointer({
          JSONTail.find(in: $0).map(isStatistics) ?? false
        })
      {
        areEnough = true
        return
      }
      // An object may continue over several lines.
      let text =
        open.isEmpty ? Array(message.prefix(2000)) : open + [UInt8(ascii: "\n")] + message.prefix(2000)
      open = []
      switch finder.find(text[...]) {
      case .event(let event):
        let isSure = event.timeMs != nil || event.request != nil && Self.isTraced(message)
        events += event.specificity == .generic ? 0 : isSure ? 3 : 1
        if sentences.count < 64 { sentences.append(event) }
      case .openObject: if text.count < 8000 { open = text }
      case .nothing: break
      }
      areEnough = events >= (stamps > 0 ? 1 : 3) || Sentences.sdk(of: sentences) != nil
    }

    // In curl's output of what it sends, an SDK's path is the request itself.
    private static func isTraced(_ message: ArraySlice<UInt8>) -> Bool {
      message.starts(with: "> ".utf8) && ByteSearch.contains(" HTTP/", in: message.prefix(4096))
    }
  }
}
