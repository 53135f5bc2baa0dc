import Rendering

/// Compares what captures saw of a stream with what its receiver counted and concealed, to find where it was lost.
///
/// Streams are matched by SSRC. A capture at the receiving end shows what arrived there, one at the sending end what
/// was sent; the difference between them was lost on the path.
struct WireWords {
  private let account: CallAccount

  package init(_ account: CallAccount) { self.account = account }

  /// One paragraph per stream seen by a capture and another source; empty without a capture.
  package var sentences: [String] {
    account.ends.flatMap { end in
      inbound(end).sorted { ($0.kind?.rawValue ?? "", $0.key) < ($1.kind?.rawValue ?? "", $1.key) }.compactMap
      {
        sentence($0, towards: end)
      }
    }
  }

  /// Inbound media in the capture at this end, without retransmissions.
  private func inbound(_ end: EndAccount) -> [StreamAccount] {
    end.streams.filter {
      $0.source == .capture && $0.direction == .inbound && $0.ssrc != nil && ($0.number("expected") ?? 0) > 0
        && stats(of: $0, at: end) != nil
    }
  }

  private func stats(of stream: StreamAccount, at end: EndAccount) -> StreamAccount? {
    end.ownStreams.first { $0.source == .stats && $0.direction == .inbound && $0.ssrc == stream.ssrc }
  }

  private func sent(_ stream: StreamAccount) -> (end: EndAccount, stream: StreamAccount)? {
    for end in account.ends {
      if let other = end.streams.first(where: {
        $0.source == .capture && $0.direction == .outbound && $0.ssrc == stream.ssrc
      }) {
        return (end, other)
      }
    }
    return nil
  }

  private func sentence(_ wire: StreamAccount, towards end: EndAccount) -> String? {
    guard let receiver = stats(of: wire, at: end), let missing = wire.number("lost"),
      let expected = wire.number("expected"), expected > 0
    else { return nil }
    let kind = wire.kind.map { $0 == .audio ? "Sound" : "Picture" } ?? "Media"
    var parts = [
      "\(kind) to \(EndWords.name(end.name)): \(count(missing)) of \(count(expected)) packets "
        + "(\(Measure.percent(missing / expected))) did not come off the wire there"
    ]
    let lost = receiver.number("lost")
    if let lost {
      let isWithin = lost - missing >= 1 && missing == 0
      let place = isWithin ? ", which had reached it and were lost there" : ""
      // Loss is negative if packets were duplicated (RFC 3550 section 6.4.1).
      parts.append(
        lost < 0
          ? "the receiver counted none lost, and \(count(-lost)) twice"
          : "the receiver counted \(count(lost)) lost\(place)")
    }
    if let share = receiver.number("concealed_share") {
      parts.append("and concealed \(Measure.percent(share)) of the sound")
    }
    return parts.joined(separator: ", ") + "." + (leg(wire, missing: missing).map { " " + $0 } ?? "")
  }

  /// Share of the missing packets already missing at the sender from which all of them may be said to be.
  private static let nearlyAll = 0.9

  /// Whether the audio missing at an end, or the video if there is no audio, was already missing in a capture at the
  /// sender.
  func wasNeverSent(to end: EndAccount) -> Bool {
    let media = end.streams.filter {
      $0.source == .capture && $0.direction == .inbound && ($0.number("expected") ?? 0) > 0
    }
    let sound = media.filter { $0.kind == .audio }
    let missing = (sound.isEmpty ? media : sound).filter { $0.number("lost") ?? 0 > 0 }
    return !missing.isEmpty
      && missing.allSatisfy { stream in
        guard stream.ssrc != nil, let lost = stream.number("lost"),
          let unsent = sent(stream)?.stream.number("lost")
        else { return false }
        return unsent >= lost * Self.nearlyAll
      }
  }

  /// The leg on which it was lost, if a capture at the sending end shows it.
  private func leg(_ wire: StreamAccount, missing: Double) -> String? {
    guard missing > 0, let (sender, out) = sent(wire), let unsent = out.number("lost") else {
      return missing > 0 ? "No capture at the sending end shows on which leg." : nil
    }
    let name = EndWords.name(sender.name)
    if unsent >= missing * Self.nearlyAll {
      return "They were missing already where \(name) sent: lost before the wire."
    }
    if unsent <= missing * 0.1 {
      return "\(Measure.sentence(name)) had sent them: lost on the way between the two captures."
    }
    return "\(count(unsent)) were missing already where \(name) sent, the others were lost on the way."
  }

  private func count(_ value: Double) -> String { CellText.shortest(value) }
}
