import CallModel
import Rendering

/// Streams as one line of text.
enum StreamWords {
  /// `opus, 9.6 % lost, jitter 18 ms, 6.1 % concealed` for the streams an end received: the worst, with a summary of
  /// the others.
  package static func received(_ end: EndAccount, _ kind: MediaKind, briefly: Bool = false) -> String? {
    let streams = StreamRanking.worst(end, kind)
    guard let worst = streams.first else { return nil }
    var words = figures(of: worst, kind, streams.count == 1 ? end.windows : [], briefly)
    // What a capture on the way has is not what came.
    let due = end.fates.filter { $0.medium == kind && $0.fate.what != .notDue }
    if end.windowSource == .capture, !due.isEmpty, due.allSatisfy(\.fate.isMissed) {
      words = "nothing; where captured: \(words)"
    }
    guard streams.count > 1 else { return words }
    let others = streams.dropFirst()
    let losses = others.compactMap(lossShare)
    let most =
      losses.max().map { most in
        "\(most >= 0.0005 && others.count > 1 ? "at most " : "")\(Measure.percent(most)) lost"
      } ?? "loss not known"
    return "worst of \(streams.count) streams: \(name(worst)), \(words); "
      + (others.count == 1 ? "the other: " : "the other \(others.count): ") + most
  }

  /// `SSRC 1007`, `mid 1`: identifies a stream among those of its end.
  package static func name(_ stream: StreamAccount) -> String {
    if let ssrc = stream.ssrc { return "SSRC \(ssrc)" }
    if let mid = stream.figures["mid"]?.string {
      return "mid \(VisibleText.visible(VisibleText.cut(mid, to: 20)))"
    }
    return "stream \(stream.key)"
  }

  /// `PCMU`, or `opus, later PCMU`.
  private static func codec(of stream: StreamAccount) -> String? {
    let names = [stream.firstCodec, stream.codec].compactMap { $0 }
    return names.isEmpty
      ? nil : names.map { VisibleText.visible(VisibleText.cut($0, to: 20)) }.joined(separator: ", later ")
  }

  private static func figures(
    of stream: StreamAccount, _ kind: MediaKind, _ windows: [Window], _ briefly: Bool
  ) -> String {
    var parts = [codec(of: stream) ?? "codec unknown"]
    if kind == .video, let width = stream.number("width"), let height = stream.number("height"), width > 0 {
      parts[0] += " \(CellText.shortest(width))×\(CellText.shortest(height))"
      if let rate = stream.number("frame_rate_mean") {
        parts.append("\(Measure.frameRate(rate)) fps")
      }
    }
    if StreamRanking.isDark(stream) { parts.append("not one frame decoded") }
    if let share = lossShare(stream) { parts.append("\(Measure.percent(share)) lost") }
    if kind == .audio, let share = stream.concealedShare {
      parts.append("\(Measure.percent(share)) concealed" + asSilence(stream, of: share))
    }
    if !briefly, let jitter = stream.number("jitter_mean_ms") {
      parts.append("jitter \(Measure.duration(jitter))")
    }
    if let freezes = stream.number("freeze_count"), freezes > 0 {
      let time = frozenTime(stream, windows).map { " (\($0))" } ?? ""
      parts.append("\(CellText.shortest(freezes)) freeze\(freezes == 1 ? "" : "s")\(time)")
    }
    if !briefly, let rate = stream.number("bitrate_mean_bps") { parts.append(Measure.bitrate(rate)) }
    return parts.joined(separator: ", ")
  }

  /// How long its video was frozen according to the counter `freeze_ms`, as shown by `streams`; and, if different, how
  /// long the only video was frozen according to the score, as in the summary. A browser counts a freeze when it ends,
  /// and misses those among the first frames or lasting to the end. Pauses have their own counter, and a hold counts as
  /// one freeze that no score includes.
  private static func frozenTime(_ stream: StreamAccount, _ windows: [Window]) -> String? {
    let counted = stream.number("freeze_ms").map { Measure.duration($0) }
    guard windows.contains(where: { $0.inputs.freezeShare != nil }) else { return counted }
    let frozenMs = EndTotals(windows).frozenMs
    // A freeze that no score includes may be a camera that was off.
    guard frozenMs > 0 || counted == nil else { return counted }
    let still = Measure.duration(frozenMs)
    guard let counted else { return "still for \(still)" }
    guard counted != still else { return counted }
    let hasUnscored = windows.contains { $0.state == .unscored }
    return "\(counted); still for \(still)\(hasUnscored ? " of the time with a score" : "")"
  }

  /// How much of the concealment was silence, if most of it was: on hold or muted, missing audio is concealed as
  /// silence.
  package static func asSilence(_ stream: StreamAccount, of share: Double) -> String {
    let paused = stream.pausedConcealed
    guard let all = stream.number("silent_concealed_samples"), let played = stream.number("total_samples")
    else { return "" }
    let (silent, total) = (max(0, all - paused), played - paused)
    guard total > 0, silent / total >= 0.01, silent / total > share / 2 else { return "" }
    return " (\(Measure.percent(min(share, silent / total))) as silence)"
  }

  /// `opus 30 kb/s, VP8 640×360 812 kb/s`.
  package static func sent(_ end: EndAccount) -> String? {
    let streams = end.ownStreams.filter {
      $0.direction == .outbound && ($0.number("packets") ?? 0) > 0 && $0.role != .probe
    }
    let parts = streams.prefix(4).map { stream in
      var text =
        codec(of: stream) ?? stream.kind?.rawValue
        ?? (stream.role == .fec ? "redundancy" : "stream")
      if let width = stream.number("width"), let height = stream.number("height") {
        text += " \(CellText.shortest(width))×\(CellText.shortest(height))"
      }
      return text + (stream.number("bitrate_mean_bps").map { " " + Measure.bitrate($0) } ?? "")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ") + (streams.count > 4 ? " …" : "")
  }

  /// Packets lost as a share of those expected, never negative; nil if either is unknown.
  package static func lossShare(_ stream: StreamAccount) -> Double? {
    guard let lost = stream.number("lost"), let packets = stream.number("packets"), packets + max(lost, 0) > 0
    else {
      return nil
    }
    return max(lost, 0) / (packets + max(lost, 0))
  }
}

/// Decides which streams of an end are shown first.
enum StreamRanking {
  /// Received streams of a kind with packets, worst first: by loss, then freezes, then fewest packets.
  package static func worst(_ end: EndAccount, _ kind: MediaKind) -> [StreamAccount] {
    end.ownStreams.filter {
      $0.direction == .inbound && $0.kind == kind && $0.role == nil
        && (($0.number("packets") ?? 0) > 0 || ($0.number("bytes") ?? 0) > 0)
    }
    .sorted { impairment($0) > impairment($1) }
  }

  private static func impairment(_ stream: StreamAccount) -> Double {
    let span = max(1, (stream.lastMs ?? 0) - (stream.firstMs ?? 0))
    // Freeze counters only start with the first frame.
    if isDark(stream) { return 1 + (StreamWords.lossShare(stream) ?? 0) }
    return (StreamWords.lossShare(stream) ?? 0) + (stream.number("freeze_ms") ?? 0) / span
      + (stream.concealedShare ?? 0)
  }

  /// Whether video was received without a single decoded frame.
  static func isDark(_ stream: StreamAccount) -> Bool {
    stream.kind == .video && stream.number("frame_rate_mean") == 0 && stream.number("width") ?? 0 == 0
      && stream.number("bytes") ?? 0 >= (stream.number("packets") ?? 1) * minVideoPayload
  }
}
