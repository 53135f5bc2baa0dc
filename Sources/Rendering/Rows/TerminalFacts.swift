import Glibc

/// What is known of where text will be read: how wide it is, whether colour is welcome, which clock hangs on the wall.
public struct TerminalFacts: Sendable {
  /// Columns; nil where there is no terminal, so that nothing has to be cut.
  public var width: Int?
  /// Whether escape sequences for colour and weight may be written.
  public var colour: Bool
  /// The zone in which times are shown.
  public var zone: Zone
  /// Whether the locale names a charset other than UTF-8; where nobody names one, terminals read UTF-8.
  public var isPlain = false

  /// Facts given by hand: a file, a pipe, a test.
  public init(width: Int? = nil, colour: Bool = false, zone: Zone = .utc) {
    self.width = width
    self.colour = colour
    self.zone = zone
  }

  /// The facts of a descriptor (1 = standard output): terminal or not, `COLUMNS`, `NO_COLOR`, `TERM`, the locale.
  public static func of(descriptor: Int32 = 1, zone: Zone) -> TerminalFacts {
    let isTerminal = isatty(descriptor) == 1
    let plain = !(variable("NO_COLOR") ?? "").isEmpty || variable("TERM") == "dumb"
    var width = variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 >= 20 ? $0 : nil }
    if isTerminal, width == nil {
      var size = winsize()
      let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col >= 20
      width = known ? Int(size.ws_col) : 80
    }
    var facts = TerminalFacts(width: width, colour: isTerminal && !plain, zone: zone)
    facts.isPlain = isPlain(
      locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty })
    return facts
  }

  /// `C`, `POSIX` and `de_DE.ISO-8859-1` are; `C.UTF-8`, `en_US` and none are not.
  package static func isPlain(locale: String?) -> Bool {
    guard let locale else { return false }
    guard let dot = locale.firstIndex(of: ".") else { return locale == "C" || locale == "POSIX" }
    let charset = locale[locale.index(after: dot)...].prefix { $0 != "@" }.lowercased()
    return charset.filter { $0 != "-" } != "utf8"
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Signs of callqa's own for terminals that were said to know no others than ASCII. Each takes one column as before, so that
/// tables stay straight; what stands in the input (names, scenarios) is left as it is.
extension TerminalFacts {
  /// A finished text in the signs that are read there.
  public func told(_ text: String) -> String {
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

/// Colour and weight for terminals; does nothing where they are not welcome.
public struct TerminalStyle: Sendable {
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
