/// The numbers of the frames that events rest on, counted from 1 as Wireshark does, by their time.
///
/// Only frames off the fast path of running streams are kept: signalling, STUN, DTLS, RTCP and the first packets of a stream.
final class FrameNumbers {
  /// Most frames kept, so that a capture of anything else costs no more memory. Later events have no frame.
  static let most = 1 << 16

  private var byTime: [Int64: Int] = [:]

  /// Keeps the number of a frame; of several at one instant the first counts.
  func add(_ number: Int, at timeNs: Int64) {
    guard byTime.count < Self.most, byTime[timeNs] == nil else { return }
    byTime[timeNs] = number
  }

  /// The frame that came at an instant, nil where none was kept.
  func number(at timeNs: Int64) -> Int? { byTime[timeNs] }
}
