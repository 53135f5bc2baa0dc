/// Facts about a call that its operators know and its files do not have: where it came from and what it was
/// for.
public enum CallAttribute: String, Sendable, CaseIterable {
  case queue
  case agentGroup = "agent_group"
  case carrier, trunk, tenant, site, country, role, rating
  /// The end that is a voice agent: `caller`, `callee`, or another name of an end in the call.
  case voiceAgent = "voice_agent"

  /// The attribute for a column name in any spelling: `Agent Group`, `agent-group`.
  public init?(column: String) {
    let plain = column.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 }
    self.init(rawValue: String(plain))
  }
}

/// What a call is for, which decides whether silence in it is normal.
public enum CallRole: String, Sendable, CaseIterable {
  case talk, conference, listener, ptt, ivr, voicemail, recorder, fax
}

/// The attributes of one call.
public struct CallAttributes: Sendable, Equatable {
  private var values: [CallAttribute: String]

  /// Attributes with known values.
  public init(_ values: [CallAttribute: String] = [:]) { self.values = values }

  /// The value of an attribute; nil if unknown.
  public subscript(_ attribute: CallAttribute) -> String? { values[attribute] }

  /// What the call was for; nil if unknown or not one of these roles.
  public var role: CallRole? { values[.role].flatMap(CallRole.init) }

  /// Whether there are no attributes.
  public var isEmpty: Bool { values.isEmpty }
}
