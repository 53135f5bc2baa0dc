extension LogArguments {
  /// The SDP text of a description event, wherever its log keeps it.
  var sdp: String? {
    for path in ["sdp", "value.sdp", "description.sdp", "payload.sdp", "value", "offer", "answer", "0.sdp"] {
      if let text = text(path), text.hasPrefix("v=0") || text.contains("a=ice-ufrag") { return text }
    }
    return nil
  }
}
