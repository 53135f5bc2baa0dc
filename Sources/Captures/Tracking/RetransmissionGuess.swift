import Packets

/// Tells retransmissions under SRTP: another SSRC and payload type, with timestamps that a video stream of the same
/// sender used a moment ago (RFC 4588 keeps the timestamp of what it repeats).
///
/// Timestamps alone say little: servers begin all streams of a viewer at 0, where those of sound lie among those of the
/// picture. So what is repeated must have been sent as well: it passed here, two bytes shorter (its number comes before it
/// when it is sent again), or numbers of the original are missing just there. Of a frame that was lost as a whole only the
/// repeats show the timestamp: then it lies between those of the frames around the gap.
struct RetransmissionGuess {
  /// A frame of this stream: its first number and its highest, and which lengths its packets had.
  private struct Frame {
    var timestamp: UInt32 = 0
    /// When its first packet came.
    var sinceNs: Int64 = 0
    var first: UInt16 = 0
    var last: UInt16 = 0
    /// A bit for each length, by its last six bits.
    var lengths: UInt64 = 0
  }

  private var recent = InlineArray<64, Frame>(repeating: Frame())
  private var count = 0
  private var held: [RTPPacket] = []
  /// The stream that the last match was with.
  private weak var original: MediaStream?
  private var exact = 0
  private var misses = 0
  /// Packets that came before there was anything to repeat.
  private var early = 0
  /// Whether it is decided what the stream is.
  private(set) var isSettled = false
  /// Whether a packet was marked as the last of its frame.
  private(set) var isMarked = false
  /// Whether none was in so many frames.
  var isUnmarked: Bool { !isMarked && count >= Self.framesUntold }

  /// Matches between other timestamps that make a repair stream, where one seen already does; misses that make a medium.
  private static let needed = 2
  /// So many exact matches, and so many times as many as misses, need no more of the medium than of the repeats.
  private static let neededOfMany = 20
  private static let nearlyAll = 9
  private static let mostMisses = 100
  private static let mostHeld = 64
  private static let mostEarly = 16
  private static let framesUntold = 4
  /// Bytes of the original number that RFC 4588 puts before the payload.
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

  /// How a packet fits what was sent of this stream, whose numbers are given.
  private func match(_ packet: RTPPacket, _ sequence: SequenceState) -> Match? {
    guard count > 0 else { return nil }
    let newest = recent[(count &- 1) & 63].timestamp
    let back = newest &- packet.timestamp
    let length: UInt64 = 1 &<< UInt64(truncatingIfNeeded: packet.payloadLength - Self.numberBytes)
    // The frame itself and those next to it, each with its distance back from the newest.
    var own: Frame?
    var before: (frame: Frame, back: UInt32)?
    var after: (frame: Frame, back: UInt32)?
    for i in 0..<min(count, 64) {
      let frame = recent[i]
      let distance = newest &- frame.timestamp
      if distance == back {
        // What came before is not what repeats it.
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

  /// Takes a packet of a stream that may be a repair stream; answers the stream it repairs once that is sure.
  mutating func take(_ packet: RTPPacket, of stream: MediaStream) -> MediaStream? {
    let siblings = stream.path.media.lazy.filter {
      $0 !== stream && $0.sender == stream.sender && $0.kind != .audio && $0.mainType != packet.payloadType
    }
    // A picture of which one packet came so far is no stream yet, and may be repeated already.
    if siblings.isEmpty, early < Self.mostEarly {
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
      if misses >= Self.mostMisses { _ = close() }
      return nil
    }
    if held.count < Self.mostHeld { held.append(packet) }
    return repaired(by: stream)
  }

  /// The stream that another repairs, once that is sure. Asked later as well: a sender that tries the width of the way with
  /// repeats of its first frames has sent more of these than of the picture, and none afterwards.
  func repaired(by stream: MediaStream) -> MediaStream? {
    guard !isSettled, let original, original.role == .media else { return nil }
    // What repeats is the lesser part; without this the first frame after a lost one would be taken for the repair.
    let media = original.sequence.unique - original.probes
    let isSure = (exact > 0 || held.count >= Self.needed) && held.count > misses
    let isLesser = media >= 2 * (stream.sequence.unique - stream.probes)
    // Unless it does nothing else: a sender that has bandwidth to spare and little to send fills it with repeats.
    let isAll = exact >= Self.neededOfMany && exact >= Self.nearlyAll * misses
    return isSure && isLesser || isAll ? original : nil
  }

  /// Ends the guess; the packets that matched.
  mutating func close() -> [RTPPacket] {
    isSettled = true
    let packets = held
    held = []
    return packets
  }
}
