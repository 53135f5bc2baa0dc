/// Which call each connection of a page belongs to, by the ids in the lines of its log.
///
/// An application names its call when it knows it, often after the connection was made, and the name stays in the
/// lines until it sets the next one. So a connection has the first id that its lines give, unless that is the id of an
/// earlier call: one whose connections were closed before this one was made, and that is followed by another id.
public final class PageCalls {
  private struct Known {
    var call: String?
    /// The id of an earlier call, which holds if no other one follows.
    var inherited: String?
    var isClosed = false
  }

  private var connections: [String: Known] = [:]
  /// The connections that have an id and are not closed.
  private var open: [String: Set<String>] = [:]
  private let limit: Int

  /// - Parameter limit: the most connections that are tracked.
  init(limit: Int) { self.limit = limit }

  /// The call of a connection, from a line that names it or does not; nil while unknown.
  public func call(of connection: String, named id: String?) -> String? {
    guard ConnectionName.isID(connection) else { return id }
    var known = connections[connection] ?? Known()
    if let call = known.call { return call }
    guard connections[connection] != nil || connections.count < limit else { return id }
    if let id {
      let others = open[id]
      if others == nil || others?.isEmpty == false || known.inherited.map({ $0 != id }) == true {
        known.call = id
        if !known.isClosed { open[id, default: []].insert(connection) }
      } else {
        known.inherited = id
      }
    }
    connections[connection] = known
    return known.call
  }

  /// The call of a connection after the last line.
  public func settled(_ connection: String) -> String? {
    connections[connection].flatMap { $0.call ?? $0.inherited }
  }

  /// Notes that a connection was closed.
  public func close(_ connection: String) {
    guard let call = connections[connection]?.call else { return }
    connections[connection]?.isClosed = true
    open[call]?.remove(connection)
  }
}
