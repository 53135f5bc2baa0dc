import CallModel

/// A named, versioned method of computing a score.
public struct ScoreModel: Sendable {
  /// Name with version, as stored with every score (`callqa-1`).
  public let name: String
  /// One sentence for users.
  public let summary: String
  /// The formulas and their constants.
  public let formula: Formula
  /// Whether what became of a medium decides the score of a window, before what was measured.
  public var followsFates = false

  /// The kind of formula a model uses.
  public enum Formula: Sendable {
    /// This project's formulas, with the constants of the version.
    case callqa(AudioConstants, VideoConstants, CombinationConstants)
    /// A formula published by others.
    case peer(PeerModel)
  }

  /// The model whose scores are stored by default.
  public static let standard = callqa5
  /// All models, the standard one first.
  public static let all: [ScoreModel] = [callqa5, callqa4, callqa3, callqa2, callqa1] + peers

  /// The model with the given name; nil if there is none.
  public static func named(_ name: String) -> ScoreModel? {
    all.first { $0.name == name }
  }

  /// The fifth version: the formulas of the fourth, applied to what became of each medium. What was lost, silent or not
  /// played costs all of its points, and what nobody knows is not scored.
  public static let callqa5 = ScoreModel(
    name: "callqa-5",
    summary: "as callqa-4 where media arrived; what was missed counts 0, what nobody knows is not scored",
    formula: callqa4.formula, followsFates: true)

  /// The fourth version: scores video by the coarseness of coding, the evenness of frame intervals and the movement of
  /// the delay, calibrated against VMAF of recorded calls. Audio is as in the third.
  public static let callqa4 = ScoreModel(
    name: "callqa-4",
    summary:
      "sound as in callqa-3; picture by coding, pacing, freezes and size, calibrated against VMAF as seen",
    formula: .callqa(weighingLoudness, seeing, CombinationConstants()))

  private static var seeing: VideoConstants {
    var constants = expecting
    constants.picture = PictureConstants()
    return constants
  }

  /// The third version: concealment in speech pauses weighs less, and a packet restored by error correction a quarter,
  /// as measured in laboratory tests.
  ///
  /// Calls with bursts of loss differ by where in speech the loss falls; the number and length of concealments explain
  /// nothing more.
  public static let callqa3 = ScoreModel(
    name: "callqa-3",
    summary:
      "concealment by how loud it was there, and time-stretching; calibrated against PESQ-WB of recorded calls",
    formula: .callqa(weighingLoudness, expecting, CombinationConstants()))

  /// The second version: calibrated against PESQ-WB of 8-second segments of recorded calls.
  ///
  /// Cross-validation by call confirmed the half point of 10; time-stretching weighs four times as much as concealment.
  public static let callqa2 = ScoreModel(
    name: "callqa-2",
    summary: "concealment and time-stretching; calibrated against PESQ-WB of recorded calls",
    formula: .callqa(calibrated, expecting, CombinationConstants()))

  private static var calibrated: AudioConstants {
    var constants = AudioConstants()
    constants.stretchWeight = 4
    constants.restoredWeight = 0
    // A single concealed decoder call of 10 ms in a window of 5 s is inaudible.
    constants.deadBand = 0.2
    return constants
  }

  private static var weighingLoudness: AudioConstants {
    var constants = calibrated
    constants.restoredWeight = 0.25
    constants.weighsLoudness = true
    return constants
  }

  private static var expecting: VideoConstants {
    var constants = VideoConstants()
    constants.minFrameRate = 10
    return constants
  }

  /// This model, under its own name, with modified audio constants, to measure their effect; peer models stay
  /// unchanged.
  public func varied(_ change: (inout AudioConstants) -> Void) -> ScoreModel {
    guard case .callqa(var audio, let video, let combination) = formula else { return self }
    change(&audio)
    return ScoreModel(
      name: name, summary: summary, formula: .callqa(audio, video, combination), followsFates: followsFates)
  }

  /// Minimum reference frame rate for a camera.
  var minFrameRate: Double {
    switch formula {
    case .callqa(_, let video, _): video.minFrameRate
    case .peer: 0
    }
  }

