/// The operating system of a client, from its user agent.
public enum OperatingSystem {
  /// Text in a user agent and the system it denotes; the first match counts.
  public static let signs: [(sign: String, name: String)] = [
    ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
  ]

  /// The system that a user agent names; nil if it names no known one.
  public static func named(in userAgent: String) -> String? {
    signs.first { userAgent.contains($0.sign) }?.name
  }
}
