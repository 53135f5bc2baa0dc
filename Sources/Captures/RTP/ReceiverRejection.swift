import Packets
import Signalling

/// What makes a receiver throw away, or play as silence, packets that came whole and in time: as far as packets show it.
struct ReceiverRejection {
  /// A time of it.
  struct Span {
    var fromNs: Int64
    var toNs: Int64
    var packets: Int
    /// The payload type, or the number that was the highest before.
    var number: UInt16
    /// The number with which it began.
    var first: UInt16 = 0
  }

  private static let mostSpans = 16
  /// Shorter times and fewer packets are nothing to tell of.
  private static let leastNs: Int64 = 2_000_000_000
  private static let leastPackets = 50

  private var foreign: Span?
  private var foreignSpans: [Span] = []
  private var isForeignForLong = false
  private var lookedUp: (type: UInt8, version: Int, isForeign: Bool)?
  private var refused: Span?
  private var refusedSpans: [Span] = []
  /// Whether numbers that go on do not bring it back.
  private var isRefusedForGood = false
  private(set) var silence = DigitalSilence()
  /// Outages after which it went on.
  private(set) var lost: [Span] = []
  /// Packets of G.711 or G.722 that are whole multiples of 10 ms, as they are without the tag of SRTP, and all others; when they came.
  private var (plain, other) = (0, 0)
  private var (firstNs, lastNs): (Int64, Int64) = (0, 0)

  /// The time in which its sound was sent in the clear by its size; nil where that is not so.
  var inTheClear: Span? {
    guard plain > Self.leastPackets, other * 50 <= plain, lastNs &- firstNs >= Self.leastNs else {
      return nil
    }
    return Span(fromNs: firstNs, toNs: lastNs, packets: plain, number: 0)
  }

  /// Times under payload types that nobody agreed on.
  var ofForeignType: [Span] { Self.told(foreignSpans, isForeignForLong ? foreign : nil) }
  /// Times in which a receiver of SRTP takes the numbers for those of packets that it has had.
  var ofRefusedNumbers: [Span] { Self.told(refusedSpans, refused) }

  private static func told(_ spans: [Span], _ open: Span?) -> [Span] {
    (spans + [open].compactMap { $0 }).filter {
      $0.packets >= leastPackets && $0.toNs &- $0.fromNs >= leastNs
    }
  }

  /// Packets that have to be missing, and for how long, ns, for an outage of which the numbers tell.
  static let leastLost = 25
  private static let leastOutageNs: Int64 = 3_000_000_000

  /// Takes note of packets that are missing between two, by their numbers.
  mutating func lose(_ packets: Int, from start: Int64, to end: Int64) {
    guard packets >= Self.leastLost, end &- start >= Self.leastOutageNs, lost.count < Self.mostSpans else {
      return
    }
    lost.append(Span(fromNs: start, toNs: end, packets: packets, number: 0))
  }

  /// Takes a packet of sound or of a picture under what the ends agreed on.
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
    // What comes shortly after a change may be what was right before it, and is told only where it goes on.
    if !agreed.isLate(packet.payloadType, from: sender, at: packet.timeNs) { isForeignForLong = true }
  }

  private mutating func endForeign() {
    if let foreign, isForeignForLong { Self.keep(foreign, in: &foreignSpans) }
    (foreign, isForeignForLong) = (nil, false)
  }

  /// A stream that something enciphers began anew with a number while `highest` was the one before: a receiver estimates the
  /// index of a packet from the highest that it had (RFC 3711 section 3.3.1), and refuses what is older than its window or was
  /// made under another rollover counter, until the numbers have passed that one.
  mutating func restarts(with packet: RTPPacket, after highest: UInt16, hasWrapped: Bool) {
    guard refused == nil else { return }
    // Ahead of it, and no more than half a round: taken as loss.
    if packet.sequence > highest, !hasWrapped { return }
    isRefusedForGood = packet.sequence > highest || hasWrapped
    refused = Span(
      fromNs: packet.timeNs, toNs: packet.timeNs, packets: 0, number: highest, first: packet.sequence)
  }

  /// Takes a packet that may be refused; keys that changed make everything new.
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

  /// Its sender has other keys from now on: its receiver counts anew.
  mutating func rekeyed() {
    if let refused { Self.keep(refused, in: &refusedSpans) }
    refused = nil
  }

  /// Takes a packet of sound whose content shows whether there is any in it.
  @inline(__always)
  mutating func hear(_ packet: RTPPacket) {
    silence.take(packet)
    if plain &+ other == 0 { firstNs = packet.timeNs }
    lastNs = packet.timeNs
    let tells = packet.payloadType == 0 || packet.payloadType == 8 || packet.payloadType == 9
    if tells && packet.payloadLength % 80 == 0 { plain &+= 1 } else { other &+= 1 }
  }

  private static func extend(_ span: inout Span?, _ packet: RTPPacket, number: UInt16) {
    if span == nil {
      span = Span(fromNs: packet.timeNs, toNs: packet.timeNs, packets: 0, number: number)
    }
    span?.toNs = packet.timeNs
    span?.packets += 1
  }

  private static func keep(_ span: Span, in spans: inout [Span]) {
    if spans.count < mostSpans, !told([span], nil).isEmpty { spans.append(span) }
  }
}

/// How long the sound of a stream has been nothing but digital silence: G.711 in the clear shows it.
struct DigitalSilence {
  private(set) var silent = 0
  private var sounding = 0
  /// Since when there has been nothing else.
  private var sinceNs: Int64?
  private var lastNs: Int64 = 0
  private var packets = 0

  /// Shorter silence is a pause or a mute key, ns.
  private static let leastNs: Int64 = 10_000_000_000

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

  /// The silence that lasts to the end, long enough to tell of: what ended was a mute.
  var toTheEnd: (fromNs: Int64, toNs: Int64, packets: Int)? {
    guard let sinceNs, lastNs &- sinceNs >= Self.leastNs else { return nil }
    return (sinceNs, lastNs, packets)
  }

  /// Which part of its packets had nothing in them, 0–1.
  var share: Double { Double(silent) / Double(max(1, silent + sounding)) }
}
