/// What a capture shows beside the events of its calls: the raw name of an event that has no canonical one.
public enum CaptureNote: String, Sendable, CaseIterable {
  case drops = "capture.drops"
  case oneDirection = "capture.one-direction"
  case mediaElsewhere = "capture.media-elsewhere"
  /// A host that never answered an INVITE.
  case neverAnswered = "capture.never-answered"
  /// Packets missing from the capture, which arrived according to the receiver's reports.
  case missed = "capture.missed"
  /// Packets that did not arrive, by the reports of their sender or by the numbers of later packets.
  case unheard = "capture.unheard"
  case sentAfter = "capture.sent-after"
  case lostBetween = "capture.lost-between"
  /// Packets that arrived and are hard or impossible to play.
  case payloadType = "capture.payload-type"
  case srtpReset = "capture.srtp-reset"
  case sparse = "capture.sparse"
  case packing = "capture.packing"
  case mediaClock = "capture.media-clock"
  case packetTime = "capture.packet-time"
  case inTheClear = "capture.in-the-clear"
  case digitalSilence = "capture.digital-silence"
  /// A host that said of the port that media were sent to that it is closed.
  case portClosed = "capture.port-closed"
  case clockJump = "capture.clock-jump"
  /// A second sound that came to a port at the same time, from an address that no description names.
  case secondSound = "capture.second-sound"
  /// Fax (T.38) instead of sound, which is counted and not read.
  case fax = "capture.fax"
  /// A session description in a SIP message.
  case description = "capture.description"
}

extension EventRecord {
  /// What a capture's reader noted with it; nil for any other event.
  public var note: CaptureNote? { event == .unknown ? CaptureNote(rawValue: raw) : nil }
}
