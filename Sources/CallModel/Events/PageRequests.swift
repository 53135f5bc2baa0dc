/// Requests for camera and microphone, which a page records without a connection, until it is known whose they are.
///
/// Those shortly before a connection lead to it. The others are of the connection before, or of none: of a preview in
/// the lobby.
public struct PageRequests<Request> {
  private var held: [(request: Request, timeMs: Double?)] = []

  /// A person may take this long to answer the browser's question, ms.
  private static var answerMs: Double { 30_000 }

  /// No requests.
  public init() {}

  /// Holds a request until the next connection.
  public mutating func hold(_ request: Request, timeMs: Double?) { held.append((request, timeMs)) }

  /// Takes the requests before a connection that is made at a time: those that do not lead to it, and those that do.
  public mutating func take(leadingTo madeMs: Double?) -> (earlier: [Request], leading: [Request]) {
    var (nextMs, leadMs) = (madeMs, deviceLeadMs)
    var count = 0
    for (_, timeMs) in held.reversed() {
      if let timeMs, let next = nextMs, next - timeMs > leadMs { break }
      (nextMs, leadMs) = (timeMs ?? nextMs, Self.answerMs)
      count += 1
    }
    defer { held = [] }
    return (held.dropLast(count).map(\.request), held.suffix(count).map(\.request))
  }

  /// Takes all requests, where no connection follows.
  public mutating func takeAll() -> [Request] {
    defer { held = [] }
    return held.map(\.request)
  }
}
