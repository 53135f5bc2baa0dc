import CallModel

/// What of a stream the rules ask for with each of its samples.
struct StreamRole {
  let source: StreamSource
  let direction: StreamDirection
  let kind: MediaKind?
  let isScreen: Bool

  init(_ facts: StreamFacts) {
    source = facts.source
    direction = facts.direction
    kind = facts.kind
    isScreen = facts.screen == true
  }
}
