import CallModel

/// A named, versioned way from what happened to a score.
public struct ScoreModel: Sendable {
  /// Name with its version, as stored beside every score (`callqa-1`).
  public let name: String
  /// One sentence for people.
  public let summary: String
  /// The formulas and their constants.
  public let formula: Formula

  /// What a model computes with.
  public enum Formula: Sendable {
    /// The formulas of this project, with the constants of the version.
    case callqa(AudioConstants, VideoConstants, CombinationConstants)
    /// What others publish.
    case peer(PeerModel)
  }

  /// The model whose scores are stored unless another is asked for.
  public static let standard = callqa4
  /// Every model, the standard one first.
  public static let all: [ScoreModel] = [callqa4, callqa3, callqa2, callqa1] + peers

  /// The model of a name, nil if there is none.
  public static func named(_ name: String) -> ScoreModel? {
    all.first { $0.name == name }
  }

  /// The fourth version: the picture by how coarsely it is coded, how evenly its frames come and how its delay moves, calibrated
  /// against VMAF of recorded calls; the sound as in the third.
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

  /// The third version: what is made up in pauses of speech weighs less, and what error correction restores a quarter, as
  /// in the laboratory.
  ///
  /// Calls with bursts of loss are told apart by where in speech they fall; the number and the length of concealments
  /// explain nothing more.
  public static let callqa3 = ScoreModel(
    name: "callqa-3",
    summary:
      "concealment by how loud it was there, and time-stretching; calibrated against PESQ-WB of recorded calls",
    formula: .callqa(weighingLoudness, expecting, CombinationConstants()))

  /// The second version: calibrated against PESQ-WB of 8-second segments of recorded calls.
  ///
  /// Cross-validated by call, the half point of 10 held, time-stretching weighs four times what concealment does.
  public static let callqa2 = ScoreModel(
    name: "callqa-2",
    summary: "concealment and time-stretching; calibrated against PESQ-WB of recorded calls",
    formula: .callqa(calibrated, expecting, CombinationConstants()))

  private static var calibrated: AudioConstants {
    var constants = AudioConstants()
    constants.stretchWeight = 4
    constants.restoredWeight = 0
    // One decoder call of 10 ms made up in a window of 5 s is heard by nobody.
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
    constants.leastFrameRate = 10
    return constants
  }

  /// This model under its own name with other constants for sound, to see what they are worth; peers stay as they are.
  public func varied(_ change: (inout AudioConstants) -> Void) -> ScoreModel {
    guard case .callqa(var audio, let video, let combination) = formula else { return self }
    change(&audio)
    return ScoreModel(name: name, summary: summary, formula: .callqa(audio, video, combination))
  }

  /// Frame rate that a camera is held against at least.
  var leastFrameRate: Double {
    switch formula {
    case .callqa(_, let video, _): video.leastFrameRate
    case .peer: 0
    }
  }

  /// The first version: concealment through the E-model's loss curve, constants from a small laboratory run.
  public static let callqa1 = ScoreModel(
    name: "callqa-1",
    summary: "concealment through the E-model's loss curve; freezes, frame rate, resolution",
    formula: .callqa(AudioConstants(), VideoConstants(), CombinationConstants()))
}

extension ScoreModel {
  /// Published scores and labels of others, under names of their own.
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
  /// The score of all streams that one end received in one interval; nil where nothing could be scored.
  ///
  /// Of several sounds the worst counts; several pictures are weighed by their size. Delay is charged once.
  public func score(_ streams: [StreamFigures], references: References = .none) -> CallScore? {
    switch formula {
    case .callqa(let audioConstants, let videoConstants, let combination):
      let audios = streams.compactMap(\.audio).map {
        audioScore($0, audioConstants, codecNeutral: references.codecNeutral)
      }
      let videos = streams.compactMap { stream -> (score: MediumScore, pixels: Double?)? in
        guard var impairments = stream.video else { return nil }
        if !audios.isEmpty { impairments.delayMs = nil }
        return (videoScore(impairments, videoConstants), stream.pixels)
      }
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), combination)
    case .peer(let peer):
      let audios = streams.filter { $0.kind == .audio }.compactMap { peer.mediumScore($0)?.score }
      let videos = streams.filter { $0.kind == .video }.compactMap { stream in
        peer.mediumScore(stream).map { (score: $0.score, pixels: stream.pixels) }
      }
      // None of them mixes media: the worse one speaks for both.
      var worseOnly = CombinationConstants()
      worseOnly.worseWeight = 1
      return callScore(
        audio: audios.min { $0.conversing < $1.conversing }, video: meanOfVideos(videos), worseOnly)
    }
  }

  /// Whether the model has words of its own for a quality.
  public var hasLabels: Bool {
    if case .peer = formula { true } else { false }
  }

  /// What the model calls the quality of these streams in its own words; nil for models that only have a number.
  public func label(_ streams: [StreamFigures]) -> String? {
    guard case .peer(let peer) = formula else { return nil }
    let labels = streams.compactMap { peer.mediumScore($0)?.label }
    return labels.isEmpty ? nil : labels.joined(separator: " / ")
  }
}

/// The quality of all that one end received in one interval.
public struct CallScore: Sendable, Equatable {
  /// 0–100, rounded half up.
  public var score: Int
  /// The same before rounding.
  public var exact: Double
  /// Audio and video, conversational, nil where there was none.
  public var audio: MediumScore?
  public var video: MediumScore?
  /// Points before rounding; they add up to 100 − `exact`.
  public var exactLost: ByCause<Double>
  /// Points per cause as integers that add up to 100 − `score`.
  public var lost: ByCause<Int>
}

/// One figure from both media; nil where neither is there.
///
/// The worse medium weighs half, and both together the other half, so that perfect sound does not hide a dead picture.
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

/// The mean of several pictures, weighted by their size; nil for none.
///
/// What is received and cannot be decoded has no size that anybody knows: it weighs what the others do on average.
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

/// What a call was meant to be, where someone said so: what is configured is compared with, the rest is learnt from the call.
public struct References: Sendable, Equatable {
  /// Frames per second that video should have.
  public var frameRate: Double?
  /// Pixels (width x height) at which video is shown.
  public var pixels: Double?
  /// Bit rate that video should have, bit/s.
  public var videoBps: Double?
  /// Whether loss costs the same whatever the codec, for comparing codecs with one another.
  public var codecNeutral: Bool

  /// Nothing is configured.
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
