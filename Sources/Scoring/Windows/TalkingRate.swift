/// Payload bit rate of sound over the time that packets filled, bit/s: silence that is not sent and hold are no part of it.
///
/// - Parameters:
///   - bytes: payload of the whole stream.
///   - packets: its packets, taken for 20 ms each; nil for all of the time.
///   - spanMs: time from its first packet to its last.
/// - Returns: nil where nothing tells.
public func talkingBitRate(bytes: Int?, packets: Int?, spanMs: Double) -> Double? {
  guard let bytes, bytes > 0, spanMs > 0 else { return nil }
  let filled = packets.map { Double($0) * FirstMedia.packetMs } ?? spanMs
  guard filled > 0 else { return nil }
  // A stream that hardly paused is taken as it is: some packets are lost, or longer than others.
  return Double(bytes) * 8000 / (filled < 0.8 * spanMs ? filled : spanMs)
}
