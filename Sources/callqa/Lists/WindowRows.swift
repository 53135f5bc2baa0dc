import Assessing
import CallModel
import Scoring

/// Windows that were scored just now, as rows of the same columns as those of `callqa score`, and what the model calls
/// them in its own words.
enum WindowRows {
  private static let columns =
    [
      "call_id", "endpoint", "source", "window_index", "start_ms", "end_ms", "state", "score", "audio_cq",
      "audio_lq", "video",
    ]
    + Cause.allCases.map { "points_lost.\($0.rawValue)" }
    + [
      "inputs.loss_share", "inputs.concealed_share", "inputs.delay_ms", "inputs.rtt_ms",
      "inputs.freeze_share",
      "inputs.frame_rate", "inputs.height", "inputs.bitrate_bps", "client_score", "confidence", "changed?",
      "model",
    ]

  /// The columns for a model: its own words last, where it has any.
  static func columns(_ model: ScoreModel) -> [String] { columns + (model.hasLabels ? ["label"] : []) }

  static func cells(_ window: Window, of end: RescoredEnd, model: ScoreModel) -> [Cell] {
    let head: [Cell] = [
      .text(end.call), .text(end.endpoint), .text(end.source.rawValue), .integer(Int64(window.index)),
      .real(window.startMs), .real(window.endMs), .text(window.state.rawValue),
      window.score.map { .integer(Int64($0)) } ?? .null, real(window.audioCQ), real(window.audioLQ),
      real(window.video),
    ]
    let points = Cause.allCases.map { window.pointsLost?[$0].map { .integer(Int64($0)) } ?? Cell.null }
    let inputs = window.inputs
    let figures = [
      inputs.lossShare, inputs.concealedShare, inputs.delayMs, inputs.rttMs, inputs.freezeShare,
      inputs.frameRate,
      inputs.height, inputs.bitrateBps, window.clientScore, window.confidence,
    ].map(real)
    let label = model.hasLabels ? [window.label.map { Cell.text($0) } ?? .null] : []
    return head + points + figures + [.integer(window.changed ? 1 : 0), .text(model.name)] + label
  }

  private static func real(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }
}
