/// A figure that a stream reports at an instant: the columns of table `samples`, in canonical units.
///
/// Names and meaning follow W3C webrtc-stats; where inbound and outbound streams have a counter each, one column serves both.
public enum Metric: UInt8, Sendable, CaseIterable {

  // Both directions.
  /// Distinct RTP packets of the medium received or sent.
  case packets
  /// RTP payload bytes, headers and padding left out.
  case bytes
  /// RTP header and padding bytes.
  case headerBytes
  /// Packets lost as RFC 3550 counts them; signed, for duplicates make it fall. Outbound: as the far end reports.
  case lost
  /// Packets expected by sequence number (captures only).
  case expected
  /// Packets whose sequence number had already come (captures only).
  case duplicates
  /// Packets that came after a later one (captures only).
  case reordered
  /// Packets that came after their playout time by the playout emulator (captures only).
  case late
  /// Packets thrown away by the jitter buffer, too late or too early.
  case discarded
  /// Retransmitted packets.
  case rtxPackets
  /// Payload bytes of retransmitted packets.
  case rtxBytes
  /// Packets of forward error correction received.
  case fecPackets
  /// Packets of forward error correction that were not needed.
  case fecDiscarded
  /// Interarrival jitter, RFC 3550 6.4.1. Outbound: as the far end reports.
  case jitterMs
  /// Round-trip time from RTCP reports, only on the sample whose report was new.
  case rttMs
  /// Share lost since the previous RTCP report, as the far end reports.
  case fractionLost
  /// When the last packet of the stream arrived.
  case lastPacketMs
  /// Negative acknowledgements sent (inbound) or received (outbound).
  case nack
  /// Picture loss indications.
  case pli
  /// Full intra requests.
  case fir

  // Inbound audio.
  /// Audio samples played, concealed ones included, at the codec's rate.
  case totalSamples
  /// Audio samples made up because the real ones were missing.
  case concealedSamples
  /// Concealed samples that were silence or comfort noise.
  case silentConcealedSamples
  /// Runs of concealed samples.
  case concealmentEvents
  /// Samples inserted to slow playout down.
  case insertedSamples
  /// Samples removed to speed playout up.
  case removedSamples
  /// Time covered by the samples played.
  case totalSamplesDurationMs
  /// Level of the last sample, 1 = full scale.
  case audioLevel
  /// Integral of the squared level.
  case totalAudioEnergy

  // Inbound, jitter buffer.
  /// Sum over emitted samples or frames of the time each spent in the jitter buffer.
  case jitterBufferDelayMs
  /// The same sum of the target delay.
  case jitterBufferTargetDelayMs
  /// The same sum of the minimum delay.
  case jitterBufferMinimumDelayMs
  /// Samples or frames that left the jitter buffer.
  case jitterBufferEmitted
  /// Sum over frames or samples from first packet to decoded.
  case processingDelayMs
  /// Playout time with nothing to play (media-playout).
  case synthesizedMs

  // Video.
  /// Complete frames received.
  case framesReceived
  /// Frames decoded (inbound) or encoded (outbound).
  case frames
  /// Frames dropped before decoding or display.
  case framesDropped
  /// Frames shown.
  case framesRendered
  /// Frames sent.
  case framesSent
  /// Key frames decoded or encoded.
  case keyFrames
  /// Frames over 2.5 times the average size.
  case hugeFrames
  /// Width of the last frame.
  case width
  /// Height of the last frame.
  case height
  /// Frames in the last second.
  case frameRate
  /// Freezes: a gap of max(3 x average, average + 150 ms) or more between frames.
  case freezeCount
  /// Time frozen; grows when the freeze ends.
  case freezeMs
  /// Pauses: a gap of more than 5 s between frames.
  case pauseCount
  /// Time paused; grows when the pause ends.
  case pauseMs
  /// Sum of the gaps between frames.
  case interFrameDelayMs
  /// Sum of the squared gaps between frames.
  case squaredInterFrameDelayS2
  /// Time spent decoding (inbound) or encoding (outbound).
  case decodeMs
  /// Sum of the quantiser over frames.
  case qpSum

  // Outbound.
  /// Bit rate the encoder aims at.
  case targetBps
  /// Sum over packets of the wait before sending.
  case packetSendDelayMs
  /// What limits the encoder: 0 none, 1 cpu, 2 bandwidth, 3 other.
  case limitedBy
  /// Time limited by the processor.
  case limitedByCpuMs
  /// Time limited by bandwidth.
  case limitedByBandwidthMs
  /// Resolution changes the limit caused.
  case resolutionChanges
  /// Whether the encoding is enabled.
  case active

  // Gauges of the legacy goog-* statistics, which have no exact W3C counterpart.
  /// Recent share of concealed audio.
  case expandRate
  /// Recent share of concealed speech.
  case speechExpandRate
  /// Recent share decoded from forward error correction.
  case secondaryDecodedRate
  /// Recent share removed to speed playout up.
  case accelerateRate
  /// Recent share inserted to slow playout down.
  case preemptiveExpandRate
  /// Receive delay now: jitter buffer, decoding and rendering.
  case currentDelayMs
  /// Jitter buffer now.
  case jitterBufferMs
  /// Jitter buffer wanted.
  case preferredJitterBufferMs
  /// Decoder calls of 10 ms with real speech.
  case decodingNormal
  /// Decoder calls of 10 ms that concealed.
  case decodingPlc
  /// Decoder calls of 10 ms of comfort noise.
  case decodingCng
  /// Decoder calls of 10 ms from concealment into comfort noise.
  case decodingPlcCng
  /// Decoder calls of 10 ms of muted output.
  case decodingMuted
  /// Frames shown in the last second.
  case frameRateOutput

  // Inbound, as the sender's RTCP reports have it.
  /// Packets that the far end had sent, only on the sample whose sender report was new.
  case farPackets
  /// When that report came.
  case farPacketsMs

  // Outbound, as the camera or the screen behind it has it.
  /// Frames that the source gave to the sender, encoded or not.
  case framesCaptured

  // Inbound and outbound, as later members of webrtc-stats have it.
  /// When the media that plays now was captured, by the sender's clock.
  case estimatedPlayoutMs
  /// Sum over samples of the time that the sound device took to play them.
  case playoutDelayMs
  /// Samples that the sound device was given.
  case playoutSamples
  /// Sum over measured frames of the probability that the picture is corrupted.
  case corruptionSum
  /// Frames that were measured for corruption.
  case corruptionMeasurements
  /// Echo return loss.
  case echoReturnLoss
  /// What echo cancellation adds to it.
  case echoReturnLossEnhancement
  /// How often the jitter buffer was emptied because it was full.
  case jitterBufferFlushes
  /// When the far end sent the report of `farPacketsMs`, by its own clock.
  case farReportMs
}
