import LogText

/// The names of arguments that are kept as text: what a dialect, W3C, SIP or our own vocabulary names.
public struct ArgumentNames: Sendable {
  private let names: Set<String>

  /// Those of the installed dialects. Throws `SourceError` if a dialect file is invalid.
  public static func installed() throws -> ArgumentNames { try Dialects.installed().argumentNames }

  /// Whether texts under a name are kept: it is known, or is that of an id.
  public func contains(_ name: String) -> Bool {
    let name = LogName.normal(name)
    return names.contains(name) || name.hasSuffix("id")
  }

  /// The names of some dialects.
  init(of dialects: [Dialect]) {
    var names = Self.standard
    for dialect in dialects {
      var entries = Array(dialect.events.values) + dialect.enums.flatMap(\.values.values)
      while let entry = entries.popLast() {
        names.formUnion(entry.arguments.flatMap { [$0.name] + $0.sources }.compactMap(Self.last))
        names.formUnion((entry.decidedBy + entry.having.flatMap(\.paths)).compactMap(Self.last))
        entries += entry.parts + Array(entry.values.values) + entry.having.map(\.entry)
        entries += Array(entry.variants.values) + Array(entry.after.values)
      }
      names.formUnion(
        (dialect.identities.map(\.path) + dialect.codeSets.flatMap(\.places)).compactMap(Self.last))
      names.formUnion(dialect.lines.flatMap(\.names).compactMap(Self.last))
    }
    self.names = names
  }

  /// The last name of a path; nil for a position, under which any word of a line may stand.
  private static func last(_ path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: ".")).last.map { Substring($0) }
    guard let name, Int(name) == nil, name != "*" else { return nil }
    return LogName.normal(name)
  }

  /// W3C's dictionaries and error events, SIP's headers, what describes an error, and the arguments that callqa adds.
  private static let standard = Set(
    """
    type sdp candidate sdpMid usernameFragment url urls address hostCandidate errorText errorCode errorName
    error message description reason cause detail details code words warning status state stateReason
    offered agreed unanswered what codec sentAs expectedAs mimeType sdpFmtpLine label protocol mid kind
    userAgent sdkVersion appVersion device deviceName model os osVersion platform network networkType region
    by of per medium stage result update direction soundFrom seenBy gone cseq call dials from to known_to
    waitsFor outcome verdictCause interval data iceServers track stream streams role file_name
    """.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
      .map { LogName.normal(Substring($0)) })
}
