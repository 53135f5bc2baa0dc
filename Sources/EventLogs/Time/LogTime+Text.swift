import CallModel

extension LogTime {
  /// A moment as ISO 8601 writes it, in UTC, to the millisecond.
  static func text(ofMs ms: Double) -> String {
    let whole = min(max(ms.rounded(), 0), 4e15)
    let day = (whole / 86_400_000).rounded(.down)
    var rest = Int(whole - day * 86_400_000)
    let year = year(ofMs: whole)
    var days = Int(day) - CalendarDate.daysSinceEpoch(year, 1, 1)
    var month = 1
    while month < 12 {
      let length =
        CalendarDate.daysSinceEpoch(year, month + 1, 1) - CalendarDate.daysSinceEpoch(year, month, 1)
      if days < length { break }
      days -= length
      month += 1
    }
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let milliseconds = rest % 1000
    rest /= 1000
    return
      "\(padded(year, 4))-\(padded(month, 2))-\(padded(days + 1, 2))T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2))"
      + ":\(padded(rest % 60, 2)).\(padded(milliseconds, 3))Z"
  }
}
