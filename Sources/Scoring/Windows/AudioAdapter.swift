import Glibc

/// Derives canonical audio impairments from what a source counts: W3C counters first, then goog gauges, packets,
/// jitter.
struct AudioAdapter {
  /// Packetisation and codec look-ahead, ms: the part of mouth-to-ear delay that no counter shows.
  static let fixedDelayMs = 25.0
  /// Weight of a round trip from connectivity checks compared with one from RTCP: media may experience another delay.
  static let checkedTrip = 0.8

  let bin: StreamBin
  let codec: String?
  let roundTripMs: Double?
  /// Whether the round trip is from the far end's RTCP reports rather than from connectivity checks.
  let isReported: Bool

  private(set) var availability = Availability()
  private(set) var impairments: AudioImpairments
  /// Share of playout that was concealed; nil if unknown.
  private(set) var concealedShare: Double?
  /// Share of playout left without audio by lost packets and outages, 0–1.
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

  /// Packets due, including lost ones.
  var expected: Double? {
    if let expected = bin.tally[.expected] { return expected }
    guard let packets = bin.tally[.packets] else { return nil }
    return packets + lost
  }

  /// Packets lost; 0 in a window in which more packets arrived late than were lost.
  var lost: Double { max(0, bin.tally[.lost] ?? 0) }

  /// Share of packets lost; nil if packets are not counted.
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
    // Samples that the device synthesised because it was given none in time are concealed as well.
    let filled = bin.measuredMs > 0 ? share((bin.tally[.synthesizedMs] ?? 0) / bin.measuredMs) : 0
    made = 1 - (1 - share(made)) * (1 - filled)
    // If nothing that arrived was played, nothing audible was concealed either.
    concealedShare = isUnplayed ? nil : made
    missingShare = network
    impairments.lostShare = min(made, network)
    impairments.lateShare = made - impairments.lostShare
    impairments.restoredShare = restoredShare
    impairments.salience = bin.loudness.salience(ofConcealed: bin.tally[.concealedSamples] ?? 0)
  }

  /// Whether packets arrived but no audio sample was played.
  private var isUnplayed: Bool { bin.tally[.totalSamples] == 0 && bin.tally[.packets] ?? 0 > 0 }

  /// Audible concealment. Silent concealment counts only as far as loss or a gap explains it, because comfort noise in
  /// a speech pause does no harm while a long outage fades to silence. The fade when the far end pauses does no harm
  /// either.
  private func countedConcealment(total: Double, concealed: Double) -> Double {
    // Packets arrived but none left the jitter buffer, so this is no speech pause.
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

  /// Share of packets that arrived too late: counted by a playout emulator or as discarded by the receiver, otherwise
  /// estimated from jitter.
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
      impairments.deceleratedShare = share((bin.tally[.insertedSamples] ?? 0) / total)
      impairments.acceleratedShare = share((bin.tally[.removedSamples] ?? 0) / total)
    } else {
      impairments.deceleratedShare = share(bin.decelerateRate.value ?? 0)
      impairments.acceleratedShare = share(bin.accelerateRate.value ?? 0)
    }
    impairments.stretchByLoss = stretchByLoss(
      stretched: impairments.deceleratedShare + impairments.acceleratedShare, missing: missingShare,
      late: impairments.lateShare, jitterMs: bin.jitterMs.value)
    impairments.stretchByBuffering = stretchByBuffering(
      heldMs: bin.heldMs.value, jitterMs: bin.jitterMs.value)
  }

  /// Mean time in the jitter buffer, ms; nil if no counter or gauge shows it.
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

/// The part of time-stretching that lost packets explain, 0–1; the rest is due to jitter.
///
/// A buffer emptied by loss is refilled by slowing playout down, although every packet that arrived was in time.
///
/// - Parameters:
///   - stretched: share of playout inserted and removed.
///   - missing: share of playout left without audio by lost packets.
///   - late: share of playout concealed because packets arrived too late.
///   - jitterMs: RFC 3550 interarrival jitter; nil does not reduce the part of loss.
func stretchByLoss(stretched: Double, missing: Double, late: Double, jitterMs: Double?) -> Double {
  guard stretched > 0, missing > 0 else { return 0 }
  let enough = min(1, maxStretchALoss * missing / stretched)
  let unshared = missing / (missing + max(0, late))
  return enough * unshared * evenness(jitterMs)
}

/// The part of time-stretching due to the receiver's own choice, 0–1: it slows playout down to buffer audio longer than
/// the network requires, because its page asks for that or to wait for the video, and speeds up when it may release it.
///
/// - Parameters:
///   - heldMs: how much longer; nil if unknown.
///   - jitterMs: RFC 3550 interarrival jitter; nil does not reduce this part.
func stretchByBuffering(heldMs: Double?, jitterMs: Double?) -> Double {
  guard let heldMs else { return 0 }
  return share((heldMs - heldFromMs) / (heldAllMs - heldFromMs)) * evenness(jitterMs)
}

/// How evenly packets arrive, 0–1.
private func evenness(_ jitterMs: Double?) -> Double {
  jitterMs.map { 1 - share(($0 - evenBelowMs) / (unevenFromMs - evenBelowMs)) } ?? 1
}

/// Extra hold time from which the receiver's choice explains some of the stretching, and all of it, ms. Lip sync moves
/// a buffer by less than the former inaudibly; the latter is more than a packet.
private let heldFromMs = 10.0
private let heldAllMs = 30.0

/// Maximum stretching that loss alone causes, as a multiple of the loss: up to 0.42 in calls recorded with loss only.
private let maxStretchALoss = 0.4
/// Jitter to which a buffer need not adapt, and jitter of a whole packet, from which loss explains no stretching, ms.
private let evenBelowMs = 10.0
private let unevenFromMs = 20.0
