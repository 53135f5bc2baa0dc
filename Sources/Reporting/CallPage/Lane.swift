/// A measure drawn over the time of the call, with a line for each stream or end.
struct Lane {
  /// One line of a lane.
  struct Line {
    /// Place of the end in the account: its colour.
    var end: Int
    /// `caller, audio`.
    var label: String
    var dash: Dash
    /// Which of the streams of its end and kind it is, the worst being 0: the others are paler.
    var rank = 0
    /// Whether a value holds until the next one.
    var isStep: Bool
    var series: Series
  }

  /// How a line is drawn, so that colour alone never tells lines apart.
  enum Dash: String {
    case solid, dashed, dotted

    /// For a lane of one kind of stream: the worst stream's line is whole.
    static func ofRank(_ rank: Int) -> Dash { rank == 0 ? .solid : rank == 1 ? .dashed : .dotted }
  }

  var id: String
  var title: String
  var unit: String
  /// What the values are multiplied with for showing.
  var scale: Double
  var decimals: Int
  /// The least top of the axis, in shown units, so that noise does not fill the lane.
  var top: Double
  /// What a reader should hold against it.
  var note: String
  var lines: [Line] = []
  /// Streams that are not drawn, in words; nil where all are.
  var left: String?
}

extension Lane {
  /// Every lane, empty.
  static var all: [Lane] {
    [
      Lane(
        id: "loss", title: "Packet loss", unit: "%", scale: 100, decimals: 1, top: 2,
        note: "lost on the wire towards each end"),
      Lane(
        id: "concealed", title: "Concealed sound", unit: "%", scale: 100, decimals: 1, top: 2,
        note: "made up by the jitter buffer"),
      Lane(
        id: "jitter", title: "Jitter", unit: "ms", scale: 1, decimals: 1, top: 20,
        note: "interarrival, RFC 3550"),
      Lane(
        id: "rtt", title: "Round trip", unit: "ms", scale: 1, decimals: 0, top: 50,
        note: "connectivity checks and RTCP"),
      Lane(
        id: "delay", title: "Delay", unit: "ms", scale: 1, decimals: 0, top: 150,
        note: "mouth to ear, a window at a time"),
      Lane(
        id: "bitrate", title: "Bit rate", unit: "kb/s", scale: 0.001, decimals: 0, top: 50,
        note: "received; dotted: what the sender aims at"),
      Lane(
        id: "fps", title: "Frame rate", unit: "fps", scale: 1, decimals: 0, top: 15, note: "frames decoded"),
      Lane(
        id: "height", title: "Resolution", unit: "lines", scale: 1, decimals: 0, top: 180,
        note: "height of the picture"),
      Lane(
        id: "freeze", title: "Freezes", unit: "% of the time", scale: 100, decimals: 0, top: 10,
        note: "booked when the picture moves again"),
    ]
  }
}
