import Bytes
import CallModel
import IO
import LogText

/// Logs in reverse order, newest line first, as Loki, Datadog and Kibana export them by default. They are
/// read from the end.
enum ReversedLog {
  private static let note =
    "the newest line comes first: read from the last line to the first, and lines are counted in that order"

  /// The lines of a source in chronological order.
  static func reordered(_ source: any ByteSource, noting sink: any RecordSink) throws -> any ByteSource {
    let headed = source as? HeadedSource ?? HeadedSource(source)
    headed.widen(to: HeadedSource.usual)
    var stamps = TextStamps()
    guard fall(headed.head, &stamps) else { return headed }
    try sink.note(note)
    return BackwardRecords(headed) { line in moment(line, &stamps) != nil }
  }

  /// Whether the times of the lines decrease, with almost no exception.
  static func fall(_ head: [UInt8], _ stamps: inout TextStamps) -> Bool {
    var falls = 0
    var rises = 0
    var before: Moment?
    let lines = head.lines()
    var left = lines.count
    for line in lines {
      // To read the times of all lines took a fortieth of an import of many short files.
      if falls + left < 2 || falls + left <= 4 * rises { return false }
      left -= 1
      guard let moment = line.withUnsafeBufferPointer({ moment($0, &stamps) }) else { continue }
      if let before, before.kind == moment.kind {
        if moment.ms < before.ms { falls += 1 }
        if moment.ms > before.ms { rises += 1 }
      }
      before = moment
    }
    // A clock adjustment or midnight accounts for one step back.
    return falls >= 2 && falls > 4 * rises
  }

  /// A time that can be compared with others of the same kind.
  private struct Moment {
    enum Kind { case whole, ofYear, ofDay }
    var kind: Kind
    var ms: Double
  }

  private static func moment(_ line: UnsafeBufferPointer<UInt8>, _ stamps: inout TextStamps) -> Moment? {
    let around = WrappedLine.inside(line)
    let text = around?.line?[...] ?? Array(line.prefix(longest))[...]
    guard let stamp = stamps.split(text).0 ?? around?.stamp else { return nil }
    if let date = stamp.date { return Moment(kind: .whole, ms: date.zoned ?? date.localMs) }
    guard let dayMs = stamp.dayMs else { return nil }
    if let (first, second, year) = stamp.either {
      // Within a month, the order is right whichever of the two numbers is the day.
      return Moment(kind: .whole, ms: Double((year * 32 + second) * 32 + first) * 86_400_000 + dayMs)
    }
    guard let (month, day) = stamp.monthDay else { return Moment(kind: .ofDay, ms: dayMs) }
    return Moment(kind: .ofYear, ms: Double(month * 32 + day) * 86_400_000 + dayMs)
  }

  // A timestamp is near the start of its line.
  private static let longest = 256
}
