/// Payload bit rate of audio over the time that its packets fill, bit/s, so that DTX silence and hold do not count.
///
/// - Parameters:
///   - bytes: payload of the whole stream.
///   - packets: number of packets, assumed to be 20 ms each; nil to use the whole time.
///   - spanMs: time from the first packet to the last.
/// - Returns: nil if unknown.
public func talkingBitRate(bytes: Int?, packets: Int?, spanMs: Double) -> Double? {
  guard let bytes, bytes > 0, spanMs > 0 else { return nil }
  let filled = packets.map { Double($0) * FirstMedia.packetMs } ?? spanMs
  guard filled > 0 else { return nil }
  // A stream that hardly paused uses its whole time: some packets are lost, or longer than 20 ms.
  return Double(bytes) * 8000 / (filled < 0.8 * spanMs ? filled : spanMs)
}
