/// Colour and weight for terminals; does nothing where they are not welcome.
public struct Ink: Sendable {
  /// What a stretch of text is, rather than how it looks.
  public enum Style: String, Sendable {
    case heading = "1"
    case faint = "2"
    case good = "32"
    case warning = "33"
    case bad = "31"
    case accent = "36"
  }

  private let allowed: Bool

  /// Ink for a terminal.
  public init(_ facts: TerminalFacts) { allowed = facts.colour }

  /// The text in a style. Text from input must be made `visible` before.
  public func callAsFunction(_ style: Style, _ text: String) -> String {
    allowed ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
