extension SampleView {
  /// How far the time of a packet may lie outside of the reports that it came between, ms: both are rounded, and read one
  /// after the other.
  public static var packetTolerance: Double { 100 }

  /// When the last packet came (ms since the Unix epoch), of a report that counts new ones since an `earlier` time.
  ///
  /// Nil where the source does not say, or says it on another clock: seconds, a clock without an epoch, zero, or one that
  /// was not put right along with the reports' own. Then it lies elsewhere than between the two reports.
  public func lastPacketTime(after earlier: Double) -> Double? {
    Self.packetTime(self[.lastPacketMs], from: earlier, to: timeMs)
  }

  fileprivate static func packetTime(_ last: Double?, from earlier: Double, to timeMs: Double) -> Double? {
    guard let last, last >= earlier - packetTolerance, last <= timeMs + packetTolerance else { return nil }
    return min(max(last, earlier), timeMs)
  }
}

extension TransportSample {
  /// The same of anything that came over the path.
  public func lastPacketTime(after earlier: Double) -> Double? {
    SampleView.packetTime(lastPacketMs, from: earlier, to: timeMs)
  }
}
