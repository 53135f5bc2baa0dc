/// How an INVITE, or media, shows that a call goes on under another Call-ID.
extension SIPWatch {
  /// Joins an INVITE that begins another leg of a call to that.
  func carryOn(_ message: SIPMessage, _ offer: SDP?, _ source: Endpoint) {
    guard message.method == "INVITE", message.status == nil, message.toTag.isEmpty,
      calls[legs.call(of: message)] == nil
    else { return }
    for name in legs.calls(namedBy: message) {
      guard let call = calls[name], call.isUnanswered else { continue }
      return carry(call, name, on: message, source)
    }
    if let name = legs.call(taggedAs: message), let call = calls[name], call.isCarriedOn(by: source.address) {
      return carry(call, name, on: message, source)
    }
    for media in offer?.media ?? [] where media.port != 0 {
      guard let address = media.address,
        let (path, end) = paths.expecting(Endpoint(address: address, port: media.port)),
        let name = path.call, let call = calls[name], end == call.callerEnd,
        call.isCarriedOn(by: source.address)
      else { continue }
      return carry(call, name, on: message, source)
    }
    legs.begin(message)
  }

  /// Joins a leg of which the media has shown meanwhile whose it is.
  func joinLeg(_ message: SIPMessage) {
    let id = legs.call(of: message)
    guard let leg = calls[id], let (whole, _) = leg.path.whole, let name = whole.call, name != id,
      var call = calls[name], legs.join(id, to: name)
    else { return }
    call.takeIn(leg)
    calls[name] = call
    calls[id] = nil
  }

  private func carry(_ call: SIPCall, _ name: String, on message: SIPMessage, _ source: Endpoint) {
    guard legs.join(message.callID, to: name) else { return }
    var call = call
    call.addLeg(message, by: source.address)
    call.path.addLeg(message.callID)
    calls[name] = call
  }
}
