/// Thresholds of findings on sound, picture and loss.
extension Threshold {
  // MARK: Sound

  public static let noSound = Threshold(3000, .ms, "time without a packet of sound")
  public static let noSoundGoesOn = Threshold(5000, .ms, "time for which that goes on")
  /// A path without a byte for longer does not work.
  public static let pathHeard = Threshold(
    2500, .ms, "time without a byte after which a path counts as broken")
  /// A far end that sends no media still sends something: consent checks come at most 6 s apart (RFC 7675 section 5.1),
  /// RTCP reports 6.2 s (RFC 3550 section 6.3.1).
  public static let farEndAbsent = Threshold(6500, .ms, "time without anything from the far end in a capture")
  public static let missingMedium = Threshold(
    5000, .ms, "time for which the medium was sent and did not come")
  /// Fewer may have been in transit, or be probes.
  public static let sentPackets = Threshold(
    25, .packets, "packets that the sender counts and that did not come")
  public static let unprovenGap = Threshold(10_000, .ms, "time without sound at an end that sends none")
  public static let silentLevel = Threshold(0.001, .level, "mean level under which nothing can be heard")
  public static let digitalSilenceLevel = Threshold(
    1e-5, .level, "level under which there is no sound at all")
  public static let wholeSilent = Threshold(10_000, .ms, "length of a call in which nothing can be heard")
  /// Anything shorter is a pause in speech.
  public static let silence = Threshold(15_000, .ms, "time of silence, or of sending nothing")
  /// Anything shorter is a pause or a mute key.
  public static let digitalSilence = Threshold(10_000, .ms, "time of digital silence in a capture")
  public static let stall = Threshold(1000, .ms, "time for which the far end stalled")
  public static let stallsListed = Threshold(3, .count, "stalls that are reported one by one")
  public static let unplayed = Threshold(10_000, .ms, "time in which sound arrives and is not played")
  public static let wholeShare = Threshold(
    0.99, .share, "share of the packets discarded, or of what is played concealed")
  /// Lip sync usually stays below it.
  public static let heldBack = Threshold(200, .ms, "delay beyond what the network requires")
  public static let heldBackFor = Threshold(5000, .ms, "time for which sound is held back")
  public static let flushes = Threshold(3, .times, "how often the buffer was emptied")
  public static let flushesWithin = Threshold(60_000, .ms, "time within which these are counted")
  /// With a delay of 300 ms echo is audible below 46 dB (ITU-T G.131), but the canceller reports only its linear filter,
  /// and the suppressor behind it adds 20 dB and more.
  public static let echoLoss = Threshold(10, .decibels, "reduction under which the far end hears itself")
  public static let echoFor = Threshold(10_000, .ms, "time for which that is so")
  /// People answer after about 200 ms (Stivers et al., PNAS 2009) and take a second of silence as a sign of trouble
  /// (Roberts and Francis, JASA 2013).
  public static let slowAnswer = Threshold(1500, .ms, "median time to the answer")
  public static let answers = Threshold(3, .count, "number of answers")
  public static let earlyDetected = Threshold(45, .ms, "sound before its picture, detectable")
  public static let earlyAccepted = Threshold(90, .ms, "sound before its picture, no longer acceptable")
  public static let lateDetected = Threshold(125, .ms, "sound later than its picture, detectable")
  public static let lateAccepted = Threshold(185, .ms, "sound later than its picture, no longer acceptable")
  /// Anything shorter is a brief adjustment of the buffers.
  public static let apartFor = Threshold(10_000, .ms, "time for which they are apart")

  // MARK: Picture

  /// The length above which W3C webrtc-stats calls a freeze a pause.
  public static let pause = Threshold(5000, .ms, "time for which the picture stands still")
  public static let keyFrameRequests = Threshold(0.5, .perSecond, "requests for a key frame")
  public static let requestedFor = Threshold(10_000, .ms, "time for which they are requested")
  public static let corruptShare = Threshold(0.2, .share, "share of the picture that differs")
  /// Such values are errors of the measurement.
  public static let certainlyCorrupt = Threshold(0.98, .share, "share from which it is not counted")
  public static let corruptFor = Threshold(5000, .ms, "time for which it differs")
  public static let layerShare = Threshold(
    0.75, .share, "lines shown under this share of those of the largest layer sent")
  /// With more, a server may have switched to a smaller layer.
  public static let layerLoss = Threshold(0.02, .share, "loss under which a small layer is reported")
  public static let layerFor = Threshold(15_000, .ms, "time for which the small layer is shown")

  // MARK: Sender and receiver

  public static let ramp = Threshold(
    10_000, .ms, "time after the first packet in which a sender finds its rate")
  public static let limitedFor = Threshold(5000, .ms, "time for which the sender is limited")
  public static let unlimitedFor = Threshold(3000, .ms, "time without the limit after which it has ended")
  public static let starvedPicture = Threshold(
    150_000, .bitsPerSecond, "estimated bandwidth, with video, under which it is too small")
  public static let starvedSound = Threshold(
    40_000, .bitsPerSecond, "estimated bandwidth, without video, under which it is too small")
  /// The estimate grows only with what is sent, so for a still picture it means nothing. (libwebrtc considers a sender
  /// application-limited below 0.65; here the bytes sent exclude IP and UDP headers.)
  public static let usedBandwidth = Threshold(0.5, .share, "share of the estimated bandwidth in use")
  /// libwebrtc's highest default target bitrate for camera video of any size (`GetMaxDefaultVideoBitrateKbps`).
  public static let plentyOfBandwidth = Threshold(
    2_500_000, .bitsPerSecond, "target of the encoder from which it is not too small")
  public static let droppedShare = Threshold(0.1, .share, "share of received frames that is dropped")
  public static let droppingFor = Threshold(10_000, .ms, "time for which frames are dropped")
  public static let droppingLoss = Threshold(0.02, .share, "loss under which the network does not explain it")
  public static let pictureLoss = Threshold(
    0.1, .share, "loss from which it explains that no frame is decoded")
  public static let loss = Threshold(0.02, .share, "share lost or discarded")
  public static let lossWarning = Threshold(0.05, .share, "share from which it is a warning")
  public static let lossPackets = Threshold(100, .packets, "packets over which loss is measured")
  public static let lossMeasured = Threshold(10_000, .ms, "time over which statistics measure loss")
  public static let notDelivered = Threshold(
    5000, .ms, "time of ICMP errors, of a wrong address, or without progress in the reports")
  public static let missedByCapture = Threshold(0.02, .share, "share missing from the capture")
  public static let missedOf = Threshold(100, .packets, "packets of the stream")

  // MARK: Machine

  public static let reportGap = Threshold(5000, .ms, "time without reports")
  public static let reportGapIntervals = Threshold(4, .times, "that time by the usual interval")
  public static let usualIntervals = Threshold(3, .count, "intervals from which the usual one is known")
  public static let playoutShare = Threshold(0.8, .share, "playout by real time under which it is slow")
  public static let playoutShareWhileFull = Threshold(
    0.9, .share, "the same while the jitter buffer holds too much")
  public static let bufferFull = Threshold(
    100, .ms, "how much more than intended the jitter buffer then holds")
  public static let slowPlayoutFor = Threshold(10_000, .ms, "time for which playout is slow")
}
