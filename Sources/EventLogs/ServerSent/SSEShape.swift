import Bytes

/// Tells an event stream by the shape of its first lines.
enum SSEShape {
  /// Whether the lines are fields of an event stream, with or without stamps, or a curl trace of one.
  static func isStream(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var stamp = SSEStamp()
    var fields = 0
    var named = false
    var others = 0
    var isCurl = false
    var trace = CurlTrace(longestLine: 32 << 10)
    let source = MemoryBytes(Array(head.prefix(32 << 10)))
    var lines = SSELines(source, longest: 32 << 10, chunk: 4096)
    var goesOn = true
    var seen = 0
    while goesOn, seen < 200 {
      let more = try? lines.next { line, number, isWhole in
        seen = number
        guard isWhole || fields == 0 else { return }
        if ByteSearch.find("text/event-stream", in: line) != nil { isCurl = true }
        guard var rest = stamp.strip(line), !rest.isEmpty else { return }
        if let found = trace.take(rest) {
          for line in found.lines where found.section == .receivedData && line.first != UInt8(ascii: ":") {
            if line.withUnsafeBufferPointer(SSEParser.isField) { fields += 1 }
          }
          return
        }
        if number == 1, rest.starts(with: [0xEF, 0xBB, 0xBF]) {
          rest = UnsafeBufferPointer(rebasing: rest[3...])
        }
        guard let first = rest.first, first != UInt8(ascii: ":") else { return }
        let field = String(decoding: rest.prefix(8).prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        // A name has no data behind it: that is a line of text for each event.
        let isText = field == "event" && ByteSearch.find(" data", in: rest) != nil
        if !isText, ["event", "data", "id", "retry"].contains(field) { fields += 1 } else { others += 1 }
        if field == "event", !isText { named = true }
      }
      goesOn = more ?? false
    }
    if isCurl { return fields > 0 || named || others == 0 }
    return named && fields >= 2 && others <= fields
  }
}
