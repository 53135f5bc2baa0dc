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
  public static let standard = callqa3
  /// Every model, the standard one first.
  public static let all: [ScoreModel] = [callqa3, callqa2, callqa1] + peers

  /// The model of a name, nil if there is none.
  public static func named(_ name: String) -> ScoreModel? {
    all.first { $0.name == name }
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
