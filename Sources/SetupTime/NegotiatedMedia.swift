import CallModel

extension Timeline {
  /// Whether media of a kind was agreed upon for the connection as it was first set up; nil where no remote stream is named.
  ///
  /// What a later offer added has its own beginning.
  func negotiatedAtFirst(_ kind: MediaKind?, connected: Moment) -> Bool? {
    let later = first(
      of: ["sdp.offer-created", "sdp.offer-sent", "sdp.offer-received"], from: connected.timeMs)
    let streams = events.filter { $0.event == "media.remote-stream" }
    guard !streams.isEmpty else { return nil }
    return streams.contains { stream in
      if let later, let timeMs = stream.timeMs, timeMs >= later.timeMs { return false }
      guard let kind, let told = stream.argument("kind") else { return true }
      return told == kind.rawValue
    }
  }
}
