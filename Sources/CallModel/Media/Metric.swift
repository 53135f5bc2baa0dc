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
  /// Packets lost as in RFC 3550; signed, as duplicates make it fall. Outbound: as reported by the far end.
  case lost
  /// Packets expected by sequence number (captures only).
  case expected
  /// Packets with a sequence number received before (captures only).
  case duplicates
  /// Packets received after one with a higher sequence number (captures only).
  case reordered
  /// Packets received after their playout time, according to the playout emulator (captures only).
  case late
  /// Packets discarded by the jitter buffer, too late or too early.
  case discarded
  /// Retransmitted packets.
  case rtxPackets
  /// Payload bytes of retransmitted packets.
  case rtxBytes
  /// Packets of forward error correction received.
  case fecPackets
  /// Packets of forward error correction that were not needed.
  case fecDiscarded
  /// Interarrival jitter, RFC 3550 6.4.1. Outbound: as reported by the far end.
  case jitterMs
  /// Round-trip time from RTCP reports; only in the sample in which the report was new.
  case rttMs
  /// Share lost since the previous RTCP report, as reported by the far end.
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
  /// Audio samples concealed because the real ones were missing.
  case concealedSamples
  /// Concealed samples that were silence or comfort noise.
  case silentConcealedSamples
  /// Runs of concealed samples.
  case concealmentEvents
  /// Samples inserted to slow down playout.
  case insertedSamples
  /// Samples removed to speed up playout.
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
  /// The same sum for the target delay.
  case jitterBufferTargetDelayMs
  /// The same sum for the minimum delay.
  case jitterBufferMinimumDelayMs
  /// Samples or frames that left the jitter buffer.
  case jitterBufferEmitted
  /// Sum over frames or samples of the time from first packet to decoded.
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
  /// Resolution changes caused by the limitation.
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
  /// Recent share removed to speed up playout.
  case preemptiveExpandRate
  /// Recent share inserted to slow down playout.
  case currentDelayMs
  /// Current receive delay: jitter buffer, decoding and rendering.
  case jitterBufferMs
  /// Current jitter buffer delay.
  case preferredJitterBufferMs
  /// Preferred jitter buffer delay.
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

  // Inbound, from the sender's RTCP reports.
  /// Packets sent by the far end; only in the sample in which the sender report was new.
  case farPackets
  /// When that report was received.
  case farPacketsMs

  // Outbound, from the camera or screen.
  /// Frames that the source delivered to the sender, encoded or not.
  case framesCaptured

  // Inbound and outbound, from later members of webrtc-stats.
  /// When the media now being played was captured, by the sender's clock.
  case estimatedPlayoutMs
  /// Sum over samples of the delay in the sound device.
  case playoutDelayMs
  /// Samples delivered to the sound device.
  case playoutSamples
  /// Sum over measured frames of the probability that the frame is corrupted.
  case corruptionSum
  /// Frames that were measured for corruption.
  case corruptionMeasurements
  /// Echo return loss.
  case echoReturnLoss
  /// Echo return loss enhancement: what echo cancellation adds.
  case echoReturnLossEnhancement
  /// How often the jitter buffer was emptied because it was full.
  case jitterBufferFlushes
  /// When the far end sent the report of `farPacketsMs`, by its own clock.
  case farReportMs
  /// Sum over measured frames of the luma PSNR of the encoder.
  case psnrSum
  /// Frames of which the encoder measured the PSNR.
  case psnrMeasurements
}
