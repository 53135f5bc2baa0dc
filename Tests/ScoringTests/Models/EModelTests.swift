import Scoring
import Testing

/// Values of ITU-T G.107 and of the tables computed from it, to the printed digit.
@Suite("E-model")
struct EModelTests {
  private func printed(_ value: Double, _ digits: Int) -> Double {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return (value * scale).rounded() / scale
  }

  @Test("All defaults rate 93.2")
  func defaults() {
    let model = NarrowbandEModel()
    #expect(printed(model.no, 4) == -61.1792)
    #expect(printed(model.ro, 4) == 94.7688)
    #expect(printed(model.simultaneous, 5) == 1.41357)
    #expect(printed(model.listenerEcho, 4) == 0.1490)
    #expect(printed(model.rating, 3) == 93.206)
    #expect(printed(meanOpinionScore(rating: model.rating), 2) == 4.41)
  }

  @Test("G.722 is at 64 kb/s over RTP, however little a stream with comfort noise sends")
  func comfortNoise() throws {
    let impairment = try #require(CodecImpairment.of(codec: "G722", bps: 19_000))
    #expect(impairment.ie == 13 && impairment.scale == .wideband)
  }

  @Test(
    "Delay with echo: T = Ta = Tr/2",
    arguments: [
      (0, 93.21), (20, 92.53), (50, 91.76), (100, 90.66), (150, 89.54), (177, 88.08), (200, 85.80),
      (250, 79.18),
      (300, 72.67), (400, 62.25), (500, 54.80),
    ])
  func echo(delay: Int, rating: Double) {
    var model = NarrowbandEModel()
    (model.t, model.ta, model.tr) = (Double(delay), Double(delay), 2 * Double(delay))
    #expect(printed(model.rating, 2) == rating)
  }

  @Test(
    "Pure delay",
    arguments: [
      (100, 0), (150, 0.16), (177.3, 1.17), (200, 3.04), (250, 8.92), (300, 14.76), (350, 19.81),
      (400, 24.07),
      (500, 30.64), (600, 35.25), (800, 40.83), (1000, 43.79),
    ])
  func pureDelay(delay: Double, impairment: Double) {
    #expect(printed(delayImpairment(delayMs: delay), 2) == impairment)
    #expect(delayImpairment(delayMs: 1e12) <= 50)
  }

  @Test(
    "Rating to opinion",
    arguments: [
      (10, 1.035), (20, 1.252), (30, 1.609), (40, 2.064), (50, 2.575), (60, 3.100), (70, 3.597), (80, 4.024),
      (90, 4.339), (93.2, 4.409),
    ])
  func mos(rating: Double, mos: Double) {
    #expect(printed(meanOpinionScore(rating: rating), 3) == mos)
  }

  /// Codec, loss in per cent, rating, opinion at zero delay under random loss.
  private static let losses = [0.0, 1, 2, 3, 5, 10, 20]
  private static let codecs: [(name: String, ie: Double, bpl: Double, cells: [(Double, Double)])] = [
    (
      "G.711 without concealment", 0, 4.3,
      [(93.2, 4.41), (75.3, 3.83), (63.0, 3.26), (54.2, 2.79), (42.1, 2.17), (26.8, 1.48), (15.0, 1.12)]
    ),
    (
      "G.711 with concealment", 0, 25.1,
      [(93.2, 4.41), (89.6, 4.33), (86.2, 4.24), (83.1, 4.13), (77.4, 3.92), (66.1, 3.41), (51.1, 2.63)]
    ),
    (
      "G.729A", 11, 19,
      [(82.2, 4.10), (78.0, 3.95), (74.2, 3.79), (70.8, 3.63), (64.7, 3.34), (53.2, 2.75), (39.1, 2.02)]
    ),
    (
      "G.723.1", 15, 16.1,
      [(78.2, 3.95), (73.5, 3.76), (69.4, 3.57), (65.6, 3.39), (59.2, 3.06), (47.6, 2.45), (33.9, 1.78)]
    ),
    (
      "GSM-EFR", 5, 10,
      [(88.2, 4.29), (80.0, 4.02), (73.2, 3.74), (67.4, 3.47), (58.2, 3.01), (43.2, 2.22), (28.2, 1.54)]
    ),
  ]

