/// Whether a figure only grows until it is reset, or is a current value.
public enum MetricBehaviour: String, Sendable {
  case counter, gauge
}

/// How a figure is stored.
public enum MetricStorage: String, Sendable {
  case integer, real
}

/// The description of a metric; schema, JSON and documentation are made from it.
public struct MetricInfo: Sendable {
  /// Name of the column in table `samples`.
  public let column: String
  /// Counter or gauge.
  public let behaviour: MetricBehaviour
  /// Integer or real.
  public let storage: MetricStorage
  /// Canonical unit.
  public let unit: String
  /// The W3C or goog members it is read from, with units converted.
  public let members: String
  /// One sentence for users.
  public let summary: String

  init(
    _ column: String, _ behaviour: MetricBehaviour, _ storage: MetricStorage, _ unit: String,
    _ members: String, _ summary: String
  ) {
    self.column = column
    self.behaviour = behaviour
    self.storage = storage
    self.unit = unit
    self.members = members
    self.summary = summary
  }
}

extension Metric {
  /// The description of this metric.
  public var info: MetricInfo {
    switch self {
    case .packets:
      .init(
        "packets", .counter, .integer, "packets", "packetsReceived, packetsSent",
        "Distinct RTP packets of the medium received or sent.")
    case .bytes:
      .init(
        "bytes", .counter, .integer, "bytes", "bytesReceived, bytesSent",
        "RTP payload bytes, headers and padding left out.")
    case .headerBytes:
      .init(
        "header_bytes", .counter, .integer, "bytes", "headerBytesReceived, headerBytesSent",
        "RTP header and padding bytes.")
    case .lost:
      .init(
        "lost", .counter, .integer, "packets", "packetsLost",
        "Packets lost as RFC 3550 counts them; signed, for duplicates make it fall. Outbound: as the far end reports."
      )
    case .expected:
      .init(
        "expected", .counter, .integer, "packets", "-", "Packets expected by sequence number (captures only)."
      )
    case .duplicates:
      .init(
        "duplicates", .counter, .integer, "packets", "-",
        "Packets whose sequence number had already come (captures only).")
    case .reordered:
      .init(
        "reordered", .counter, .integer, "packets", "-",
        "Packets that came after a later one (captures only).")
    case .late:
      .init(
        "late", .counter, .integer, "packets", "-",
        "Packets that came after their playout time by the playout emulator (captures only).")
    case .discarded:
      .init(
        "discarded", .counter, .integer, "packets", "packetsDiscarded",
        "Packets thrown away by the jitter buffer, too late or too early.")
    case .rtxPackets:
      .init(
        "rtx_packets", .counter, .integer, "packets",
        "retransmittedPacketsReceived, retransmittedPacketsSent", "Retransmitted packets.")
    case .rtxBytes:
      .init(
        "rtx_bytes", .counter, .integer, "bytes", "retransmittedBytesReceived, retransmittedBytesSent",
        "Payload bytes of retransmitted packets.")
    case .fecPackets:
      .init(
        "fec_packets", .counter, .integer, "packets", "fecPacketsReceived",
        "Packets of forward error correction received.")
    case .fecDiscarded:
      .init(
        "fec_discarded", .counter, .integer, "packets", "fecPacketsDiscarded",
        "Packets of forward error correction that were not needed.")
    case .jitterMs:
      .init(
        "jitter_ms", .gauge, .real, "ms", "jitter",
        "Interarrival jitter, RFC 3550 6.4.1. Outbound: as the far end reports.")
    case .rttMs:
      .init(
        "rtt_ms", .gauge, .real, "ms", "roundTripTime",
        "Round-trip time from RTCP reports, only on the sample whose report was new.")
    case .fractionLost:
      .init(
        "fraction_lost", .gauge, .real, "share", "fractionLost",
        "Share lost since the previous RTCP report, as the far end reports.")
    case .lastPacketMs:
      .init(
        "last_packet_ms", .gauge, .real, "ms since epoch", "lastPacketReceivedTimestamp",
        "When the last packet of the stream arrived.")
    case .nack:
      .init(
        "nack", .counter, .integer, "messages", "nackCount",
        "Negative acknowledgements sent (inbound) or received (outbound).")
    case .pli: .init("pli", .counter, .integer, "messages", "pliCount", "Picture loss indications.")
    case .fir: .init("fir", .counter, .integer, "messages", "firCount", "Full intra requests.")
    case .totalSamples:
      .init(
        "total_samples", .counter, .integer, "samples", "totalSamplesReceived",
        "Audio samples played, concealed ones included, at the codec's rate.")
    case .concealedSamples:
      .init(
        "concealed_samples", .counter, .integer, "samples", "concealedSamples",
        "Audio samples synthesized to conceal missing ones.")
    case .silentConcealedSamples:
      .init(
        "silent_concealed_samples", .counter, .integer, "samples", "silentConcealedSamples",
        "Concealed samples that were silence or comfort noise.")
    case .concealmentEvents:
      .init(
        "concealment_events", .counter, .integer, "events", "concealmentEvents", "Runs of concealed samples.")
    case .insertedSamples:
      .init(
        "inserted_samples", .counter, .integer, "samples", "insertedSamplesForDeceleration",
        "Samples inserted to slow playout down.")
    case .removedSamples:
      .init(
        "removed_samples", .counter, .integer, "samples", "removedSamplesForAcceleration",
        "Samples removed to speed playout up.")
    case .totalSamplesDurationMs:
      .init(
        "total_samples_duration_ms", .counter, .real, "ms", "totalSamplesDuration",
        "Time covered by the samples played.")
    case .audioLevel:
      .init("audio_level", .gauge, .real, "share", "audioLevel", "Level of the last sample, 1 = full scale.")
    case .totalAudioEnergy:
      .init("total_audio_energy", .counter, .real, "s", "totalAudioEnergy", "Integral of the squared level.")
    case .jitterBufferDelayMs:
      .init(
        "jitter_buffer_delay_ms", .counter, .real, "ms", "jitterBufferDelay",
        "Sum over emitted samples or frames of the time each spent in the jitter buffer.")
    case .jitterBufferTargetDelayMs:
      .init(
        "jitter_buffer_target_delay_ms", .counter, .real, "ms", "jitterBufferTargetDelay",
        "The same sum of the target delay.")
    case .jitterBufferMinimumDelayMs:
      .init(
        "jitter_buffer_minimum_delay_ms", .counter, .real, "ms", "jitterBufferMinimumDelay",
        "The same sum of the minimum delay.")
    case .jitterBufferEmitted:
      .init(
        "jitter_buffer_emitted", .counter, .integer, "samples or frames", "jitterBufferEmittedCount",
        "Samples or frames that left the jitter buffer.")
    case .processingDelayMs:
      .init(
        "processing_delay_ms", .counter, .real, "ms", "totalProcessingDelay",
        "Sum over frames or samples from first packet to decoded.")
    case .synthesizedMs:
      .init(
        "synthesized_ms", .counter, .real, "ms", "synthesizedSamplesDuration",
        "Playout time with nothing to play (media-playout).")
    case .framesReceived:
      .init("frames_received", .counter, .integer, "frames", "framesReceived", "Complete frames received.")
    case .frames:
      .init(
        "frames", .counter, .integer, "frames", "framesDecoded, framesEncoded",
        "Frames decoded (inbound) or encoded (outbound).")
    case .framesDropped:
      .init(
        "frames_dropped", .counter, .integer, "frames", "framesDropped",
        "Frames dropped before decoding or display.")
    case .framesRendered:
      .init("frames_rendered", .counter, .integer, "frames", "framesRendered", "Frames shown.")
    case .framesSent: .init("frames_sent", .counter, .integer, "frames", "framesSent", "Frames sent.")
    case .keyFrames:
      .init(
        "key_frames", .counter, .integer, "frames", "keyFramesDecoded, keyFramesEncoded",
        "Key frames decoded or encoded.")
    case .hugeFrames:
      .init(
        "huge_frames", .counter, .integer, "frames", "hugeFramesSent",
        "Frames over 2.5 times the average size.")
    case .width: .init("width", .gauge, .integer, "px", "frameWidth", "Width of the last frame.")
    case .height: .init("height", .gauge, .integer, "px", "frameHeight", "Height of the last frame.")
    case .frameRate:
      .init("frame_rate", .gauge, .real, "frames/s", "framesPerSecond", "Frames in the last second.")
    case .freezeCount:
      .init(
        "freeze_count", .counter, .integer, "freezes", "freezeCount",
        "Freezes: a gap of max(3 x average, average + 150 ms) or more between frames.")
    case .freezeMs:
      .init(
        "freeze_ms", .counter, .real, "ms", "totalFreezesDuration", "Time frozen; grows when the freeze ends."
      )
    case .pauseCount:
      .init(
        "pause_count", .counter, .integer, "pauses", "pauseCount",
        "Pauses: a gap of more than 5 s between frames.")
    case .pauseMs:
      .init(
        "pause_ms", .counter, .real, "ms", "totalPausesDuration", "Time paused; grows when the pause ends.")
    case .interFrameDelayMs:
      .init(
        "inter_frame_delay_ms", .counter, .real, "ms", "totalInterFrameDelay",
        "Sum of the gaps between frames.")
    case .squaredInterFrameDelayS2:
      .init(
        "squared_inter_frame_delay_s2", .counter, .real, "s2", "totalSquaredInterFrameDelay",
        "Sum of the squared gaps between frames.")
    case .decodeMs:
      .init(
        "decode_ms", .counter, .real, "ms", "totalDecodeTime, totalEncodeTime",
        "Time spent decoding (inbound) or encoding (outbound).")
    case .qpSum: .init("qp_sum", .counter, .integer, "qp", "qpSum", "Sum of the quantiser over frames.")
    case .targetBps:
      .init("target_bps", .gauge, .real, "bit/s", "targetBitrate", "Bit rate the encoder aims at.")
    case .packetSendDelayMs:
      .init(
        "packet_send_delay_ms", .counter, .real, "ms", "totalPacketSendDelay",
        "Sum over packets of the wait before sending.")
    case .limitedBy:
      .init(
        "limited_by", .gauge, .integer, "code", "qualityLimitationReason",
        "What limits the encoder: 0 none, 1 cpu, 2 bandwidth, 3 other.")
    case .limitedByCpuMs:
      .init(
        "limited_by_cpu_ms", .counter, .real, "ms", "qualityLimitationDurations.cpu",
        "Time limited by the processor.")
    case .limitedByBandwidthMs:
      .init(
        "limited_by_bandwidth_ms", .counter, .real, "ms", "qualityLimitationDurations.bandwidth",
        "Time limited by bandwidth.")
    case .resolutionChanges:
      .init(
        "resolution_changes", .counter, .integer, "changes", "qualityLimitationResolutionChanges",
        "Resolution changes the limit caused.")
    case .active: .init("active", .gauge, .integer, "0 or 1", "active", "Whether the encoding is enabled.")
    case .expandRate:
      .init("expand_rate", .gauge, .real, "share", "googExpandRate", "Recent share of concealed audio.")
    case .speechExpandRate:
      .init(
        "speech_expand_rate", .gauge, .real, "share", "googSpeechExpandRate",
        "Recent share of concealed speech.")
    case .secondaryDecodedRate:
      .init(
        "secondary_decoded_rate", .gauge, .real, "share", "googSecondaryDecodedRate",
        "Recent share decoded from forward error correction.")
    case .accelerateRate:
      .init(
        "accelerate_rate", .gauge, .real, "share", "googAccelerateRate",
        "Recent share removed to speed playout up.")
    case .preemptiveExpandRate:
      .init(
        "preemptive_expand_rate", .gauge, .real, "share", "googPreemptiveExpandRate",
        "Recent share inserted to slow playout down.")
    case .currentDelayMs:
      .init(
        "current_delay_ms", .gauge, .real, "ms", "googCurrentDelayMs",
        "Receive delay now: jitter buffer, decoding and rendering.")
    case .jitterBufferMs:
      .init("jitter_buffer_ms", .gauge, .real, "ms", "googJitterBufferMs", "Jitter buffer now.")
    case .preferredJitterBufferMs:
      .init(
        "preferred_jitter_buffer_ms", .gauge, .real, "ms", "googPreferredJitterBufferMs",
        "Jitter buffer wanted.")
    case .decodingNormal:
      .init(
        "decoding_normal", .counter, .integer, "calls", "googDecodingNormal",
        "Decoder calls of 10 ms with real speech.")
    case .decodingPlc:
      .init(
        "decoding_plc", .counter, .integer, "calls", "googDecodingPLC",
        "Decoder calls of 10 ms that concealed.")
    case .decodingCng:
      .init(
        "decoding_cng", .counter, .integer, "calls", "googDecodingCNG",
        "Decoder calls of 10 ms of comfort noise.")
    case .decodingPlcCng:
      .init(
        "decoding_plc_cng", .counter, .integer, "calls", "googDecodingPLCCNG",
        "Decoder calls of 10 ms from concealment into comfort noise.")
    case .decodingMuted:
      .init(
        "decoding_muted", .counter, .integer, "calls", "googDecodingMuted",
        "Decoder calls of 10 ms of muted output.")
    case .estimatedPlayoutMs:
      .init(
        "estimated_playout_ms", .gauge, .real, "ms since epoch", "estimatedPlayoutTimestamp",
        "When the media that plays now was captured, by the sender's clock.")
    case .playoutDelayMs:
      .init(
        "playout_delay_ms", .counter, .real, "ms", "totalPlayoutDelay",
        "Sum over samples of the time that the sound device took to play them (media-playout).")
    case .playoutSamples:
      .init(
        "playout_samples", .counter, .integer, "samples", "totalSamplesCount",
        "Samples that the sound device was given (media-playout).")
    case .corruptionSum:
      .init(
        "corruption_sum", .counter, .real, "share", "totalCorruptionProbability",
        "Sum over measured frames of the probability that the picture is corrupted.")
    case .corruptionMeasurements:
      .init(
        "corruption_measurements", .counter, .integer, "frames", "corruptionMeasurements",
        "Frames that were measured for corruption.")
    case .psnrSum:
      .init(
        "psnr_sum", .counter, .real, "dB", "psnrSum.y",
        "Sum over measured frames of the luma PSNR of what the encoder made of them.")
    case .psnrMeasurements:
      .init(
        "psnr_measurements", .counter, .integer, "frames", "psnrMeasurements",
        "Frames of which the encoder measured the PSNR.")
    case .echoReturnLoss:
      .init("echo_return_loss", .gauge, .real, "dB", "echoReturnLoss", "Echo return loss (media-source).")
    case .echoReturnLossEnhancement:
      .init(
        "echo_return_loss_enhancement", .gauge, .real, "dB", "echoReturnLossEnhancement",
        "What echo cancellation adds to the echo return loss (media-source).")
    case .jitterBufferFlushes:
      .init(
        "jitter_buffer_flushes", .counter, .integer, "flushes", "jitterBufferFlushes",
        "How often the jitter buffer was emptied because it was full.")
    case .farReportMs:
      .init(
        "far_report_ms", .gauge, .real, "ms since epoch", "remote-outbound-rtp.remoteTimestamp",
        "When the far end sent its report, by its own clock; once a report.")
    case .frameRateOutput:
      .init(
        "frame_rate_output", .gauge, .real, "frames/s", "googFrameRateOutput",
        "Frames shown in the last second.")
    case .farPackets:
      .init(
        "far_packets", .counter, .integer, "packets", "packetsSent of remote-outbound-rtp",
        "Packets that the far end had sent, only on the sample whose sender report was new.")
    case .farPacketsMs:
      .init(
        "far_packets_ms", .gauge, .real, "ms since epoch", "timestamp of remote-outbound-rtp",
        "When that report came.")
    case .framesCaptured:
      .init(
        "frames_captured", .counter, .integer, "frames", "frames of media-source",
        "Frames that the source gave to the sender, encoded or not.")
    }
  }
}

/// Members of getStats without a column: stored in `extra`, a JSON object, of samples and paths.
public enum ExtraMembers {
  /// Minimum interval between values of a changing counter, ms. Stored with every sample, these counters
  /// would make a database a quarter larger, and no judgement uses them. Words and flags are stored with the
  /// sample in which they changed.
  public static let counterIntervalMs = 5000.0
}
