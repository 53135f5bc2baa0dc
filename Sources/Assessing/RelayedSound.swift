import CallStore

/// The hosts between which the sound of a call of two passes, as far as captures of both directions show relays (session border
/// controllers, media proxies) between its ends.
struct RelayedSound {
  /// Hosts that an end sends from itself, and those that it sends to.
  private let own: Set<String>
  private let next: Set<String>

  /// - Parameter sent: what an end sent, wherever on its way it was seen.
  init(sent: [StoredStream]) {
    let legs = sent.compactMap { row in
      row.facts.remote.flatMap { from in row.facts.local.map { (from: hostText(from), to: hostText($0)) } }
    }
    let targets = Set(legs.map(\.to))
    let own = Set(legs.map(\.from)).subtracting(targets)
    self.own = own
    next = Set(legs.filter { own.contains($0.from) }.map(\.to))
  }

  /// The relay at which all that was sent to the end stopped: it came to a host that the end sends to, and not to the end.
  func stop(of received: [StoredStream]) -> String? {
    let reached = Set(received.compactMap { $0.facts.local.map(hostText) })
    guard !reached.isEmpty, !own.isEmpty, reached.isSubset(of: next), reached.isDisjoint(with: own) else {
      return nil
    }
    return reached.min()
  }
}
