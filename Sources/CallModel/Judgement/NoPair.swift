/// Why ICE could not form one pair of candidates, so that nothing was ever checked (RFC 8445 section 6.1.2).
public enum NoPair: String, Sendable {
  /// The far end named no candidate, in its description or later.
  case noRemoteCandidates = "no-remote-candidates"
  /// Candidates of TCP pair with those of TCP alone.
  case onlyTCPHere = "only-tcp-here"
  case onlyTCPThere = "only-tcp-there"
  /// By the statistics there was none, and nothing shows the far end's candidates.
  case unexplained = "unknown"

  /// The reason as a clause.
  public var words: String {
    switch self {
    case .noRemoteCandidates: "not one candidate of the far end came, in its description or after it"
    case .onlyTCPHere: "this end had only TCP candidates, and the far end only UDP candidates"
    case .onlyTCPThere: "this end had only UDP candidates, and the far end only TCP candidates"
    case .unexplained: "no pair of a candidate here and one of the far end was ever formed"
    }
  }

  /// Where to look for the fault.
  public var remedy: String {
    switch self {
    case .noRemoteCandidates, .unexplained: "look at the far end, and at how candidates are passed on"
    case .onlyTCPHere: "look for what keeps UDP from this end"
    case .onlyTCPThere: "look for what keeps UDP from the far end"
    }
  }
}

/// The candidates of both ends, by the record of a PeerConnection.
struct BothCandidates {
  /// The transports of this end's candidates and of the far end's: `udp`, `tcp`.
  private var local: Set<String> = []
  private var remote: Set<String> = []
  /// Whether those are all. A log of an SDK may leave out what came beside the description.
  private var areLocalKnown = true
  private var areRemoteKnown = true
  private var isDescribed = false
  private var hasOwnDescription = false

  mutating func take(_ event: EventRecord) {
    switch event.event {
    case .sdpLocalSet, .sdpLocalSetting, .sdpOfferSent, .sdpAnswerSent: hasOwnDescription = true
    case .iceCandidate where event[.candidateType] != nil:
      if let transport = event[.networkProtocol] { local.insert(transport.lowercased()) }
      areLocalKnown = areLocalKnown && event[.networkProtocol] != nil
    case .iceRemoteCandidate:
      // One without a type marks the end of the candidates.
      guard event[.candidateType] != nil || CandidateText.isIn(event.args) else { return }
      if let transport = event[.networkProtocol] { remote.insert(transport.lowercased()) }
      areRemoteKnown = areRemoteKnown && event[.networkProtocol] != nil
    case .sdpOfferReceived, .sdpAnswerReceived, .sdpProvisionalAnswerReceived:
      isDescribed = true
      areRemoteKnown = areRemoteKnown && event.sdk == "w3c" && !SessionDescription(event.args).ufrags.isEmpty
      for candidate in CandidateText.all(in: event.args) {
        remote.insert(candidate.transport.lowercased())
      }
    default: break
    }
  }

  /// - Parameter pairs: how many there were, by the statistics; nil if those do not say.
  func noPair(pairs: Int?) -> NoPair? {
    if pairs ?? 0 > 0 { return nil }
    return byCandidates ?? (pairs == 0 && remote.isEmpty ? .unexplained : nil)
  }

  private var byCandidates: NoPair? {
    guard isDescribed, hasOwnDescription, areRemoteKnown else { return nil }
    if remote.isEmpty { return .noRemoteCandidates }
    guard areLocalKnown, local.count == 1, remote.count == 1, local != remote else { return nil }
    return local.contains("tcp") ? .onlyTCPHere : remote.contains("tcp") ? .onlyTCPThere : nil
  }
}

/// Candidates in a text: `candidate:1 1 udp 2122260223 192.0.2.5 50001 typ host …` (RFC 8839 section 5.1).
public enum CandidateText {
  /// Whether there is one.
  public static func isIn(_ text: String) -> Bool { !all(in: text, most: 1).isEmpty }

  /// The transport and the address of each.
  static func all(in text: String, most: Int = 1000) -> [(transport: String, address: String)] {
    let words = text.utf8.split {
      $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    var found: [(String, String)] = []
    for index in words.indices.dropFirst(4) where words[index].elementsEqual("typ".utf8) && found.count < most
    {
      found.append((word(words[index - 4]), word(words[index - 2])))
    }
    return found
  }

  private static func word(_ word: Substring.UTF8View) -> String { String(decoding: word, as: UTF8.self) }
}
