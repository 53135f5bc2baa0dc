/// How long before a call a granted request for camera or microphone still belongs to the call, ms. Older
/// ones belong to a preview in the lobby, or to an earlier call in the same tab.
public let deviceLeadMs = 5000.0
