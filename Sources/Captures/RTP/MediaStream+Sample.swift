import CallModel

extension MediaStream {
  /// The counters as they stand at a tick of the capture's clock.
  func sample(at timeNs: Int64) -> Sample {
    var s = Sample(timeMs: timeNs.unixMs)
    s.set(.packets, Double(sequence.unique))
    s.set(.bytes, Double(payloadBytes))
    s.set(.headerBytes, Double(headerBytes))
    s.set(.expected, Double(sequence.expected))
    s.set(.lost, Double(sequence.lost))
    s.set(.duplicates, Double(sequence.duplicates))
    s.set(.reordered, Double(sequence.reordered))
    s.set(.lastPacketMs, lastNs.unixMs)
    guard clockRate > 0 else { return s }
    s.set(.jitterMs, kind == .video ? frameJitter.ms : jitter.ms)
    if audio != nil { addAudio(&s, timeNs) }
    if video != nil { addVideo(&s) }
    return s
  }

  private func addAudio(_ s: inout Sample, _ timeNs: Int64) {
    audio?.advance(to: timeNs)
    guard let audio else { return }
    s.set(.totalSamples, Double(audio.total))
    s.set(.totalSamplesDurationMs, Double(audio.total) * 1000 / Double(clockRate))
    s.set(.concealedSamples, Double(audio.concealed))
    s.set(.silentConcealedSamples, 0)
    if let energy = audio.energy { s.set(.totalAudioEnergy, energy) }
    s.set(.jitterBufferDelayMs, audio.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, audio.wantedSumMs)
    s.set(.jitterBufferEmitted, Double(audio.emitted))
    s.set(.concealmentEvents, Double(audio.concealments))
    s.set(.insertedSamples, Double(audio.inserted))
    s.set(.removedSamples, Double(audio.removed))
    s.set(.late, Double(audio.late))
    s.set(.fecPackets, Double(audio.fec.received))
    s.set(.fecDiscarded, Double(audio.fec.received - audio.fec.used))
  }

  private func addVideo(_ s: inout Sample) {
    guard let video else { return }
    s.set(.rtxPackets, Double(repeats))
    s.set(.rtxBytes, Double(repeatBytes))
    s.set(.framesReceived, Double(video.received))
    s.set(.frames, Double(video.frames))
    s.set(.jitterBufferDelayMs, video.delaySumMs)
    s.set(.jitterBufferTargetDelayMs, video.wantedSumMs)
    s.set(.jitterBufferEmitted, Double(video.frames))
    s.set(.freezeCount, Double(video.freezeCount))
    s.set(.freezeMs, video.freezeMs)
    s.set(.pauseCount, Double(video.pauseCount))
    s.set(.pauseMs, video.pauseMs)
    s.set(.interFrameDelayMs, video.intervalMs)
    s.set(.squaredInterFrameDelayS2, video.squaredIntervalS2)
  }
}
