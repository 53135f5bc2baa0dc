import CallModel

/// One event as a log has it, before anyone knows what it means.
struct RawEvent {
  var timeMs: Double?
  /// Whether the time is that of a line above, which another event has too.
  var isTimeBorrowed = false
  var raw: String
  var arguments = LogArguments()
  var sdk: String?
  /// Whether the line itself names its SDK.
  var isSDKNamed = false
  var call: String?
  /// Of which kind its ids of a call are, where an SDK has several and each has its own values: of another kind no id speaks against it.
  var idKind: String?
  /// The call as what is around the line has it.
  var callAround: String?
  /// The call's object as the line prints it: of this process, at this time, and no id.
  var object: CallCut.ID?
  var endpoint: String?
  /// Whether its end is told by what is around the line, which not every line of a log need have around it.
  var isEndAround = false
  /// Whether what names no end is of this one.
  var takesUnnamed = false
  /// What pairs in front of it say of whose it is.
  var owner = LineOwner()
  var pc: String?
  var line: Int?
  /// Identities that the reader found.
  var identities: [Identity] = []
  /// How much its name tells of the SDK, where `sdk` was found by it.
  var telling = Telling.own
  /// Of a request, what the line has of it.
  var request: LoggedRequests.Line?
  /// Whether a sentence of its dialect told it, which any application may print, but hardly two of them.
  var isSentence = false
  /// What a Pexip event carries, where the reader has read it.
  var pexip: PexipMembers?

  /// Bytes of its texts: what it takes of memory while it waits.
  var size: Int { raw.utf8.count + arguments.size }

  /// What a name tells of the SDK: it is one's own, several have it, or any application.
  enum Telling { case own, shared, generic }
}
