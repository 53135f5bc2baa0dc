/// A named, versioned way from what happened to a score.
public struct ScoreModel: Sendable {
  /// Name with its version, as stored beside every score (`callqa-1`).
  public let name: String

  /// The model whose scores are stored unless another is asked for.
  public static let standard = ScoreModel(name: "callqa-1")
  /// Every model, the standard one first.
  public static let all: [ScoreModel] = [standard]

  /// The model of a name, nil if there is none.
  public static func named(_ name: String) -> ScoreModel? {
    all.first { $0.name == name }
  }
}
