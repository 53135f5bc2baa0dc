import CallModel

/// Codec names as the IANA registry of RTP media types writes them, whatever the source's case.
enum CodecName {
  private static let known: [String: String] = {
    let names = [
      "opus", "VP8", "VP9", "AV1", "H264", "H265", "PCMU", "PCMA", "G722", "G729", "iLBC", "iSAC", "SILK",
      "CN",
      "telephone-event", "red", "rtx", "ulpfec", "flexfec-03", "L16", "AMR", "AMR-WB", "EVS", "MP4A-LATM",
      "speex",
    ]
    return Dictionary(uniqueKeysWithValues: names.map { ($0.lowercased(), $0) })
  }()

  /// `audio/opus`, `OPUS`, `VP8/90000` → the registered spelling without kind and rate; unknown names as they are.
  static func canonical(_ name: String) -> String {
    var word = name[...]
    for kind in ["audio/", "video/"] where word.lowercased().hasPrefix(kind) {
      word = word.dropFirst(kind.count)
    }
    word = word.prefix { $0 != "/" && $0 != ";" }
    return known[word.lowercased()] ?? String(word)
  }

  /// The RTP clock rate that a codec has nearly always, where nothing says it (RFC 3551, RFC 7587).
  static func usualClockRate(_ codec: String?, _ kind: MediaKind?) -> Int {
    switch codec {
    case "PCMU", "PCMA", "G722", "G729", "iLBC", "CN", "telephone-event": 8000
    default: kind == .video ? 90_000 : 48_000
    }
  }

  /// Audio or video by the kind before the slash.
  static func kind(_ mimeType: String) -> MediaKind? {
    MediaKind(rawValue: mimeType.prefix { $0 != "/" }.lowercased())
  }
}
