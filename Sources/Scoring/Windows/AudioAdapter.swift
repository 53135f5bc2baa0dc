import Glibc

/// Canonical audio impairments out of what a source counts: W3C counters first, then goog gauges, packets, jitter.
struct AudioAdapter {
  /// Packetisation and codec look-ahead, ms: part of mouth-to-ear delay that no counter shows.
  static let fixedDelayMs = 25.0
  /// What a round trip of connectivity checks alone is worth against one of RTCP: media may take other times.
  static let checkedTrip = 0.8

  let bin: StreamBin
  let codec: String?
  let roundTripMs: Double?
  /// Whether the far end's reports told the round trip, rather than connectivity checks.
  let isReported: Bool

  private(set) var availability = Availability()
  private(set) var impairments: AudioImpairments
  /// Share of playout made up, nil where nothing tells.
  private(set) var concealedShare: Double?
  /// Share of playout that lost packets and outages left empty, 0–1.
  private var missingShare = 0.0

  init(_ bin: StreamBin, codec: String?, roundTripMs: Double?, isReported: Bool) {
    self.bin = bin
    self.isReported = isReported
    self.codec = codec
    self.roundTripMs = roundTripMs
    impairments = AudioImpairments(codec: codec)
    judgeConcealment()
    judgeStretch()
    judgeDelay()
  }

  /// Packets that should have come, lost ones included.
  var expected: Double? {
    if let expected = bin.tally[.expected] { return expected }
    guard let packets = bin.tally[.packets] else { return nil }
    return packets + lost
  }

  /// Packets lost; a window in which more came late than were lost has none.
  var lost: Double { max(0, bin.tally[.lost] ?? 0) }

  /// Lost share, nil where packets are not counted.
  var lossShare: Double? {
    guard bin.tally[.lost] != nil || bin.tally[.expected] != nil, let expected, expected > 0 else {
      return nil
    }
    return min(1, lost / expected)
  }

  private mutating func judgeConcealment() {
    func part(_ gapMs: Double) -> Double { bin.measuredMs > 0 ? min(1, gapMs / bin.measuredMs) : 0 }
    let (gapShare, lostGapShare) = (part(bin.gapMs), part(bin.lostGapMs))
    let network: Double
    var made: Double
    if let total = bin.tally[.totalSamples], total > 0, let concealed = bin.tally[.concealedSamples] {
      availability.audioLoss = 1
      network = max(lossShare ?? 0, lostGapShare)
      made = countedConcealment(total: total, concealed: concealed)
    } else if let rate = bin.expandRate.value ?? decoderShare {
      availability.audioLoss = 1
      network = max(lossShare ?? 0, lostGapShare)
      made = max(rate, gapShare)
    } else if let lossShare {
      availability.audioLoss = bin.tally[.fecPackets] == nil ? 0.6 : 0.8
      network = max(lossShare, lostGapShare)
      made = max(lossShare, gapShare) + lateShare
    } else if bin.jitterMs.value != nil || bin.tally[.discarded] != nil {
      availability.audioLoss = 0.3
      network = lostGapShare
      made = gapShare + lateShare
    } else {
      return
    }
    // What the device had to fill by itself, as nothing was given to it in time, is made up as well.
    let filled = bin.measuredMs > 0 ? share((bin.tally[.synthesizedMs] ?? 0) / bin.measuredMs) : 0
    made = 1 - (1 - share(made)) * (1 - filled)
    // Of what came and was not played nothing was made up either: what would have been is no opinion on anything heard.
    concealedShare = isUnplayed ? nil : made
    missingShare = network
    impairments.lostShare = min(made, network)
    impairments.lateShare = made - impairments.lostShare
    impairments.restoredShare = restoredShare
    impairments.salience = bin.loudness.salience(ofConcealed: bin.tally[.concealedSamples] ?? 0)
  }

  /// Whether packets came and not a sample of sound was played.
  private var isUnplayed: Bool { bin.tally[.totalSamples] == 0 && bin.tally[.packets] ?? 0 > 0 }

  /// Concealment that was heard: silent concealment counts only as far as loss or a gap explains it, for comfort
  /// noise in a pause of speech is no harm, and a long outage fades to silence. So does the sound before a pause of the far
  /// end, which is no harm either.
  private func countedConcealment(total: Double, concealed: Double) -> Double {
    // Packets came, and not one of them left the jitter buffer: it is no pause that was filled.
    if bin.tally[.jitterBufferEmitted] == 0, bin.tally[.packets] ?? 0 > 0 { return concealed / total }
    let silent = min(concealed, bin.tally[.silentConcealedSamples] ?? 0)
    let voiced = max(0, concealed - silent - bin.fadedSamples)
    let samplesPerMs = bin.measuredMs > 0 ? total / bin.measuredMs : 0
    let gap = min(bin.gapMs, bin.measuredMs) * samplesPerMs
    let missing = bin.tally.missingMs(packetMs: bin.packetMs) * samplesPerMs
    return (voiced + min(silent, max(gap, missing - voiced, 0))) / total
  }

  /// Share of decoder calls that concealed (legacy statistics).
  private var decoderShare: Double? {
    guard let concealed = bin.tally[.decodingPlc] else { return nil }
    let all =
      concealed + (bin.tally[.decodingNormal] ?? 0) + (bin.tally[.decodingCng] ?? 0)
      + (bin.tally[.decodingPlcCng] ?? 0)
    return all > 0 ? concealed / all : nil
  }

