import Bytes

/// A line of text in the object of another logger: docker's `{"log": …, "time": …}`, `{"message": …, "timestamp": …}`, `{"msg": …}`.
enum WrappedLine {
  private static let names = ["log", "message", "msg", "line"]

  /// The time of the object and the line inside, nil where it wraps none.
  static func inside(_ line: ArraySlice<UInt8>) -> (stamp: LogTime.Stamp?, line: [UInt8])? {
    guard line.first(where: { $0 > 0x20 }) == 0x7B,
      let members = line.withUnsafeBufferPointer({ try? LogArguments(object: $0) })
    else { return nil }
    for name in names {
      guard let json = members.members.first(where: { Dialect.normal($0.name) == name })?.json,
        json.utf8.first == 0x22, let text = LogArguments.plain(json)
      else { continue }
      var inner = Array(text.utf8)
      while let last = inner.last, last == 0x0A || last == 0x0D { inner.removeLast() }
      return (RunLogLine.stamp(of: members), inner)
    }
    // Its time counts, whatever else it tells.
    return RunLogLine.stamp(of: members).map { ($0, Array(line)) }
  }

  /// The event of a run log that stands behind something else in a line: a collector's time, a host, a file.
  static func event(
    in message: ArraySlice<UInt8>, line: Int, clock: inout TextClock
  ) -> RawEvent? {
    guard let start = message.firstIndex(of: 0x7B), message.last(where: { $0 > 0x20 }) == 0x7D else {
      return nil
    }
    let event = message[start...].withUnsafeBufferPointer { bytes -> RawEvent? in
      guard RunLogLine.mayBeEvent(bytes) else { return nil }
      return (try? RunLogLine.event(bytes, line: line, clock: &clock)) ?? nil
    }
    // Without a time or an SDK of its own, it may be the argument of a callback.
    guard let event, event.timeMs != nil || event.sdk != nil else { return nil }
    return event
  }
}
