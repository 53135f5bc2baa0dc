/// Whose a log is that has no name of an SDK's own, but the sentences of one's guide.
enum Sentences {
  /// Sentences of one SDK that differ, and tell that a log is its.
  private static let enough = 2

  /// The SDK of which the log has several sentences; nil where none or more than one is.
  static func sdk(of events: [RawEvent]) -> String? {
    var found: [String: Set<String>] = [:]
    for event in events where event.isSentence {
      if let sdk = event.sdk { found[sdk, default: []].insert(event.raw) }
    }
    let told = found.filter { $0.value.count >= enough }
    return told.count == 1 ? told.first?.key : nil
  }
}
