import Glibc
import IO

/// Properties of the output: width, colour, character set and time zone.
public struct TerminalFacts: Sendable {
  /// Width in columns; nil if the output is not a terminal, so that nothing needs to be cut.
  public var width: Int?
  /// Whether escape sequences for colour and weight may be written.
  public var colour: Bool
  /// The time zone in which times are shown.
  public var zone: Zone
  /// Whether the locale names a charset other than UTF-8. Without a charset, UTF-8 is assumed.
  public var isPlain = false

  /// Properties set explicitly, for a file, a pipe or a test.
  public init(width: Int? = nil, colour: Bool = false, zone: Zone = .utc) {
    self.width = width
    self.colour = colour
    self.zone = zone
  }

  /// Properties of a descriptor, by default standard output, from isatty, `COLUMNS`, `NO_COLOR`, `TERM` and the locale.
  public static func of(descriptor: Int32 = Surroundings.current.output, zone: Zone) -> TerminalFacts {
    let isTerminal = isatty(descriptor) == 1
    let plain = Surroundings.variable("NO_COLOR") != nil || Surroundings.variable("TERM") == "dumb"
    var width = Surroundings.variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 >= 20 ? $0 : nil }
    if isTerminal, width == nil {
      var size = winsize()
      let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 20
      width = known ? Int(size.ws_col) : 80
    }
    var facts = TerminalFacts(width: width, colour: isTerminal && !plain, zone: zone)
    facts.isPlain = isPlain(
      locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Surroundings.variable).first)
    return facts
  }

  /// True for `C`, `POSIX` and `de_DE.ISO-8859-1`; false for `C.UTF-8`, `en_US` and none.
  package static func isPlain(locale: String?) -> Bool {
    guard let locale else { return false }
    guard let dot = locale.firstIndex(of: ".") else { return locale == "C" || locale == "POSIX" }
    let charset = locale[locale.index(after: dot)...].prefix { $0 != "@" }.lowercased()
    return charset.filter { $0 != "-" } != "utf8"
  }
}

/// Replaces callqa's own symbols for terminals limited to ASCII. Each replacement takes one column as before, so that
/// tables stay aligned. Text from the input (names, scenarios) is unchanged.
extension TerminalFacts {
  /// The finished text in characters that the terminal can show.
  public func displayable(_ text: String) -> String {
    guard isPlain, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(Self.signs[scalar] ?? scalar) }
    return String(plain)
  }

  private static let signs: [Unicode.Scalar: Unicode.Scalar] = [
    "…": "~", "–": "-", "−": "-", "·": ".", "×": "x", "✕": "x", "✓": "+", "≠": "#", "⁻": "-", "²": "2",
    "³": "3",
    "█": "#", "▓": "#", "▒": "=", "░": ".", "▇": "*", "▆": "+", "▅": "=", "▄": "-", "▃": ":", "▂": ".",
    "▁": "_",
    "◂": "<", "⟨": "<", "⟩": ">", "╵": "'", "┤": "|", "│": "|", "─": "-", "→": ">", "←": "<", "\u{202F}": " ",
    "’": "'", "“": "\"", "”": "\"",
  ]
}

/// Colour and weight for terminals; does nothing if they are not allowed.
public struct TerminalStyle: Sendable {
  /// Styles named by the role of the text rather than by appearance.
  public enum Style: String, Sendable {
    case heading = "1"
    case faint = "2"
    case good = "32"
    case warning = "33"
    case bad = "31"
    case accent = "36"
  }

  private let allowed: Bool

  /// A style for a terminal.
  public init(_ facts: TerminalFacts) { allowed = facts.colour }

  /// The text in a style. Text from input must be made `visible` before.
  public func callAsFunction(_ style: Style, _ text: String) -> String {
    allowed ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
