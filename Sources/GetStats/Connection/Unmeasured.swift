import CallModel

/// Figures of decoding and playing that are 0 because nobody decodes.
///
/// pion and others that are written in Go print every member of a report, measured or not: numbers as 0, texts as "". A
/// browser leaves a `remoteId` out that it does not know; and where its decoder fails it has counted the frames that came all
/// the same (`framesReceived`).
enum Unmeasured {
  /// What only someone counts who takes media out of their packets.
  private static let metrics: [Metric] = [
    .totalSamples, .concealedSamples, .silentConcealedSamples, .concealmentEvents, .insertedSamples,
    .removedSamples, .totalSamplesDurationMs, .audioLevel, .totalAudioEnergy, .jitterBufferDelayMs,
    .jitterBufferTargetDelayMs, .jitterBufferMinimumDelayMs, .jitterBufferEmitted, .processingDelayMs,
    .framesReceived, .frames, .framesDropped, .framesRendered, .keyFrames, .frameRate, .width, .height,
    .qpSum,
    .freezeCount, .freezeMs, .pauseCount, .pauseMs, .interFrameDelayMs, .squaredInterFrameDelayS2, .decodeMs,
  ]

  /// Whether any of them is above 0.
  static func isMeasured(_ sample: borrowing Sample) -> Bool {
    for metric in metrics { if let value = sample[metric], value != 0 { return true } }
    return false
  }

  /// Takes them out. Whether there were any.
  static func forget(in sample: inout Sample) -> Bool {
    var hadAny = false
    for metric in metrics where sample.has(metric) {
      sample.clear(metric)
      hadAny = true
    }
    return hadAny
  }
}
