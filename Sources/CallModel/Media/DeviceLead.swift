/// How long before a call its page may have had the answer to a request for camera or microphone that belongs to the call, ms: what
/// is older was a preview's in the lobby, or an earlier call's of the same tab.
public let deviceLeadMs = 5000.0
