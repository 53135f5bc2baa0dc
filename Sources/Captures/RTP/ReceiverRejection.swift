import CallModel
import Packets
import Signalling

/// Finds packets that arrived intact and in time but that the receiver discards or plays as silence, as far
/// as packets show it.
struct ReceiverRejection {
  /// A period of rejected packets.
  struct Span {
    var fromNs: Int64
    var toNs: Int64
    var packets: Int
    /// The payload type, or the highest number before the period.
    var number: UInt16
    /// The first number of the period.
    var first: UInt16 = 0
  }

  private static let maxSpans = 16
  private static let minNs = Threshold.refusedFor.ns
  private static let minPackets = Threshold.refusedPackets.count

  private var foreign: Span?
  private var foreignSpans: [Span] = []
  private var isForeignForLong = false
  private var lookedUp: (type: UInt8, version: Int, isForeign: Bool)?
  private var refused: Span?
  private var refusedSpans: [Span] = []
  /// Whether advancing numbers do not end the rejection.
  private var isRefusedForGood = false
  private(set) var silence = DigitalSilence()
  /// Outages after which the stream went on.
  private(set) var lost: [Span] = []
  /// The number of G.711 or G.722 packets that are multiples of 10 ms, which means that they have no SRTP
  /// tag, and the number of others; and the times of the first and last.
  private var (plain, other) = (0, 0)
  private var (firstNs, lastNs): (Int64, Int64) = (0, 0)

  /// The period in which audio was sent in the clear, judging by packet size; nil if it was not.
  var inTheClear: Span? {
    guard plain > Self.minPackets, other * 50 <= plain, lastNs &- firstNs >= Self.minNs else {
      return nil
    }
    return Span(fromNs: firstNs, toNs: lastNs, packets: plain, number: 0)
  }

  /// Periods with payload types that were not negotiated.
  var ofForeignType: [Span] { Self.longEnough(foreignSpans, isForeignForLong ? foreign : nil) }
  /// Periods in which an SRTP receiver takes the numbers for those of packets it has already had.
  var ofRefusedNumbers: [Span] { Self.longEnough(refusedSpans, refused) }

  private static func longEnough(_ spans: [Span], _ open: Span?) -> [Span] {
    (spans + [open].compactMap { $0 }).filter {
      $0.packets >= minPackets && $0.toNs &- $0.fromNs >= minNs
    }
  }

  /// Records packets missing between two others, according to the sequence numbers.
  mutating func lose(_ packets: Int, from start: Int64, to end: Int64) {
    guard packets >= Threshold.sentPackets.count, end &- start >= Threshold.noSound.ns,
      lost.count < Self.maxSpans
    else {
      return
    }
    lost.append(Span(fromNs: start, toNs: end, packets: packets, number: 0))
  }

  /// Takes an audio or video packet and checks it against what the ends negotiated.
  @inline(__always)
  mutating func take(_ packet: RTPPacket, under agreed: borrowing AgreedMedia, from sender: Int) {
    guard agreed.version > 0 else { return }
    if lookedUp?.type != packet.payloadType || lookedUp?.version != agreed.version {
      let allowed = agreed.allows(packet.payloadType, from: sender)
      lookedUp = (packet.payloadType, agreed.version, allowed == false)
    }
    if lookedUp?.isForeign == true {
      takeForeign(packet, agreed, sender)
    } else if foreign != nil {
      endForeign()
    }
  }

  private mutating func takeForeign(_ packet: RTPPacket, _ agreed: borrowing AgreedMedia, _ sender: Int) {
    if let foreign, foreign.number != UInt16(packet.payloadType) { endForeign() }
    Self.extend(&foreign, packet, number: UInt16(packet.payloadType))
    // A packet shortly after a change may have been sent before it, and is reported only if this goes on.
    if !agreed.isLate(packet.payloadType, from: sender, at: packet.timeNs) { isForeignForLong = true }
  }

  private mutating func endForeign() {
    if let foreign, isForeignForLong { Self.keep(foreign, in: &foreignSpans) }
    (foreign, isForeignForLong) = (nil, false)
  }

  /// Handles an encrypted stream that continues with a lower number after `highest`. A receiver estimates the
  /// index of a packet from the highest it has had (RFC 3711 section 3.3.1), and rejects packets that are
  /// older than its window or were encrypted with a different rollover counter, until the numbers pass
  /// `highest`.
  mutating func restarts(with packet: RTPPacket, after highest: UInt16, hasWrapped: Bool) {
    guard refused == nil else { return }
    // A number ahead by at most half the range counts as loss.
    if packet.sequence > highest, !hasWrapped { return }
    isRefusedForGood = packet.sequence > highest || hasWrapped
    refused = Span(
      fromNs: packet.timeNs, toNs: packet.timeNs, packets: 0, number: highest, first: packet.sequence)
  }

  /// Takes a packet that may be rejected.
  @inline(__always)
  mutating func count(_ packet: RTPPacket) {
    if refused != nil { countRefused(packet) }
  }

  private mutating func countRefused(_ packet: RTPPacket) {
    guard let span = refused else { return }
    if !isRefusedForGood, packet.sequence > span.number {
      Self.keep(span, in: &refusedSpans)
      return refused = nil
    }
    Self.extend(&refused, packet, number: span.number)
  }

  /// The sender has new keys, so the receiver starts counting anew.
  mutating func rekeyed() {
    if let refused { Self.keep(refused, in: &refusedSpans) }
    refused = nil
  }

  /// Takes an audio packet whose payload shows whether it contains any sound.
  @inline(__always)
  mutating func hear(_ packet: RTPPacket) {
    silence.take(packet)
    if plain &+ other == 0 { firstNs = packet.timeNs }
    lastNs = packet.timeNs
    let isStaticAudioType = packet.payloadType == 0 || packet.payloadType == 8 || packet.payloadType == 9
    if isStaticAudioType && packet.payloadLength % 80 == 0 { plain &+= 1 } else { other &+= 1 }
  }

  private static func extend(_ span: inout Span?, _ packet: RTPPacket, number: UInt16) {
    if span == nil {
      span = Span(fromNs: packet.timeNs, toNs: packet.timeNs, packets: 0, number: number)
    }
    span?.toNs = packet.timeNs
    span?.packets += 1
  }

  private static func keep(_ span: Span, in spans: inout [Span]) {
    if spans.count < maxSpans, !longEnough([span], nil).isEmpty { spans.append(span) }
  }
}

/// How long a stream has sent only digital silence. This can be seen in unencrypted G.711.
struct DigitalSilence {
  private(set) var silent = 0
  private var sounding = 0
  /// Since when there has been nothing else, ns.
  private var sinceNs: Int64?
  private var lastNs: Int64 = 0
  private var packets = 0

  @inline(__always)
  mutating func take(_ packet: RTPPacket) {
    guard packet.isDigitalSilence else {
      sounding &+= 1
      if sinceNs != nil { sinceNs = nil }
      return
    }
    silent &+= 1
    if sinceNs == nil { (sinceNs, packets) = (packet.timeNs, 0) }
    packets &+= 1
    lastNs = packet.timeNs
  }

  /// The silence that lasts to the end, if it is long enough to be reported. Silence that ended was a mute.
  var toTheEnd: (fromNs: Int64, toNs: Int64, packets: Int)? {
    guard let sinceNs, lastNs &- sinceNs >= Threshold.digitalSilence.ns else { return nil }
    return (sinceNs, lastNs, packets)
  }

  /// The share of packets without any sound, 0–1.
  var share: Double { Double(silent) / Double(max(1, silent + sounding)) }
}
