/// Thresholds of findings on the connection, on clocks, on what captures show and on what logs say.
extension Threshold {
  // MARK: Connection

  /// If the user hangs up sooner, it is unknown whether it would have come up.
  public static let patience = Threshold(5000, .ms, "time for which it is tried, or connected, without media")
  public static let lateMedia = Threshold(2000, .ms, "time from the connection to the first packet")
  /// If the first report of a stream already counts more, it is unknown when the stream began.
  public static let unseenMedia = Threshold(
    2000, .ms, "media in the first report up to which its beginning is known")
  /// RFC 6347 section 4.2.4 suggests an initial retransmission timer of 1 s. A shorter one expires on a slow path or a
  /// busy end without any loss; that of current browsers starts at 50 ms and doubles.
  public static let patientTimer = Threshold(
    900, .ms, "timer from which a repeated flight shows loss by itself")
  public static let sameChange = Threshold(5000, .ms, "time within which changes are one")

  // MARK: Clocks

  public static let skew = Threshold(1000, .ms, "difference between two clocks")
  public static let zoneSlack = Threshold(
    1000, .ms, "difference from a whole quarter of an hour up to which it is taken for a time zone")

  /// Media may begin some time after the call is established, or before.
  public static let skewByMedia = Threshold(
    5000, .ms, "difference of a log from the media of its end, or between streams")
  public static let skewBesideZone = Threshold(2000, .ms, "the same beside a mistaken time zone")

  // MARK: Captures

  public static let refusedFor = Threshold(2000, .ms, "time of such packets")
  public static let refusedPackets = Threshold(50, .packets, "number of such packets")
  public static let rekeyed = Threshold(10_000, .ms, "time before or after, within which new keys explain it")
  public static let sparseFor = Threshold(5000, .ms, "time for which so little is sent")
  public static let sparseTogether = Threshold(3, .packets, "packets sent together")
  public static let sparseGap = Threshold(3, .times, "gap by the length of a packet")
  /// Opus sends every 400 ms in silence.
  public static let sparseGapOfOpus = Threshold(430, .ms, "gap for Opus")
  /// Packets farther apart keep a path open.
  public static let keepAlive = Threshold(10_000, .ms, "gap above which they are not counted")
  /// How much older than the last packet played a packet may be for the jitter buffer to discard it (libwebrtc
  /// `packet_buffer.cc`). An older one restarts the time line.
  public static let timestampJump = Threshold(5000, .ms, "jump beyond the time that passed")
  /// Smaller differences are due to the rounding of a codec's frame length.
  public static let packetTime = Threshold(5, .ms, "difference from what was asked for")
  /// Fewer do not show the sender's usual behaviour.
  public static let packetTimePackets = Threshold(100, .packets, "packets of the stream")

  // MARK: Logs

  /// A change of network is always logged as a brief outage.
  public static let outage = Threshold(1000, .ms, "length of an outage")
  public static let lateICE = Threshold(2000, .ms, "time from the answer to ICE connected")
  /// Shortly before the end it belongs to hanging up.
  public static let mediaLostBefore = Threshold(2000, .ms, "time before the end of the call")
}
