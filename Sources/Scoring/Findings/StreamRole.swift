import CallModel

/// What of a stream the rules ask for with each of its samples.
struct StreamRole {
  let source: StreamSource
  let direction: StreamDirection
  let kind: MediaKind?
  let isScreen: Bool
  /// What its packets may go through.
  let connections: [Int64]

  init(_ facts: StreamFacts, _ connections: [Int64]) {
    self.connections = connections
    source = facts.source
    direction = facts.direction
    kind = facts.kind
    isScreen = facts.screen == true
  }
}
