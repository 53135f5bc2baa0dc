import CallModel
import Rendering

/// The network path of packets in words.
enum PathWords {
  /// `wifi, direct (host to srflx), udp`, and whether the path changed.
  package static func of(_ end: EndAccount) -> String? {
    guard let last = end.path.last else {
      let relayed = "relayed" + (end.relayProtocol.map { " over \($0)" } ?? "")
      let known = [end.networkType, end.candidateType.map { $0 == "relay" ? relayed : "direct (\($0))" }]
        .compactMap { $0 }
      return known.isEmpty ? nil : VisibleText.visible(known.joined(separator: ", "))
    }
    let changes = end.path.filter(\.isChange).count
    let moved = changes > 0 ? "changed path \(Plural.times(changes))" : ""
    // A capture has addresses but no candidate types.
    let known = [one(last, network: end.networkType), moved].filter { !$0.isEmpty }
    return known.isEmpty ? nil : known.joined(separator: "; ")
  }

  /// `wifi, direct, udp`: without the candidate types.
  package static func brief(_ end: EndAccount) -> String? {
    guard let last = end.path.last else { return of(end) }
    let way: String? =
      switch last.isRelayed {
      case true?: "relayed" + (last.relayProtocol.map { " over \($0)" } ?? "")
      case false?: "direct"
      case nil: nil
      }
    let changes = end.path.filter(\.isChange).count
    let moved = changes > 0 ? "changed \(Plural.times(changes))" : nil
    let parts = [last.networkType ?? end.networkType, way, last.networkProtocol, moved].compactMap { $0 }
    return parts.isEmpty ? nil : VisibleText.visible(VisibleText.cut(parts.joined(separator: ", "), to: 120))
  }

  /// A single path.
  package static func one(_ step: PathStep, network: String? = nil) -> String {
    let pair = "\(step.localType ?? "?") to \(step.remoteType ?? "?")"
    let way: String? =
      switch step.isRelayed {
      case true?: "relayed (\(pair))" + (step.relayProtocol.map { " over \($0)" } ?? "")
      case false?: "direct (\(pair))"
      case nil: nil
      }
    let parts = [step.networkType ?? network, way, step.networkProtocol].compactMap { $0 }
    return VisibleText.visible(VisibleText.cut(parts.joined(separator: ", "), to: 120))
  }
}
