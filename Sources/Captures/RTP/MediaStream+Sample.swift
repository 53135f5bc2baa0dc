import CallModel

extension MediaStream {
  /// Takes the counters as they stand at a tick of the capture's clock, and hands on the samples that are settled: those of
  /// a picture wait until nothing can change them.
  func sample(at tickNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    noteRedundancy()
    guard role == .media else { return }
    let timeNs = playedUntil(tickNs)
    if !openTicks.isEmpty { catchUp(to: timeNs) }
    sampledNs = timeNs
    let sample = counters(at: timeNs)
    if video == nil && unsettled.isEmpty { return try due(sample) }
    unsettled.append((timeNs, sample))
    try settle(upTo: timeNs &- Int64(Screen.settleMs * 1e6), due)
  }

  /// Hands on the samples up to a moment.
  func settle(upTo timeNs: Int64, _ due: (Sample) throws -> Void) rethrows {
    var count = 0
    while count < unsettled.count && unsettled[count].timeNs <= timeNs {
      if video != nil { addScreen(&unsettled[count].sample, unsettled[count].timeNs) }
      try due(unsettled[count].sample)
      count += 1
    }
    unsettled.removeFirst(count)
  }

  /// Takes the samples of a silence after which it went on, or of what of it is played all the same.
  func catchUp(to timeNs: Int64 = .max) {
    let due = openTicks.prefix { $0 <= timeNs }
    for tick in due {
      unsettled.append((tick, counters(at: tick)))
      sampledNs = tick
    }
    openTicks.removeFirst(due.count)
  }

  private func counters(at timeNs: Int64) -> Sample {
    var s = Sample(timeMs: timeNs.unixMs)
    s.set(.packets, Double(sequence.unique))
    s.set(.bytes, Double(payloadBytes))
    s.set(.headerBytes, Double(headerBytes))
    s.set(.expected, Double(sequence.expected))
    s.set(.lost, Double(sequence.lost))
    s.set(.duplicates, Double(sequence.duplicates))
    s.set(.reordered, Double(sequence.reordered))
    s.set(.lastPacketMs, lastNs.unixMs)
    if let report = senderReport, kind == .audio {
      senderReport = nil
      s.set(.farPackets, Double(report.packets))
      s.set(.farPacketsMs, report.timeNs.unixMs)
    }
    if let fraction = reports.newFraction() { s.set(.fractionLost, fraction) }
    guard clockRate > 0 else { return s }
    s.set(.jitterMs, kind == .video && tellsPictures ? frameJitter.ms : jitter.ms)
    if audio != nil { addAudio(&s, timeNs) }
    if video != nil { addVideo(&s) }
    return s
  }

  private func addAudio(_ s: inout Sample, _ timeNs: Int64) {
    audio?.advance(to: timeNs)
    guard let fec = audio?.fec, let played else { return }
    s.set(.totalSamples, played.total)
    s.set(.totalSamplesDurationMs, played.total * 1000 / Double(soundRate))
    s.set(.concealedSamples, played.concealed)
    s.set(.silentConcealedSamples, played.silentConcealed)
    if let energy = played.energy { s.set(.totalAudioEnergy, energy) }
    s.set(.jitterBufferDelayMs, played.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, played.wantedSumMs)
    s.set(.jitterBufferEmitted, played.emitted)
    s.set(.concealmentEvents, Double(played.concealments))
    s.set(.insertedSamples, played.inserted)
    s.set(.removedSamples, played.removed)
    s.set(.late, Double(played.late))
    let (redundant, restored) = (audio?.redundant ?? 0, audio?.restored ?? 0)
    s.set(.fecPackets, Double(fec.received + redundant))
    s.set(.fecDiscarded, Double(fec.received - fec.used + max(0, redundant - restored)))
  }

  private func addVideo(_ s: inout Sample) {
    guard let video else { return }
    s.set(.rtxPackets, Double(repeats))
    s.set(.rtxBytes, Double(repeatBytes))
    s.set(.framesReceived, Double(video.received))
    if let ownRepeatRequests { s.set(.nack, Double(ownRepeatRequests)) }
  }

  private func addScreen(_ s: inout Sample, _ timeNs: Int64) {
    video?.settle(upTo: timeNs)
    guard let screen = video?.screen else { return }
    s.set(.jitterBufferDelayMs, screen.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, screen.wantedSumMs)
    s.set(.jitterBufferEmitted, Double(screen.frames))
    s.set(.frames, Double(screen.frames))
    s.set(.freezeCount, Double(screen.freezeCount))
    s.set(.freezeMs, screen.freezeMs)
    s.set(.pauseCount, Double(screen.pauseCount))
    s.set(.pauseMs, screen.pauseMs)
    s.set(.interFrameDelayMs, screen.intervalMs)
    s.set(.squaredInterFrameDelayS2, screen.squaredIntervalS2)
  }
}
