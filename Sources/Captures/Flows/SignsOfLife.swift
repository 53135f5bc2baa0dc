/// When an end was heard of while none of its media passed: what tells a sender who pauses from a way that is broken.
struct SignsOfLife {
  /// Media is silent after so long, and signs are kept so far apart, ns.
  private static let apartNs: Int64 = 500_000_000
  /// Most that are kept: half a day of silence.
  static let most = 100_000

  private(set) var times: [Int64] = []
  private var lookedNs: Int64 = .min

  /// Whether it is time to look again; the last packet of media need not be looked for before.
  mutating func isDue(at timeNs: Int64) -> Bool {
    guard times.count < Self.most, lookedNs == .min || timeNs &- lookedNs >= Self.apartNs else {
      return false
    }
    lookedNs = timeNs
    return true
  }

  /// Takes a sign, and when media last passed.
  mutating func take(_ timeNs: Int64, lastMediaNs: Int64) {
    if timeNs &- lastMediaNs >= Self.apartNs { times.append(timeNs) }
  }
}

extension Path {
  /// Notes that an end sent something beside media: a check, an answer to one, a report.
  func isAlive(_ end: Int, at timeNs: Int64) {
    guard self[end].signs.isDue(at: timeNs),
      let last = media.lazy.filter({ $0.sender == end && $0.role == .media }).map(\.lastNs).max()
    else { return }
    self[end].signs.take(timeNs, lastMediaNs: last)
  }
}
