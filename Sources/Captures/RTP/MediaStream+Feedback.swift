import CallModel

extension MediaStream {
  /// Its receiver reported what it lost, which is when its sender may begin to protect the sound.
  func wasReported(at timeNs: Int64) {
    guard audio != nil else { return }
    audio?.fec.reported(atMs: Double(timeNs) / 1e6, expected: sequence.expected, lost: sequence.lost)
  }

  /// Its receiver asked for a key frame.
  func keyFrameAsked(at timeNs: Int64) { video?.asked(at: timeNs, roundTripMs: roundTripMs) }

  /// Its receiver asked for packets again.
  func packetsAsked(at timeNs: Int64) { video?.nacked(at: timeNs, roundTripMs: roundTripMs) }

  /// From the tap to the sender and back, as last measured; 0 where nothing was.
  private var roundTripMs: Double { Double(path.roundTrips.last { Int($0.answeredBy) == sender }?.ms ?? 0) }

  /// Once a second: where no reports of the receiver were captured, one is assumed; sound waits for the picture.
  func everySecond(at timeNs: Int64) {
    guard let lateness = audio?.latenessMs else { return }
    let ms = Double(timeNs) / 1e6
    if audio?.fec.isOverdue(atMs: ms, startMs: Double(firstNs) / 1e6) == true { wasReported(at: timeNs) }
    synchronise(lateness, timeNs)
  }

  /// libwebrtc's `stream_synchronization.cc`: a smoothed difference over 30 ms moves the wanted delay, 80 ms at most.
  private func synchronise(_ sound: Double, _ timeNs: Int64) {
    guard
      let picture = path.media.first(where: { $0.sender == sender && $0.kind == .video && $0.video != nil }),
      let shown = picture.video?.delayOfSecond(at: timeNs), lastNs &- firstNs > 8_000_000_000,
      timeNs &- lastNs < 500_000_000
    else { return }
    syncAverageMs = (3 * syncAverageMs + shown - sound) / 4
    guard abs(syncAverageMs) >= 30 else { return }
    let change = min(80, max(-80, syncAverageMs / 2))
    let wanted = audio?.syncMs ?? 0
    audio?.syncMs = change > 0 ? min(10_000, max(wanted, sound) + change) : max(0, wanted + change)
    syncAverageMs = 0
  }
}
