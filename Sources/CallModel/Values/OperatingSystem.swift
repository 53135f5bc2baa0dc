/// The system that a client runs on, where its user agent says so.
public enum OperatingSystem {
  /// What stands in a user agent, and which system that is; the first that stands there counts.
  public static let signs: [(sign: String, name: String)] = [
    ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
  ]

  /// The system that a user agent names; nil where it names none that is known.
  public static func named(in userAgent: String) -> String? {
    signs.first { userAgent.contains($0.sign) }?.name
  }
}
