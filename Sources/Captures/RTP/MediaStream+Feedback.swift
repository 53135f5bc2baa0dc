import CallModel

extension MediaStream {
  /// Its sender reported in the clear how many packets it had sent (RFC 3550 6.4.1).
  func reported(sent packets: UInt32, at timeNs: Int64) { senderReport = (packets, timeNs) }

  /// Its receiver reported what it lost, which is when its sender may begin to protect the sound.
  func wasReported(at timeNs: Int64) {
    guard audio != nil else { return }
    audio?.fec.reported(atMs: Double(timeNs) / 1e6, expected: sequence.expected, lost: sequence.lost)
  }

  /// Its receiver reported in the clear how many packets it lost so far; duplicates count against them (RFC 3550).
  func compareLoss(with reporter: UInt32, at timeNs: Int64) {
    let missing = sequence.lost - sequence.duplicates
    uncapturedLoss.take(
      missing: missing, of: sequence.expected, reported: reports.lost, by: reporter, since: firstNs,
      at: timeNs)
    reportedLoss.take(missing: missing, of: sequence.expected, reported: reports.lost, by: reporter)
  }

  /// Its receiver asked for a key frame.
  func keyFrameAsked(at timeNs: Int64) { video?.asked(at: timeNs) }

  /// Its receiver asked for packets again.
  func packetsAsked(at timeNs: Int64) {
    repeatRequests &+= 1
    video?.nacked(at: timeNs)
  }

  /// How often its receiver asked for packets again; nil where none of its reports was captured, and where another picture of the
  /// sender may have been meant.
  var ownRepeatRequests: Int? {
    let isAlone = !path.media.contains {
      $0 !== self && $0.sender == sender && $0.role == .media && $0.kind == .video
    }
    return isAlone && path[1 - sender].firstRTCPNs != nil ? repeatRequests : nil
  }

  /// Once a second: where no reports of the receiver were captured, one is assumed; sound and picture stay together.
  func everySecond(at timeNs: Int64) {
    guard audio != nil else { return }
    let ms = Double(timeNs) / 1e6
    if audio?.fec.isOverdue(atMs: ms, startMs: Double(firstNs) / 1e6) == true { wasReported(at: timeNs) }
    synchronise(timeNs)
  }

  /// Both clocks are known from two reports of the sender each; where those were not captured, after so long.
  private static let reportsNeeded = 2
  private static let unreportedNs: Int64 = 8_000_000_000

  private func synchronise(_ timeNs: Int64) {
    guard audio != nil,
      let picture = path.media.first(where: { $0.sender == sender && $0.kind == .video && $0.video != nil }),
      let shown = picture.video, shown.lastPacketNs > syncedNs, hasKnownClock(timeNs),
      picture.hasKnownClock(timeNs)
    else { return }
    guard let latenessMs = audio?.newestLatenessMs, let levelMs = audio?.levelMs else { return }
    syncedNs = shown.lastPacketNs
    // The fastest packets of both are taken to have been sent together.
    let wanted = lipSync.step(
      relativeMs: shown.newestLatenessMs - latenessMs,
      soundMs: levelMs + LipSync.deviceMs, pictureMs: shown.wantedMs)
    guard let wanted else { return }
    audio?.wanted.leastMs = wanted.soundMs
    picture.video?.leastDelayMs = wanted.pictureMs
  }

  private func hasKnownClock(_ timeNs: Int64) -> Bool {
    path[sender].firstRTCPNs != nil
      ? senderReports >= Self.reportsNeeded : timeNs &- firstNs > Self.unreportedNs
  }
}
