/// A video frame on its way: what came of it, known by its RTP timestamp.
struct VideoFrame {
  /// RTP time since the first packet, unwrapped.
  var at: Int64
  /// First and last sequence number received of the media stream itself; nil while only retransmissions came.
  var first: Int64?
  var last: Int64?
  /// Number of the packet with the marker, the last of the frame; what follows is redundancy (ULPFEC).
  var marker: Int64?
  /// Distinct media packets up to the marker.
  var packets = 0
  /// Redundancy after the marker.
  var fec = 0
  /// Retransmitted packets of this frame.
  var repeats = 0
  /// Whether the marked packet came by retransmission.
  var markerRepeated = false
  /// Whether numbers are missing among its retransmissions.
  var lacksRepeats = false
  /// Whether it was lost as a whole and came again as a whole: packets are sent again in order, the marked one last.
  var isRepeatedWhole: Bool { first == nil && markerRepeated && !lacksRepeats }
  var bytes = 0
  var firstNs: Int64
  /// When the last packet of it came.
  var lastNs: Int64
  /// Whether a part of it was asked for again, or overtaken for so long that it will have been.
  var isRepaired = false
  /// Whether a packet of it came after one that was sent later.
  var isOvertaken = false
  /// Whether it is taken for a key frame: the first sent after the receiver asked for one.
  var isKey = false
}

extension VideoAssembly {
  /// A frame that came out of a packet.
  struct Decoded {
    var at: Int64
    var bytes: Int
    /// When the first and the last packet of it came, and whether some of it had to be sent again.
    var firstNs: Int64
    var lastNs: Int64
    var isRepaired: Bool
    /// Whether something of it or before it is missing, and is only thought to have come some other way.
    var isGuessed: Bool
    /// When it could be decoded.
    var readyNs: Int64
  }
}
