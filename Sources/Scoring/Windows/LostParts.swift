/// What the far end says it sent while nothing came, in terms of what was lost.
extension SenderCount {
  /// Parts of a time are looked at in pieces of at least this, ms.
  private static let pieceMs = 1000.0
  /// Sound: less of a time is what two counts may differ by, or the few packets of a sender that pauses; more is all of it.
  private static let (leastShare, wholeShare) = (0.2, 0.8)
  private static let leastSoundMs = 400.0
  /// Packets a second, and in all, that show a picture that goes on; more where they are estimated. A picture that stands still
  /// sends less, to probe the path.
  private static let (pictureRate, leastPackets, leastEstimated) = (1.5, 3.0, 20.0)
  /// Least part of a time that must lie between two sender reports to speak for the rest.
  private static let leastKnown = 0.5
  private static let mostNeededMs = 15_000.0

  /// The run in parts: what was lost of it by the count, and the rest as it is.
  func parts(of run: PacketGapClassifier.Ended, isSound: Bool, packetMs: Double) -> [PacketGapClassifier
    .Ended]
  {
    guard run.silent else { return [run] }
    let known = pieces(from: run.from, to: run.to)
    let shares = isSound ? known.map { soundShare(of: $0, packetMs) } : pictureShares(of: known)
    guard shares.contains(where: { $0 > 0 }) else { return [run] }
    var parts: [PacketGapClassifier.Ended] = []
    for (piece, share) in zip(known, shares) {
      var part = run
      // What lies before the first report, or after the last, was like what lies beside it.
      part.from = parts.last?.to ?? run.from
      part.to = piece.to
      part.silent = share == 0
      (part.lostShare, part.wasPausing) = share == 0 ? (1, false) : (share, share < 1)
      if !parts.isEmpty || share > 0 { part.fades = (nil, nil) }
      if let last = parts.last, last.silent == part.silent, last.lostShare == part.lostShare {
        parts[parts.count - 1].to = part.to
      } else {
        parts.append(part)
      }
    }
    parts[parts.count - 1].to = run.to
    return parts
  }

  /// Whether no sound was sent in a time, by the count.
  func isUnsent(_ run: PacketGapClassifier.Ended, packetMs: Double) -> Bool {
    let known = pieces(from: run.from, to: run.to)
    return !known.isEmpty && known.allSatisfy { soundShare(of: $0, packetMs) == 0 }
  }

  /// Whether packets of a picture were lost in a time in which it stood still; nil where the count does not tell.
  func isPictureLost(from: Double, to: Double) -> Bool? {
    let known = pieces(from: from, to: to)
    return known.isEmpty ? nil : pictureShares(of: known).contains { $0 > 0 }
  }

  /// What is missing of a time, if enough of it is known.
  private func pieces(from: Double, to: Double) -> [Missing] {
    let known = missing(from: from, to: to, leastMs: Self.pieceMs)
    // A stream that fell silent is soon sampled no more: what some of its reports say goes for the rest.
    let needed = min(Self.leastKnown * (to - from), Self.mostNeededMs)
    return known.reduce(0) { $0 + $1.lengthMs } < needed ? [] : known
  }

  private func soundShare(of piece: Missing, _ packetMs: Double) -> Double {
    let soundMs = piece.packets * packetMs
    guard piece.lengthMs > 0, soundMs >= Self.leastSoundMs, soundMs >= Self.leastShare * piece.lengthMs else {
      return 0
    }
    let share = soundMs / piece.lengthMs
    return share >= Self.wholeShare ? 1 : share
  }

  /// A picture is lost or not. Its packets come in bursts, so estimates only count where there is nothing better, and together.
  private func pictureShares(of pieces: [Missing]) -> [Double] {
    func isLost(_ packets: Double, _ lengthMs: Double, atLeast least: Double) -> Bool {
      packets >= max(least, Self.pictureRate * lengthMs / 1000)
    }
    guard pieces.contains(where: \.isExact) else {
      let (packets, lengthMs) = pieces.reduce((0.0, 0.0)) { ($0.0 + $1.packets, $0.1 + $1.lengthMs) }
      let share = isLost(packets, lengthMs, atLeast: Self.leastEstimated) ? 1.0 : 0
      return pieces.map { _ in share }
    }
    var shares = pieces.map { piece -> Double? in
      guard piece.isExact else { return nil }
      return isLost(piece.packets, piece.lengthMs, atLeast: Self.leastPackets) ? 1 : 0
    }
    // What is only estimated was like what lies beside it.
    for place in shares.indices.dropFirst() { shares[place] = shares[place] ?? shares[place - 1] }
    for place in shares.indices.dropLast().reversed() { shares[place] = shares[place] ?? shares[place + 1] }
    return shares.map { $0 ?? 0 }
  }
}
