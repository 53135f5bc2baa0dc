import Bytes

/// The time that was read last, as it was written: most reports of a snapshot have the same.
final class RepeatedTime {
  private var written = KeptBytes()
  private var time: Double?
  /// Whether any did not say in which zone it is.
  private(set) var lacksZone = false

  /// Reads a report's time as `ReportTime` does.
  func read(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    let start = scanner.position
    if let place = written.bytes.baseAddress, scanner.pass(place, written.count) {
      // A number that only begins like that one is another one.
      if scanner.isAtMark() { return time }
      scanner.position = start
    }
    if !lacksZone, try scanner.peek() == .string {
      var ahead = scanner
      lacksZone = try ReportTime.lacksZone(ahead.string().decoded())
    }
    let read = try ReportTime.readOfReport(&scanner)
    written.set(UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position]))
    time = read
    return read
  }
}
