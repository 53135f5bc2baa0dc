import CallModel

/// Whether the far end has closed the connection: the state of DTLS goes to `closed` when its close_notify comes
/// (RFC 5246 7.2.1), at once and while the path may still look well.
struct Closing {
  private var firstMs: Double?
  /// When the connection was first seen to be closed; nil while it is open, or only one report says so. An end may have
  /// several connections, which report by turns.
  private(set) var sinceMs: Double?

  /// Whether media came while it was said to be closed: then that is believed no more until it was said to be open.
  private var isContradicted = false

  /// Takes the next instant of the path.
  mutating func see(_ sample: TransportSample) {
    guard let state = sample.dtlsState else { return }
    guard state == "closed" else {
      self = Closing()
      return
    }
    guard !isContradicted else { return }
    let first = firstMs ?? sample.timeMs
    firstMs = first
    if sample.timeMs - first > ReportWatch.pollMs { sinceMs = first }
  }

  /// Takes note that media still comes.
  mutating func reopen() {
    self = Closing()
    isContradicted = true
  }
}
