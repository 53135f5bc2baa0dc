import Bytes

/// What the first bytes of a source tell of the unit of its reports' own clock, where a number may be seconds since 1970 as well
/// as milliseconds since a machine was switched on (mediasoup): by how far its times are apart.
enum ClockUnit {
  /// Polls are not further apart in seconds, and not nearer in milliseconds.
  private static let apart = 300.0
  /// So many times tell.
  private static let mostTimes = 4096
  /// Reports of one poll are a little apart too; of so many times as many small steps, the large ones are pauses.
  private static let mostSmall = 4

  /// Milliseconds a unit, nil where the times can be of one kind only, or do not tell.
  static func ms(inHead head: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let times = times(in: head) else { return nil }
    let sorted = Set(times).sorted()
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    guard !steps.isEmpty else { return nil }
    let large = steps.count { $0 >= apart }
    return large > 0 && large * mostSmall >= steps.count - large ? 1 : 1000
  }

  /// The times of reports, nil where one of them is no such number.
  private static func times(in head: UnsafeBufferPointer<UInt8>) -> [Double]? {
    var times: [Double] = []
    var rest = head[...]
    let name: StaticString = "\"timestamp\""
    while times.count < mostTimes, let place = ByteSearch.find(name, in: UnsafeBufferPointer(rebasing: rest))
    {
      rest = rest.dropFirst(place + name.utf8CodeUnitCount)
      let value = rest.drop { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
      let digits = value.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
      // One that the head cuts off says nothing.
      guard digits.endIndex < head.endIndex, !digits.isEmpty else { continue }
      guard let time = Double(String(decoding: digits, as: UTF8.self)), ReportTime.seconds.contains(time)
      else {
        return nil
      }
      times.append(time)
    }
    return times
  }
}
