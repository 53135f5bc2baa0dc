/// Splits periods without packets by what the far end's count says was lost in them.
extension SenderCount {
  /// Minimum length of the pieces that are evaluated, ms.
  private static let pieceMs = 1000.0
  /// For audio, a smaller missing share is due to differing counts or to a few packets of a pausing sender, and a
  /// larger one counts as all of the time.
  private static let (minShare, wholeShare) = (0.2, 0.8)
  private static let minSoundMs = 400.0
  /// Packets per second, and in total, that show that video continued; more if they are estimated. A sender of still
  /// video sends fewer, to probe the path.
  private static let (pictureRate, minPackets, minEstimated) = (1.5, 3.0, 20.0)
  /// Minimum share of a period that must lie between two sender reports.
  private static let minKnown = 0.5
  private static let maxNeededMs = 15_000.0

  /// Splits the run: the parts lost according to the count, and the rest unchanged.
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
      // The time before the first and after the last report is treated like the time next to it.
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

  /// Whether no audio was sent in the run, according to the count.
  func isUnsent(_ run: PacketGapClassifier.Ended, packetMs: Double) -> Bool {
    let known = pieces(from: run.from, to: run.to)
    return !known.isEmpty && known.allSatisfy { soundShare(of: $0, packetMs) == 0 }
  }

  /// Whether video packets were lost while video was frozen; nil if the count does not show it.
  func isPictureLost(from: Double, to: Double) -> Bool? {
    let known = pieces(from: from, to: to)
    return known.isEmpty ? nil : pictureShares(of: known).contains { $0 > 0 }
  }

  /// The missing packets by piece; empty if too little of the period is known.
  private func pieces(from: Double, to: Double) -> [Missing] {
    let known = missing(from: from, to: to, minMs: Self.pieceMs)
    // A silent stream is soon no longer sampled: some of its reports must do for the rest.
    let needed = min(Self.minKnown * (to - from), Self.maxNeededMs)
    return known.reduce(0) { $0 + $1.lengthMs } < needed ? [] : known
  }

  private func soundShare(of piece: Missing, _ packetMs: Double) -> Double {
    let soundMs = piece.packets * packetMs
    guard piece.lengthMs > 0, soundMs >= Self.minSoundMs, soundMs >= Self.minShare * piece.lengthMs else {
      return 0
    }
    let share = soundMs / piece.lengthMs
    return share >= Self.wholeShare ? 1 : share
  }

  /// Video is lost entirely or not at all. Its packets come in bursts, so estimates are summed up and used only if
  /// there is nothing better.
  private func pictureShares(of pieces: [Missing]) -> [Double] {
    func isLost(_ packets: Double, _ lengthMs: Double, atLeast least: Double) -> Bool {
      packets >= max(least, Self.pictureRate * lengthMs / 1000)
    }
    guard pieces.contains(where: \.isExact) else {
      let (packets, lengthMs) = pieces.reduce((0.0, 0.0)) { ($0.0 + $1.packets, $0.1 + $1.lengthMs) }
      let share = isLost(packets, lengthMs, atLeast: Self.minEstimated) ? 1.0 : 0
      return pieces.map { _ in share }
    }
    var shares = pieces.map { piece -> Double? in
      guard piece.isExact else { return nil }
      return isLost(piece.packets, piece.lengthMs, atLeast: Self.minPackets) ? 1 : 0
    }
    // A piece that is only estimated is treated like the one next to it.
    for place in shares.indices.dropFirst() { shares[place] = shares[place] ?? shares[place - 1] }
    for place in shares.indices.dropLast().reversed() { shares[place] = shares[place] ?? shares[place + 1] }
    return shares.map { $0 ?? 0 }
  }
}
