/// Browser name and version, as the breakdowns of the nightly report show it.
enum BrowserName {
  private static let names: [(name: String, mark: String)] = [
    ("Edge", "Edg/"), ("Firefox", "Firefox/"), ("Chrome", "Chrome/"),
  ]

  /// Extracts e.g. `Chrome 132` from a user agent string; nil if no known browser is named in it.
  static func of(_ agent: String) -> String? {
    for (name, mark) in names {
      if let version = version(after: mark, in: agent) { return "\(name) \(version)" }
    }
    guard agent.contains("Safari/") else { return nil }
    return version(after: "Version/", in: agent).map { "Safari \($0)" }
  }

  private static func version(after mark: String, in agent: String) -> Substring? {
    guard let place = agent.firstRange(of: mark) else { return nil }
    let digits = agent[place.upperBound...].prefix { $0.isASCII && $0.isNumber }
    return digits.isEmpty ? nil : digits.prefix(8)
  }
}