  /// The first version: concealment through the E-model's loss curve, with constants from a small laboratory test.
  public static let callqa1 = ScoreModel(
    name: "callqa-1",
    summary: "concealment through the E-model's loss curve; freezes, frame rate, resolution",
    formula: .callqa(AudioConstants(), VideoConstants(), CombinationConstants()))
}

extension ScoreModel {
  /// Published scores and labels of others, under their own names.
  public static let peers: [ScoreModel] = [
    ScoreModel(
      name: "g107",
      summary: "E-model, narrowband, G.711 with concealment, from packet loss and delay (ITU-T G.107)",
      formula: .peer(.eModelNarrowband)),
    ScoreModel(
      name: "g107-band",
      summary: "E-model of the codec's own band, with the codec's Ie and Bpl (G.107, .1, .2)",
      formula: .peer(.eModelOwnBand)),
    ScoreModel(name: "livekit", summary: "LiveKit's connection quality, 0-100", formula: .peer(.liveKit)),
    ScoreModel(
      name: "rtcscore", summary: "rtcscore as published: a missing bracket makes long delay score well",
      formula: .peer(.rtcscore)),
    ScoreModel(
      name: "rtcscore-mended", summary: "rtcscore with its bracket", formula: .peer(.rtcscoreMended)),
    ScoreModel(
      name: "pingplotter", summary: "the short E-model in round trip, jitter and loss that is copied most",
      formula: .peer(.pingPlotter)),
    ScoreModel(
      name: "twilio", summary: "Twilio Voice's MOS and warnings", formula: .peer(.twilio)),
    ScoreModel(name: "rtpengine", summary: "rtpengine's default MOS", formula: .peer(.rtpengine)),
    ScoreModel(name: "jitsi", summary: "Jitsi's steps of loss, audio only", formula: .peer(.jitsi)),
    ScoreModel(name: "pexip", summary: "Pexip's level: Good, OK, Bad, Terrible", formula: .peer(.pexip)),
    ScoreModel(
      name: "teams-cqd", summary: "Teams call quality dashboard: Good or Poor", formula: .peer(.cqd)),
    ScoreModel(name: "packet-loss", summary: "packets that arrived, in per cent", formula: .peer(.loss)),
  ]
}

extension ScoreModel {
  /// The score of all streams that one end received in one interval; nil if nothing could be scored.
  ///
  /// Of several audio streams the worst counts; several video streams are weighted by size. Delay is charged once.
  public func score(_ streams: [StreamFigures], references: References = .none) -> CallScore? {
    switch formula {
    case .callqa(let audioConstants, let videoConstants, let combination):
      let hasAudio = streams.contains { $0.audio != nil }
      let alone = streams.map { stream -> MediumScore? in
        if let audio = stream.audio {
          return audioScore(audio, audioConstants, codecNeutral: references.codecNeutral)
        }
        guard var impairments = stream.video else { return nil }
        if hasAudio { impairments.delayMs = nil }
        return videoScore(impairments, videoConstants)
      }
      let pairs = zip(streams, alone)
      let audios = pairs.compactMap { $0.audio == nil ? nil : $1 }
      let videos = pairs.compactMap { stream, score in
        stream.audio == nil ? score.map { (score: $0, pixels: stream.pixels) } : nil
      }
      var score = callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), combination)
      score?.streams = alone.map { $0?.conversing }
      return score
    case .peer(let peer):
      let audios = streams.filter { $0.kind == .audio }.compactMap { peer.mediumScore($0)?.score }
      let videos = streams.filter { $0.kind == .video }.compactMap { stream in
        peer.mediumScore(stream).map { (score: $0.score, pixels: stream.pixels) }
      }
      // No peer model combines media: the worse one counts for both.
      var worseOnly = CombinationConstants()
      worseOnly.worseWeight = 1
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), worseOnly)
    }
  }

  /// Whether the model has its own labels for quality.
  public var hasLabels: Bool {
    if case .peer = formula { true } else { false }
  }

  /// The model's own label for the quality of these streams; nil for models that only have a number.
  public func label(_ streams: [StreamFigures]) -> String? {
    guard case .peer(let peer) = formula else { return nil }
    let labels = streams.compactMap { peer.mediumScore($0)?.label }
    return labels.isEmpty ? nil : labels.joined(separator: " / ")
  }
}

