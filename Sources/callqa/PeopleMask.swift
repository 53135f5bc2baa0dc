import CallModel
import CallStore
import Glibc
import IO
import Rendering

/// Replaces people and addresses by pseudonyms in exported data. The same name always gets the same pseudonym, and the
/// mapping cannot be reversed.
struct PeopleMask {
  /// Names and addresses, longest first, so that a part of a name is not replaced before the whole.
  private let names: [String]
  private let salt: String

  /// Collects the people and addresses in the database, or those of one call.
  init(of store: Store, call: Int64? = nil) throws {
    let found = try store.people(ofCall: call) + Self.negotiated(store, call)
    // An address may also occur without its port.
    let hosts = found.compactMap { name -> String? in
      let host = AddressText.host(name)
      return host != name && host.contains { $0 == "." || $0 == ":" } ? host : nil
    }
    names = Set(found + hosts).filter { $0.utf8.count > 2 }.sorted {
      ($1.utf8.count, $0) < ($0.utf8.count, $1)
    }
    salt = (0..<4).map { _ in String(UInt32.random(in: .min ... .max)) }.joined(separator: "-")
  }

  /// Addresses in ICE candidates and session descriptions, including candidate pairs without traffic.
  private static func negotiated(_ store: Store, _ call: Int64?) throws -> [String] {
    var found: Set<String> = []
    try store.query(
      """
      SELECT e.args FROM events AS e JOIN source_views AS c USING (connection_key)
      WHERE (e.event GLOB 'ice.*' OR e.event GLOB 'sdp.*' OR e.event = '\(EventName.mediaPathPairs)'
        OR e.raw = '\(CaptureNote.description.rawValue)')\(call.map { " AND c.call_key = \($0)" } ?? "")
      """, [:], columns: { _ in },
      row: { cells in
        guard let args = cells.first?.string else { return }
        for word in args.split(whereSeparator: { " \"\\\r\n[],".contains($0) }) {
          // Candidate pairs contain addresses with ports.
          let host = word.contains(".") ? word.prefix { $0 != ":" } : word
          if isAddress(host) { found.insert(String(host)) }
        }
      })
    return Array(found)
  }

  /// Whether a word is an IP address that identifies a host, i.e. neither the wildcard nor the loopback address.
  private static func isAddress(_ word: Substring) -> Bool {
    guard word.utf8.count > 3, word.utf8.count < 46, word.contains(".") || word.contains(":") else {
      return false
    }
    var buffer = in6_addr()
    guard inet_pton(AF_INET, String(word), &buffer) == 1 || inet_pton(AF_INET6, String(word), &buffer) == 1
    else { return false }
    return !word.hasPrefix("127.") && word != "0.0.0.0"
  }

  /// The text with names replaced, including occurrences that are escaped as in JSON or HTML.
  func applied(to text: String) -> String {
    var text = text
    for name in names {
      var page: [UInt8] = []
      Escape.html(name, into: &page)
      var json: [UInt8] = []
      JSONBytes.append(name, to: &json)
      let spellings = [
        name, String(decoding: page, as: UTF8.self),
        String(decoding: json.dropFirst().dropLast(), as: UTF8.self),
      ]
      // A sentence may begin with a name.
      for spelling in Set(spellings + [name.prefix(1).uppercased() + name.dropFirst()]) {
        text = Self.replace(spelling, in: text, by: pseudonym(name))
      }
    }
    return text
  }

  /// The same for bytes; in a page, styles and scripts are left unchanged.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    var rest = Substring(String(decoding: bytes, as: UTF8.self))
    guard rest.hasPrefix("<!doctype html>") else { return Array(applied(to: String(rest)).utf8) }
    var page = ""
    while let open = Self.code.compactMap({ tags in rest.firstRange(of: tags.open).map { ($0, tags.close) } })
      .min(by: {
        $0.0.lowerBound < $1.0.lowerBound
      })
    {
      let end = rest[open.0.upperBound...].firstRange(of: open.1)?.upperBound ?? rest.endIndex
      page += applied(to: String(rest[..<open.0.lowerBound])) + rest[open.0.lowerBound..<end]
      rest = rest[end...]
    }
    return Array((page + applied(to: String(rest))).utf8)
  }

  private static let code = [(open: "<style>", close: "</style>"), (open: "<script>", close: "</script>")]

  /// Replaces a name where it occurs as a whole word.
  private static func replace(_ name: String, in text: String, by other: String) -> String {
    let pieces = text.split(separator: name, omittingEmptySubsequences: false)
    guard pieces.count > 1 else { return text }
    func isWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    var result = String(pieces[0])
    for (before, after) in zip(pieces, pieces.dropFirst()) {
      result += isWord(before.last) || isWord(after.first) ? name : other
      result += after
    }
    return result
  }

  private func pseudonym(_ name: String) -> String {
    let hasher = SHA256()
    Array((salt + name).utf8).withUnsafeBytes { hasher.update($0) }
    return "someone-" + hasher.hexDigest().prefix(8)
  }
}
