import Glibc

/// The origin of a codec's equipment impairment.
public enum ImpairmentSource: String, Sendable {
  /// ITU-T G.113 Appendix I or IV.
  case itu
  /// Measured and published by others.
  case published
  /// Taken from a similar codec, because none is published.
  case assumed
}

/// Equipment impairment of a codec: its cost without loss, and its robustness to loss.
public struct CodecImpairment: Sendable, Equatable {
  public var scale: MOSScale
  /// `Ie` and `Bpl` (random loss, in per cent).
  public var ie: Double
  public var bpl: Double
  public var source: ImpairmentSource

  init(_ scale: MOSScale, _ ie: Double, _ bpl: Double, _ source: ImpairmentSource) {
    self.scale = scale
    self.ie = ie
    self.bpl = bpl
    self.source = source
  }

  /// The impairment of a codec at a bit rate.
  ///
  /// - Parameters:
  ///   - codec: RTP name, not case-sensitive. An unknown one is treated as G.711 with concealment, and marked as
  ///     assumed. So is nil, unless the clock rate is that of Opus, which no telephone-band codec has.
  ///   - clockRate: RTP clock rate in Hz, if known.
  ///   - bps: payload bit rate, for codecs with several.
  public static func of(codec: String?, clockRate: Int? = nil, bps: Double?) -> CodecImpairment {
    let kbps = bps.map { $0 / 1000 }
    switch codec?.lowercased() {
    case nil where clockRate == 48_000:
      var opus = of(codec: "opus", bps: bps)
      opus.source = .assumed
      return opus
    case "pcmu", "pcma": return .init(.narrowband, 0, 25.1, .itu)
    case "g729", "g729a": return .init(.narrowband, 11, 19, .itu)
    case "g723": return .init(.narrowband, 15, 16.1, .itu)
    case "gsm-efr": return .init(.narrowband, 5, 10, .itu)
    case "gsm": return .init(.narrowband, 20, 10, .assumed)
    case "amr": return .init(.narrowband, 5, 10, .assumed)
    case "ilbc": return .init(.narrowband, 11, 32, .published)
    case "g722": return g722
    case "amr-wb": return nearest(amrWideband, kbps ?? 12.65)
    case "evs": return nearest(evs, kbps ?? 24.4)
    case "opus":
      guard let kbps else { return usualOpus }
      return nearest(opus, kbps)
    default: return .init(.narrowband, 0, 25.1, .assumed)
    }
  }

  private static func nearest(_ table: [(Double, CodecImpairment)], _ kbps: Double) -> CodecImpairment {
    let best = table.min { abs($0.0 - kbps) < abs($1.0 - kbps) }
    return best?.1 ?? .init(.narrowband, 0, 25.1, .assumed)
  }

  /// Always 64 kbit/s over RTP (RFC 3551 section 4.5.2); a lower mean is due to comfort noise. G.113 Appendix IV lists
  /// no `Bpl` for it, so that of AMR-WB is used.
  private static let g722 = CodecImpairment(.wideband, 13, 4.5, .assumed)

  /// G.113 Appendix IV, diotic, random loss; a single published `Bpl` is used for neighbouring rates too.
  private static let amrWideband: [(Double, CodecImpairment)] = [
    (6.6, .init(.wideband, 56, 4.3, .assumed)), (8.85, .init(.wideband, 41, 4.3, .assumed)),
    (12.65, .init(.wideband, 20, 4.3, .itu)), (15.85, .init(.wideband, 17, 4.5, .assumed)),
    (23.05, .init(.wideband, 8, 4.6, .itu)), (23.85, .init(.wideband, 10, 4.9, .itu)),
  ]

  /// EVS super-wideband, published fits on the fullband scale.
  private static let evs: [(Double, CodecImpairment)] = [
    (9.6, .init(.fullband, 22.7, 13, .published)), (13.2, .init(.fullband, 17.1, 11.7, .published)),
    (16.4, .init(.fullband, 10.8, 10.3, .published)), (24.4, .init(.fullband, 7.2, 11.4, .published)),
    (32, .init(.fullband, 8.7, 9.3, .published)), (48, .init(.fullband, 10.2, 9.6, .published)),
  ]

  /// The usual rate of browsers for speech, 32 kbit/s, if the rate is unknown.
  private static let usualOpus: CodecImpairment = {
    var usual = nearest(opus, 32)
    usual.source = .assumed
    return usual
  }()

  /// Opus super-wideband VBR, below that narrowband and wideband: Alahmadi, Pocta, Melvin, ACM TOMM 17(4), 2021.
  private static let opus: [(Double, CodecImpairment)] = [
    (6, .init(.narrowband, 23.0, 24.6, .published)), (9, .init(.narrowband, 11.7, 18.9, .published)),
    (11, .init(.wideband, 28.4, 23.9, .published)), (12, .init(.wideband, 23.3, 22.2, .published)),
    (13, .init(.wideband, 20.0, 19.5, .published)), (16, .init(.fullband, 30.2, 11.8, .published)),
    (19, .init(.fullband, 23.8, 10.7, .published)), (22, .init(.fullband, 20.2, 10.5, .published)),
    (25, .init(.fullband, 20.2, 11.3, .published)), (28, .init(.fullband, 18.5, 10.6, .published)),
    (31, .init(.fullband, 16.8, 10.4, .published)), (34, .init(.fullband, 14.8, 10.1, .published)),
    (37, .init(.fullband, 12.1, 10.4, .published)), (40, .init(.fullband, 10.7, 9.8, .published)),
  ]
}

/// ITU-T G.107 Annex B: mean opinion score (1 to 4.5) for a transmission rating.
///
/// Clamped, because the cubic falls below 1 for small R.
public func meanOpinionScore(rating r: Double) -> Double {
  guard r > 0 else { return 1 }
  guard r < 100 else { return 4.5 }
  return max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6)
}

/// The inverse: the rating for a mean opinion score, 6.5 < R <= 100.
public func rating(mos: Double) -> Double {
  guard mos > 1 else { return 0 }
  guard mos < 4.5 else { return 100 }
  let root = max(0, -903_522 + 1_113_960 * mos - 202_500 * mos * mos)
  let h = atan2(15 * sqrt(root), 18_566 - 6750 * mos) / 3
  return 20.0 / 3 * (8 - sqrt(226) * cos(h + .pi / 3))
}

/// The three scales of the E-model. Values on different scales must never be averaged or compared.
public enum MOSScale: String, Sendable, CaseIterable {
  case narrowband = "NB"
  case wideband = "WB"
  case fullband = "FB"

  /// The rating of a perfect connection.
  public var best: Double {
    switch self {
    case .narrowband: 93.2
    case .wideband: 129
    case .fullband: 148
    }
  }

  /// Maximum impairment by loss in addition to the codec's own.
  var lossScale: Double { self == .fullband ? 132 : 95 }

  /// Factor for ratings and delay impairment compared with the narrowband scale.
  var stretch: Double {
    switch self {
    case .narrowband: 1
    case .wideband: 1.29
    case .fullband: 1.48
    }
  }
}
