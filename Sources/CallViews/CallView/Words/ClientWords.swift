import CallModel
import Rendering

/// A user agent in two or three words.
enum ClientWords {
  /// `Chrome 156, Linux`; an unknown agent is kept but cut short.
  package static func short(_ userAgent: String, system: String?) -> String {
    let tokens = userAgent.split(separator: " ")
    func version(_ name: String) -> String? {
      tokens.first { $0.hasPrefix(name + "/") }.map {
        String($0.dropFirst(name.count + 1).prefix { $0 != "." }.prefix(8))
      }
    }
    let names = [
      ("Edg", "Edge"), ("OPR", "Opera"), ("HeadlessChrome", "Chrome (headless)"), ("CriOS", "Chrome iOS"),
      ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Version", "Safari"),
    ]
    for (token, name) in names {
      guard let version = version(token) else { continue }
      let place = system ?? OperatingSystem.named(in: userAgent)
      return VisibleText.visible([name + " " + version, place].compactMap { $0 }.joined(separator: ", "))
    }
    return VisibleText.visible(VisibleText.cut(userAgent, to: 40))
  }
}