  @Test("Codecs under random loss")
  func codecTable() {
    for codec in Self.codecs {
      for (loss, cell) in zip(Self.losses, codec.cells) {
        var model = NarrowbandEModel()
        (model.ie, model.bpl, model.ppl) = (codec.ie, codec.bpl, loss)
        #expect(printed(model.rating, 1) == cell.0, "\(codec.name) at \(loss) %")
        #expect(printed(meanOpinionScore(rating: model.rating), 2) == cell.1, "\(codec.name) at \(loss) %")
      }
    }
  }

  @Test("Bursts matter little at 2 %", arguments: [(1, 86.20), (1.5, 86.02), (2, 85.93), (4, 85.78)])
  func bursts(ratio: Double, rating: Double) {
    var model = NarrowbandEModel()
    (model.bpl, model.ppl, model.burstR) = (25.1, 2, ratio)
    #expect(printed(model.rating, 2) == rating)
  }

  @Test("AMR-WB 12.65 at 2 % on the wideband scale")
  func wideband() throws {
    let clean = try #require(MeanOpinionScore(codec: "AMR-WB", bps: 12_650, lossPercent: 0, delayMs: nil))
    let lossy = try #require(MeanOpinionScore(codec: "AMR-WB", bps: 12_650, lossPercent: 2, delayMs: nil))
    #expect(printed(clean.rating, 1) == 109.0 && printed(clean.value, 3) == 4.182)
    #expect(printed(lossy.rating, 2) == 85.19 && printed(lossy.value, 3) == 3.406)
    #expect(clean.scale == .wideband && clean.source == .itu)
  }

  @Test(
    "EVS 24.4 on the fullband scale",
    arguments: [(0, 140.8, 4.44), (1, 130.7, 4.30), (2, 122.2, 4.12), (5, 102.8, 3.57), (10, 82.5, 2.88)])
  func fullband(loss: Double, rating: Double, mos: Double) throws {
    let mean = try #require(MeanOpinionScore(codec: "EVS", bps: 24_400, lossPercent: loss, delayMs: nil))
    #expect(printed(mean.rating, 1) == rating && printed(mean.value, 2) == mos)
    #expect(mean.scale == .fullband && mean.source == .published)
  }

  @Test("A codec that nobody measured has no score")
  func unknown() {
    #expect(MeanOpinionScore(codec: "speex", bps: nil, lossPercent: 0, delayMs: nil) == nil)
  }

  @Test("G.726 by its rate (G.113 Appendix I)", arguments: [(16, 50), (24, 25), (32, 7), (40, 2)])
  func adpcm(kbps: Int, ie: Double) throws {
    #expect(try #require(CodecImpairment.of(codec: "G726-\(kbps)", bps: nil)).ie == ie)
  }

  @Test("The rate of Opus is that of the time in which it was sent, whatever was silent or on hold")
  func talkingRate() throws {
    // 60 s of speech at 32 kb/s in a call of 4 min.
    let held = talkingBitRate(bytes: 240_000, packets: 3000, spanMs: 240_000)
    let whole = talkingBitRate(bytes: 240_000, packets: 3000, spanMs: 60_000)
    #expect(held == 32_000 && whole == 32_000)
    #expect(talkingBitRate(bytes: nil, packets: 3000, spanMs: 60_000) == nil)
    #expect(talkingBitRate(bytes: 240_000, packets: 0, spanMs: 60_000) == nil)
    let usual = try #require(MeanOpinionScore(codec: "opus", bps: nil, lossPercent: 0, delayMs: nil))
    let named = try #require(MeanOpinionScore(codec: "opus", bps: held, lossPercent: 0, delayMs: nil))
    #expect(usual.value == named.value && usual.scale == .fullband)
    #expect(usual.source == .assumed && named.source == .published)
  }

  @Test("A clock of 48 kHz without a name is no telephone: it is taken for Opus, which is assumed")
  func clockWithoutName() throws {
    let unnamed = try #require(
      MeanOpinionScore(codec: nil, clockRate: 48_000, bps: 32_000, lossPercent: 10, delayMs: nil))
    let opus = try #require(MeanOpinionScore(codec: "opus", bps: 32_000, lossPercent: 10, delayMs: nil))
    #expect(unnamed.value == opus.value && unnamed.scale == .fullband && unnamed.source == .assumed)
    let telephone = try #require(
      MeanOpinionScore(codec: nil, clockRate: 8000, bps: 64_000, lossPercent: 0, delayMs: nil))
    #expect(telephone.scale == .narrowband && telephone.source == .assumed)
  }
}
