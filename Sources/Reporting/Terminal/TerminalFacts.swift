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
  static func isPlain(locale: String?) -> Bool {
    guard let locale else { return false }
    guard let dot = locale.firstIndex(of: ".") else { return locale == "C" || locale == "POSIX" }
    let charset = locale[locale.index(after: dot)...].prefix { $0 != "@" }.lowercased()
    return charset.filter { $0 != "-" } != "utf8"
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