  /// Packets that came too late: counted by a playout emulator, or by the receiver that discarded them, else told from jitter.
  private var lateShare: Double {
    if let late = bin.tally[.late], let expected, expected > 0 { return min(1, late / expected) }
    let guessed = bin.jitterMs.value.map { 0.03 * (1 - exp(-max(0, $0 - 10) / 30)) } ?? 0
    guard let discarded = bin.tally[.discarded], let expected, expected > 0 else { return guessed }
    return min(1, max(guessed, discarded / expected))
  }

  private var restoredShare: Double {
    if let rate = bin.restoredRate.value { return share(rate) }
    guard let received = bin.tally[.fecPackets], let expected, expected > 0 else { return 0 }
    return share((received - (bin.tally[.fecDiscarded] ?? 0)) / expected)
  }

  private mutating func judgeStretch() {
    if let total = bin.tally[.totalSamples], total > 0 {
      impairments.slowedShare = share((bin.tally[.insertedSamples] ?? 0) / total)
      impairments.hurriedShare = share((bin.tally[.removedSamples] ?? 0) / total)
    } else {
      impairments.slowedShare = share(bin.decelerateRate.value ?? 0)
      impairments.hurriedShare = share(bin.accelerateRate.value ?? 0)
    }
    impairments.stretchByLoss = stretchByLoss(
      stretched: impairments.slowedShare + impairments.hurriedShare, missing: missingShare,
      late: impairments.lateShare, jitterMs: bin.jitterMs.value)
    impairments.stretchByWish = stretchByWish(heldMs: bin.heldMs.value, jitterMs: bin.jitterMs.value)
  }

  /// Mean stay in the jitter buffer, nil where no counter or gauge tells.
  var bufferMs: Double? {
    if let delay = bin.tally[.jitterBufferDelayMs], let emitted = bin.tally[.jitterBufferEmitted], emitted > 0
    {
      return delay / emitted
    }
    return bin.currentDelayMs.value ?? bin.bufferMs.value
  }

  private mutating func judgeDelay() {
    let guessed = bin.jitterMs.value.map { min(500, max(20, 4 * $0)) }
    switch (roundTripMs, bufferMs, guessed) {
    case (let trip?, let buffer?, _):
      availability.audioDelay = 1
      impairments.delayMs = trip / 2 + buffer + Self.fixedDelayMs
    case (let trip?, nil, let buffer?):
      availability.audioDelay = 0.7
      impairments.delayMs = trip / 2 + buffer + Self.fixedDelayMs
    case (let trip?, nil, nil):
      availability.audioDelay = 0.5
      impairments.delayMs = trip / 2 + Self.fixedDelayMs
    case (nil, let buffer?, _), (nil, nil, let buffer?):
      availability.audioDelay = 0.5
      impairments.delayMs = buffer + Self.fixedDelayMs
    case (nil, nil, nil): break
    }
    if roundTripMs != nil, !isReported { availability.audioDelay *= Self.checkedTrip }
  }
}

/// Which part of time-stretching lost packets explain, 0–1; the rest is jitter's.
///
/// A buffer that loss emptied is filled again by slowing playout down, though every packet that came was in time.
///
/// - Parameters:
///   - stretched: share of playout put in and left out.
///   - missing: share of playout that lost packets left empty.
///   - late: share of playout made up for packets that came too late.
///   - jitterMs: RFC 3550 interarrival jitter; nil says nothing against loss.
func stretchByLoss(stretched: Double, missing: Double, late: Double, jitterMs: Double?) -> Double {
  guard stretched > 0, missing > 0 else { return 0 }
  let enough = min(1, mostStretchALoss * missing / stretched)
  let unshared = missing / (missing + max(0, late))
  return enough * unshared * evenness(jitterMs)
}

/// Which part of time-stretching the receiver's own wish explains, 0–1: it slows playout down to hold sound longer than the
/// network needs, be it that its page asks for that or that it waits for the picture, and speeds up when it may let go.
///
/// - Parameters:
///   - heldMs: how much longer; nil says nothing.
///   - jitterMs: RFC 3550 interarrival jitter; nil says nothing against it.
func stretchByWish(heldMs: Double?, jitterMs: Double?) -> Double {
  guard let heldMs else { return 0 }
  return share((heldMs - heldFromMs) / (heldAllMs - heldFromMs)) * evenness(jitterMs)
}

/// How evenly packets come, 0–1.
private func evenness(_ jitterMs: Double?) -> Double {
  jitterMs.map { 1 - share(($0 - evenBelowMs) / (unevenFromMs - evenBelowMs)) } ?? 1
}

/// Lip sync moves a buffer by so little without being heard; more than a packet is what playout follows, ms.
private let heldFromMs = 10.0
private let heldAllMs = 30.0

/// Most stretching that loss alone brings, as a multiple of it: on calls recorded with nothing but loss it was up to 0.42.
private let mostStretchALoss = 0.4
/// Jitter to which a buffer need not adapt, and a whole packet of it, which loss has no part in, ms.
private let evenBelowMs = 10.0
private let unevenFromMs = 20.0
