import CallModel
import CallStore
import Scoring

/// Detects an end that received a small simulcast layer while larger ones were sent and its path had no loss.
///
/// Its page may have requested the small layer (for a small tile); a server that never switches back looks the same.
struct SimulcastLayers {
  /// A period in which a layer was sent, ms.
  private struct Sent {
    var fromMs: Double
    var untilMs: Double
  }

  /// By sending end and height, in time order, on the clock of the call.
  private let sent: [Int64: [Double: [Sent]]]
  private let ends: [EndpointAssessment]

  /// - Parameter ends: the ends of the call. Rethrows errors of the store.
  init(_ ends: [EndpointAssessment], _ streams: [Int64: [StoredStream]], in store: Store) throws {
    self.ends = ends
    var sent: [Int64: [Double: [Sent]]] = [:]
    // With several senders it is unknown whose video a window is about.
    guard ends.count == 2 else {
      self.sent = [:]
      return
    }
    for end in ends {
      let layers = (streams[end.endpoint.key] ?? []).filter {
        $0.facts.source == .stats && $0.facts.direction == .outbound && $0.facts.kind == .video
          && $0.facts.rid != nil && $0.facts.screen != true
      }
      guard Set(layers.compactMap(\.facts.rid)).count > 1 else { continue }
      for layer in layers {
        let cursor = try store.samples(ofStream: layer.key)
        var sample = Sample(timeMs: 0)
        var before: (timeMs: Double, frames: Double)?
        while try cursor.next(into: &sample) {
          guard let frames = sample[.frames] else { continue }
          if let before, frames > before.frames, let height = sample[.height] {
            sent[end.endpoint.key, default: [:]][height, default: []].append(
              Sent(fromMs: end.onCallClock(before.timeMs), untilMs: end.onCallClock(sample.timeMs)))
          }
          before = (sample.timeMs, frames)
        }
      }
    }
    self.sent = sent.mapValues { $0.mapValues { $0.sorted { $0.fromMs < $1.fromMs } } }
  }

  /// Whether a layer was sent from before the start of a period until after its end.
  private static func covers(_ parts: [Sent], _ from: Double, _ until: Double) -> Bool {
    let begin = parts.endOfPrefix { $0.untilMs <= from }
    let end = parts.endOfPrefix { $0.fromMs < until }
    return begin < end && parts[begin].fromMs <= from && parts[end - 1].untilMs >= until
  }

  /// The findings of a receiving end.
  func findings(of end: EndpointAssessment) -> [Finding] {
    guard !sent.isEmpty, let sender = ends.first(where: { $0.endpoint.key != end.endpoint.key }),
      let layers = sent[sender.endpoint.key]
    else { return [] }
    var runs: [(from: Double, until: Double, shown: Double, best: Double)] = []
    for window in end.judgingWindows where window.state == .active {
      // If the loss is unknown, it may be why the larger layer was dropped.
      guard let shown = window.height, let loss = window.lossShare,
        loss < Threshold.layerLoss.value
      else { continue }
      let (from, until) = (end.onCallClock(window.startMs), end.onCallClock(window.endMs))
      // The layer must be sent throughout the window: one that just started may not have arrived yet.
      let best = layers.filter { Self.covers($0.value, from, until) }.keys.max()
      guard let best, shown < Threshold.layerShare.value * best else { continue }
      if let last = runs.last, window.startMs - last.until < 1, last.best == best {
        runs[runs.count - 1].until = window.endMs
        runs[runs.count - 1].shown = max(last.shown, shown)
      } else {
        runs.append((window.startMs, window.endMs, shown, best))
      }
    }
    return runs.filter { $0.until - $0.from >= Threshold.layerFor.value }.map { run in
      Finding(
        .lowSimulcastLayer, .info, from: run.from, to: run.until,
        Evidence().with("height", run.shown).with("sent_height", run.best)
          .with("threshold_share", Threshold.layerShare.value)
          .with("loss_threshold_share", Threshold.layerLoss.value),
        "For \(durationText(run.until - run.from)) this end was given \(Int(run.shown)) lines of the \(Int(run.best)) that \(sender.endpoint.name) sent, with hardly any loss: its page asked for a small picture, or a server kept it there."
      )
    }
  }
}
