import CallModel
import Rendering

/// What an SDP answer accepted of the offer before it, by section. Only negotiated lines are compared, because names,
/// keys and addresses are specific to each end.
struct OfferAndAnswer {
  /// A media section: `audio`, `video (mid 1)`, or `the session`.
  struct Section: Equatable {
    package var name: String
    package var isRefused: Bool
    /// Lines of the answer that were not offered, and below lines of the offer that were not accepted.
    package var added: [String]
    package var removed: [String]
  }

  /// Sections that differ.
  package let differences: [Section]

  package init(offer: [String], answer: [String]) {
    let (offered, answered) = (Self.sections(offer), Self.sections(answer))
    // The answer has one section for each in the offer, in the same order (RFC 3264 section 6).
    differences = offered.indices.compactMap { place in
      let one = offered[place]
      guard place < answered.count else {
        return Section(name: Self.name(one), isRefused: true, added: [], removed: one)
      }
      let other = answered[place]
      let isRefused = place > 0 && Self.isRefused(other) && !Self.isRefused(one)
      let added = Self.left(of: other, without: one, isAnswer: true)
      let removed = isRefused ? [] : Self.left(of: one, without: other, isAnswer: false)
      guard isRefused || !added.isEmpty || !removed.isEmpty else { return nil }
      return Section(
        name: place == 0 ? "the session" : Self.name(one), isRefused: isRefused,
        added: isRefused ? [] : added, removed: removed)
    }
  }

  /// `4 lines fewer`, `video refused`; nil if everything was accepted as offered.
  package var words: String? {
    let refused = differences.filter(\.isRefused).map(\.name)
    let fewer = differences.reduce(0) { $0 + $1.removed.count }
    let more = differences.reduce(0) { $0 + $1.added.count }
    var parts = refused.isEmpty ? [] : ["\(Measure.list(refused)) refused"]
    if fewer > 0 { parts.append("\(Plural.of(fewer, "line")) of the offer not taken") }
    if more > 0 { parts.append("\(more) of its own") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// The lines of the session, then those of each media section.
  private static func sections(_ lines: [String]) -> [[String]] {
    lines.reduce(into: [[]]) { sections, line in
      if line.hasPrefix("m=") { sections.append([]) }
      sections[sections.count - 1].append(line)
    }
  }

  private static func name(_ lines: [String]) -> String {
    let kind = lines.first.map { VisibleText.cut(String($0.dropFirst(2).prefix { $0 != " " }), to: 20) } ?? ""
    let mid = lines.first { $0.hasPrefix("a=mid:") }.map { VisibleText.cut(String($0.dropFirst(6)), to: 20) }
    return mid.map { "\(kind) (mid \($0))" } ?? kind
  }

  /// Whether a media section has port 0 (RFC 3264 section 6) and is in no bundle that carries it.
  private static func isRefused(_ lines: [String]) -> Bool {
    lines.first?.split(separator: " ").dropFirst().first == "0" && !lines.contains("a=bundle-only")
  }

  private static func left(of lines: [String], without other: [String], isAnswer: Bool) -> [String] {
    let known = Set(other.compactMap { key($0, isAnswer: !isAnswer) })
    return lines.filter { line in key(line, isAnswer: isAnswer).map { !known.contains($0) } ?? false }
  }

  private static let agreed = [
    "rtpmap", "fmtp", "rtcp-fb", "extmap", "rtcp-mux", "rtcp-rsize", "rid", "simulcast", "ptime", "maxptime",
    "crypto", "sctp-port", "max-message-size", "extmap-allow-mixed",
  ]
  /// A direction attribute as seen by the other end.
  private static let mirrored = [
    "sendrecv": "sendrecv", "inactive": "inactive", "sendonly": "recvonly", "recvonly": "sendonly",
  ]

  /// The negotiated content of a line, which is the same in both if accepted as offered; nil for lines that are not
  /// negotiated.
  private static func key(_ line: String, isAnswer: Bool) -> String? {
    if line.hasPrefix("m=") {
      let words = line.split(separator: " ")
      return words.count > 2 ? "\(words[0]) \(words[2])" : nil
    }
    if line.hasPrefix("b=") { return line }
    guard line.hasPrefix("a=") else { return nil }
    let text = line.dropFirst(2)
    let word = String(text.prefix { $0 != ":" })
    if let mirror = mirrored[word] { return isAnswer ? mirror : word }
    guard agreed.contains(word) else { return nil }
    switch word {
    // Ids may differ; the extensions they stand for are negotiated.
    case "extmap": return "extmap \(text.drop { $0 != " " })"
    case "rid", "simulcast":
      return word
    default: return String(text)
    }
  }
}