/// The quality of everything that one end received in one interval.
public struct CallScore: Sendable, Equatable {
  /// 0–100, rounded half up.
  public var score: Int
  /// The same before rounding.
  public var exact: Double
  /// Conversational audio and video quality; nil if there was none.
  public var audio: MediumScore?
  public var video: MediumScore?
  /// Unrounded points lost; they add up to 100 − `exact`.
  public var exactLost: ByCause<Double>
  /// Integer points lost by cause; they add up to 100 − `score`.
  public var lost: ByCause<Int>
  /// The score of each stream alone, 0–100; empty if the model has none.
  public var streams: [Double?] = []
}

/// One score from both media; nil if there is neither.
///
/// The worse medium counts for half and both together for the other half, so that perfect audio does not hide failed
/// video.
public func callScore(
  audio: MediumScore?, video: MediumScore?, _ constants: CombinationConstants = CombinationConstants()
) -> CallScore? {
  var parts: [(medium: MediumScore, weight: Double)] = []
  switch (audio, video) {
  case (let audio?, let video?):
    let rest = 1 - constants.worseWeight
    let audioIsWorse = audio.conversing <= video.conversing
    parts = [
      (audio, constants.audioWeight * rest + (audioIsWorse ? constants.worseWeight : 0)),
      (video, constants.videoWeight * rest + (audioIsWorse ? 0 : constants.worseWeight)),
    ]
  case (let only?, nil), (nil, let only?): parts = [(only, 1)]
  case (nil, nil): return nil
  }
  var lost: ByCause<Double> = [:]
  var missing = 0.0
  for part in parts {
    missing += part.weight * (100 - part.medium.conversing)
    for (cause, points) in part.medium.lost { lost[cause, default: 0] += part.weight * points }
  }
  let exact = min(100, max(0, 100 - missing))
  let score = Int((exact + 0.5).rounded(.down))
  return CallScore(
    score: score, exact: exact, audio: audio, video: video, exactLost: lost,
    lost: wholePoints(lost, total: 100 - score))
}

/// The mean of several video scores, weighted by size; nil for none.
///
/// Video that cannot be decoded has no known size and gets the average weight of the others.
public func meanOfVideos(_ videos: [(score: MediumScore, pixels: Double?)]) -> MediumScore? {
  guard let first = videos.first else { return nil }
  guard videos.count > 1 else { return first.score }
  let known = videos.compactMap(\.pixels)
  let usual = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
  let weights = videos.map { max(1, $0.pixels ?? usual) }
  let sum = weights.reduce(0, +)
  var mean = MediumScore(listening: 0, conversing: 0, lost: [:])
  for (video, weight) in zip(videos, weights) {
    let part = weight / sum
    mean.listening += part * video.score.listening
    mean.conversing += part * video.score.conversing
    for (cause, points) in video.score.lost { mean.lost[cause, default: 0] += part * points }
  }
  return mean
}

/// The intended properties of a call: configured ones are used as references, all others are learnt from the call.
public struct References: Sendable, Equatable {
  /// Intended frame rate of video, frames per second.
  public var frameRate: Double?
  /// Pixels (width x height) at which video is displayed.
  public var pixels: Double?
  /// Intended bit rate of video, bit/s.
  public var videoBps: Double?
  /// Whether loss costs the same for all codecs, for comparing codecs.
  public var codecNeutral: Bool

  /// References with nothing configured.
  public static let none = References()

  /// References as given in `run.json` or by `--references`.
  public init(
    frameRate: Double? = nil, pixels: Double? = nil, videoBps: Double? = nil,
    codecNeutral: Bool = false
  ) {
    self.frameRate = frameRate
    self.pixels = pixels
    self.videoBps = videoBps
    self.codecNeutral = codecNeutral
  }
}
