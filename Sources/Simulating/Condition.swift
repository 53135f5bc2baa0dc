/// A measured network condition with the mean and variation of a call's score under it.
public struct Condition: Sendable {
  public let name: String
  /// Mean score of the two ends, 0–100.
  public let score: Double
  /// Standard deviation of a call's mean score between repetitions, in points.
  public let spread: Double
  /// Median setup time, ms.
  public let setupMs: Double

  init(_ name: String, _ score: Double, _ spread: Double, _ setupMs: Double) {
    self.name = name
    self.score = score
    self.spread = spread
    self.setupMs = setupMs
  }

  /// Measured on real calls with known impairments (bench/variances.sql generates this list). The only asymmetric
  /// recording is left out.
  public static let measured: [Condition] = [
    Condition("clean", 100.0, 0.0, 223.0),
    Condition("loss1", 95.6, 0.8, 183.0),
    Condition("loss3", 90.6, 0.4, 264.0),
    Condition("loss8", 75.9, 0.3, 252.0),
    Condition("loss15", 58.9, 2.2, 308.0),
    Condition("loss30", 18.6, 1.6, 421.0),
    Condition("burst3x3", 86.1, 0.2, 164.0),
    Condition("burst8x10", 65.4, 1.6, 297.0),
    Condition("delay100", 99.6, 0.1, 871.0),
    Condition("delay300", 83.6, 0.8, 1681.0),
    Condition("jitter10", 100.0, 0.0, 398.0),
    Condition("jitter40", 87.4, 1.1, 660.0),
    Condition("jitter40-reorder", 61.3, 34.1, 1038.0),
    Condition("cap1000", 97.9, 0.3, 177.0),
    Condition("cap300", 81.2, 7.6, 236.0),
    Condition("cap80", 8.1, 0.4, 689.0),
    Condition("combo-l3d150j20", 62.9, 0.3, 1616.0),
    Condition("combo-l8d100j40", 50.6, 4.3, 637.0),
    Condition("spikes200", 86.6, 0.5, 299.0),
    Condition("sched-loss10", 88.4, 1.7, 471.0),
    Condition("sched-cap200", 36.3, 7.7, 263.0),
    Condition("outage8", 75.7, 0.1, 272.0),
    Condition("h264-clean", 100.0, 0.0, 201.0),
    Condition("h264-loss3", 88.1, 0.6, 148.0),
    Condition("slow-setup", 100.0, 0.0, 3682.0),
    Condition("audio-clean", 100.0, 0.0, 91.0),
    Condition("audio-loss5", 80.1, 2.3, 126.0),
    Condition("audio-loss20", 41.5, 2.9, 1863.0),
    Condition("audio-jitter30", 89.2, 0.7, 961.0),
    Condition("audio-cap50", 21.4, 8.9, 917.0),
    Condition("audio-burst10x15", 54.9, 27.9, 154.0),
    Condition("audio-loss3-poll500", 88.1, 2.2, 186.0),
    Condition("clean-again", 100.0, 0.0, 211.0),
  ]

  /// Standard deviation of the logarithm of the setup time; clean calls took 91 to 223 ms.
  public static let setupSpread = 0.4
}
