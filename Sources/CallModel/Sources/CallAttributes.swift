/// What people who run the calls know of one and no file of it tells: where it came from and what it was for.
public enum CallAttribute: String, Sendable, CaseIterable {
  case queue
  case agentGroup = "agent_group"
  case carrier, trunk, tenant, site, country, role, rating
  /// The end at which software speaks: `caller`, `callee`, or another name that the call has for it.
  case voiceAgent = "voice_agent"

  /// The attribute of a column's name, however it is spelled: `Agent Group`, `agent-group`.
  public init?(column: String) {
    let plain = column.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 }
    self.init(rawValue: String(plain))
  }
}

/// What a call is for, which says whether silence in it is one.
public enum CallRole: String, Sendable, CaseIterable {
  case talk, conference, listener, ptt, ivr, voicemail, recorder, fax
}

/// The attributes of one call.
public struct CallAttributes: Sendable, Equatable {
  private var values: [CallAttribute: String]

  /// Those that are known.
  public init(_ values: [CallAttribute: String] = [:]) { self.values = values }

  /// The value of one; nil where nobody said.
  public subscript(_ attribute: CallAttribute) -> String? { values[attribute] }

  /// What the call was for; nil where nobody said, or in another word.
  public var role: CallRole? { values[.role].flatMap(CallRole.init) }

  /// What a person who was in it gave it, in whatever scale.
  public var rating: Double? { values[.rating].flatMap { Double($0) } }

  /// Whether nothing is known.
  public var isEmpty: Bool { values.isEmpty }
}
