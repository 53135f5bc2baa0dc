/// How Opus is asked to be sent, by the parameters of its format (RFC 7587, 6.1).
struct OpusMode {
  /// In-band redundancy.
  let errorCorrection: Bool
  /// Nothing is sent while nobody speaks.
  let discontinuous: Bool

  init(_ fmtp: String?) {
    errorCorrection = fmtp?.contains("useinbandfec=1") ?? false
    discontinuous = fmtp?.contains("usedtx=1") ?? false
  }
}
