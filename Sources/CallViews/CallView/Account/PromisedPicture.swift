import CallModel
import Scoring

extension CallAccount {
  /// Whether the descriptions let the other end send a picture, none came, and nothing tells what became of it. A call
  /// without a camera is often described so.
  func isPicturePromised(to end: EndAccount) -> Bool {
    // A capture of both ends has no record of its own of the other.
    let others = ends.filter { $0.name != end.name && $0.isOnRecord && $0.windowSource != .capture }
    return !end.hasPicture && others.isEmpty && !end.fates.contains { $0.medium == .video }
      && Reception.isPictureAllowed(events.filter { $0.end == end.name }.map(\.record))
  }
}

extension EndAccount {
  /// Whether packets of a picture came to it.
  var hasPicture: Bool {
    streams.contains { $0.direction == .inbound && $0.kind == .video && ($0.number("packets") ?? 1) > 0 }
  }
}
