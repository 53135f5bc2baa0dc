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
  }

  /// The model whose scores are stored unless another is asked for.
  public static let standard = callqa1
  /// Every model, the standard one first.
  public static let all: [ScoreModel] = [standard]

  /// The model of a name, nil if there is none.
  public static func named(_ name: String) -> ScoreModel? {
    all.first { $0.name == name }
  }

  /// The first version: concealment through the E-model's loss curve, constants from a small laboratory run.
  public static let callqa1 = ScoreModel(
    name: "callqa-1",
    summary: "concealment through the E-model's loss curve; freezes, frame rate, resolution",
    formula: .callqa(AudioConstants(), VideoConstants(), CombinationConstants()))
}
