import CallModel

/// The pairs of views that a tie may hold together: those that share a word of evidence. All others need not be compared,
/// which for a source of thousands of calls is nearly all.
struct TieCandidates {
  /// Places of the views that share a word, in order: those that say it of themselves, and those that say it of the far
  /// end, who have it in common with all other clients of a server and are not compared with one another.
  private struct Sharing: Hashable {
    var own: [Int] = []
    var far: [Int] = []
  }

  private var groups: [Sharing] = []

  /// So many views that share a word are all compared; of more, each with these many before it and at the beginning: what
  /// ties two of them ties them all.
  private static let all = 128

  init(_ views: [ConnectionView], corrections: Corrections) {
    var sharing: [String: Sharing] = [:]
    for index in views.indices {
      let view = views[index]
      for word in Self.words(of: view, corrections) { sharing[word, default: Sharing()].own.append(index) }
      for (kind, name) in [(IdentityKind.fingerprintRemote, "fingerprint"), (.ufragRemote, "ufrag")] {
        for value in view[kind] { sharing["\(name) \(value)", default: Sharing()].far.append(index) }
      }
    }
    // The words of one end are shared by the same views again and again. In order, so that the result is.
    groups = Set(sharing.values).sorted {
      $0.own == $1.own
        ? $0.far.lexicographicallyPrecedes($1.far) : $0.own.lexicographicallyPrecedes($1.own)
    }
  }

  /// Hands over each pair, the smaller place first; some more than once.
  func forEach(_ body: (Int, Int) -> Void) {
    for group in groups {
      for (number, b) in group.own.enumerated() {
        let near = max(0, number - Self.all)
        for a in group.own[..<min(Self.all, near)] + group.own[near..<number] { body(a, b) }
      }
      for far in group.far {
        for own in group.own.prefix(Self.all) where own != far { body(min(own, far), max(own, far)) }
      }
    }
  }

  /// Everything by which `Tie` or a correction may find another view. Kinds that speak for one another have one word.
  private static func words(of view: ConnectionView, _ corrections: Corrections) -> Set<String> {
    var words: Set<String> = []
    if let given = view.given { words.insert("given \(given)") }
    if let call = view.call { words.insert("call \(call)") }
    if let client = ClientParts.word(of: view) { words.insert(client) }
    if let name = view.name { words.insert("name \(view.source) \(name)") }
    for (kind, values) in view.identities {
      let word: String
      switch kind {
      case .fingerprintLocal: word = "fingerprint"
      case .ufragLocal: word = "ufrag"
      case .fingerprintRemote, .ufragRemote: continue
      case .ssrcIn, .ssrcOut: word = "ssrc"
      case .call, .session, .sip, .connection, .page: word = kind.rawValue
      default: continue
      }
      for value in values where Tie.isEvidence(kind, value) { words.insert("\(word) \(value)") }
    }
    for other in corrections.linked(to: view.part) {
      words.formUnion([Self.word(other), Self.word(view.part)])
    }
    return words
  }

  private static func word(_ part: Corrections.Part) -> String { "part \(part.sha256) \(part.name)" }
}
