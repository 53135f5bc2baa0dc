import Packets

/// Recognises retransmissions under SRTP: another SSRC and payload type, with timestamps that a video stream
/// of the same sender used recently (RFC 4588 keeps the timestamp of the repeated packet).
///
/// Timestamps alone are weak evidence: servers start all streams of a viewer at 0, so that audio timestamps
/// fall among those of the video. The repeated packet must therefore have been sent as well: either it was
/// captured, two bytes shorter (a retransmission is prefixed with the original sequence number), or numbers
/// of the original are missing there. If a whole frame was lost, only the retransmissions show its timestamp,
/// which is then between those of the frames around the gap.
struct RetransmissionGuess {
  /// A frame of this stream: its first and highest number, and the lengths of its packets.
  private struct Frame {
    var timestamp: UInt32 = 0
    /// When its first packet arrived.
    var sinceNs: Int64 = 0
    var first: UInt16 = 0
    var last: UInt16 = 0
    /// One bit per length, selected by its lowest six bits.
    var lengths: UInt64 = 0
  }

  private var recent = InlineArray<64, Frame>(repeating: Frame())
  private var count = 0
  private var held: [RTPPacket] = []
  /// The stream of the last match.
  private weak var original: MediaStream?
  private var exact = 0
  private var misses = 0
  /// Packets that arrived before there was anything to repeat.
  private var early = 0
  /// Whether the role of the stream has been decided.
  private(set) var isSettled = false
  /// Whether any packet was marked as the last of its frame.
  private(set) var isMarked = false
  /// Whether no packet was marked in a sufficient number of frames.
  var isUnmarked: Bool { !isMarked && count >= Self.unmarkedFramesNeeded }

  /// The number of matches that make a repair stream if their timestamps lie between those seen; one match is
  /// enough if its timestamp was seen. `maxMisses` misses make a medium.
  private static let needed = 2
  /// With this many exact matches, and this multiple of the misses, the medium need not exceed the repeats.
  private static let neededOfMany = 20
  private static let nearlyAll = 9
  private static let maxMisses = 100
  private static let maxHeld = 64
  private static let maxEarly = 16
  private static let unmarkedFramesNeeded = 4
  /// The length of the original sequence number that RFC 4588 puts before the payload.
  private static let numberBytes = 2

  /// Remembers a packet of a frame of this stream.
  @inline(__always)
  mutating func remember(_ packet: RTPPacket) {
    if packet.marker { isMarked = true }
    let place = (count &- 1) & 63
    let length: UInt64 = 1 &<< UInt64(truncatingIfNeeded: packet.payloadLength)
    if count > 0 && recent[place].timestamp == packet.timestamp {
      if Int16(bitPattern: packet.sequence &- recent[place].last) > 0 { recent[place].last = packet.sequence }
      recent[place].lengths |= length
      return
    }
    recent[count & 63] = Frame(
      timestamp: packet.timestamp, sinceNs: packet.timeNs, first: packet.sequence, last: packet.sequence,
      lengths: length)
    count &+= 1
  }

  private enum Match: Equatable {
    case exact
    case between
  }

  /// How a packet matches what was sent in this stream with the given numbers.
  private func match(_ packet: RTPPacket, _ sequence: SequenceState) -> Match? {
    guard count > 0 else { return nil }
    let newest = recent[(count &- 1) & 63].timestamp
    let back = newest &- packet.timestamp
    let length: UInt64 = 1 &<< UInt64(truncatingIfNeeded: packet.payloadLength - Self.numberBytes)
    // The frame itself and its neighbours, each with its distance back from the newest.
    var own: Frame?
    var before: (frame: Frame, back: UInt32)?
    var after: (frame: Frame, back: UInt32)?
    for i in 0..<min(count, 64) {
      let frame = recent[i]
      let distance = newest &- frame.timestamp
      if distance == back {
        // A packet that came earlier is not a retransmission.
        if frame.sinceNs >= packet.timeNs { return nil }
        if frame.lengths & length != 0 { return .exact }
        own = frame
      } else if distance < 1 << 31 {
        if distance > back, distance < before?.back ?? .max { before = (frame, distance) }
        if distance < back, distance >= after?.back ?? 0 { after = (frame, distance) }
      }
    }
    let highest = UInt16(truncatingIfNeeded: sequence.highest)
    if let own {
      let isMissed = sequence.misses(
        from: before?.frame.last ?? own.first, to: after?.frame.first ?? highest)
      return isMissed ? .exact : nil
    }
    guard let before, let after else { return nil }
    return sequence.misses(from: before.frame.last, to: after.frame.first) ? .between : nil
  }

  /// Takes a packet of a stream that may be a repair stream; returns the stream it repairs once that is
  /// certain.
  mutating func take(_ packet: RTPPacket, of stream: MediaStream) -> MediaStream? {
    let siblings = stream.path.media.lazy.filter {
      $0 !== stream && $0.sender == stream.sender && $0.kind != .audio && $0.mainType != packet.payloadType
    }
    // A video stream with a single packet so far is not recognised yet, and may already be repeated.
    if siblings.isEmpty, early < Self.maxEarly {
      early += 1
      return nil
    }
    if let found = siblings.first(where: { $0.repairGuess.match(packet, $0.sequence) == .exact }) {
      original = found
      exact += 1
    } else if let found = siblings.first(where: { $0.repairGuess.match(packet, $0.sequence) == .between }) {
      original = found
    } else {
      misses += 1
      if misses >= Self.maxMisses { _ = close() }
      return nil
    }
    if held.count < Self.maxHeld { held.append(packet) }
    return repaired(by: stream)
  }

  /// The stream that another one repairs, once that is certain. It is asked again later, because a sender
  /// that probes for bandwidth by repeating its first frames has sent more repeats than video, and none
  /// afterwards.
  func repaired(by stream: MediaStream) -> MediaStream? {
    guard !isSettled, let original, original.role == .media else { return nil }
    // Retransmissions must be fewer than the media. Otherwise the first frame after a lost one would be taken
    // for the repair.
    let media = original.sequence.unique - original.probes
    let isSure = (exact > 0 || held.count >= Self.needed) && held.count > misses
    let isLesser = media >= 2 * (stream.sequence.unique - stream.probes)
    // Except if it does nothing else: a sender with spare bandwidth and little to send fills it with
    // retransmissions.
    let isAll = exact >= Self.neededOfMany && exact >= Self.nearlyAll * misses
    return isSure && isLesser || isAll ? original : nil
  }

  /// Ends the guess and returns the packets that matched.
  mutating func close() -> [RTPPacket] {
    isSettled = true
    let packets = held
    held = []
    return packets
  }
}
