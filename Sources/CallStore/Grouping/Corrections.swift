/// What people said of the grouping: parts that belong together, parts that do not. Parts are named by the digest of
/// their source and their name in it, so that a correction survives a re-import.
struct Corrections {
  /// One part of a source.
  struct Part: Hashable {
    var sha256: String
    var name: String
  }

  private var links: Set<[Part]> = []
  private var splits: Set<[Part]> = []

  private var corrected: Set<Part> = []

  mutating func link(_ a: Part, _ b: Part) {
    links.formUnion([[a, b], [b, a]])
    corrected.formUnion([a, b])
  }

  mutating func split(_ a: Part, _ b: Part) {
    splits.formUnion([[a, b], [b, a]])
    corrected.formUnion([a, b])
  }

  /// The parts that a person linked with this one.
  func linked(to part: Part) -> [Part] { links.filter { $0.first == part }.compactMap(\.last) }

  /// Whether anyone said anything of it.
  func concern(_ part: Part) -> Bool { corrected.contains(part) }

  /// Whether a person parted the two.
  func haveSplit(_ a: Part, _ b: Part) -> Bool { splits.contains([a, b]) }

  /// The tie between two views after people had their say.
  func apply(to tie: Tie?, _ a: ConnectionView, _ b: ConnectionView) -> Tie? {
    guard !(links.isEmpty && splits.isEmpty) else { return tie }
    let pair = [a.part, b.part]
    if splits.contains(pair) { return nil }
    return tie == nil || tie == .named ? links.contains(pair) ? .sameCall : tie : tie
  }
}

extension ConnectionView {
  /// How corrections name it.
  var part: Corrections.Part { .init(sha256: sha256, name: name ?? "") }
}
