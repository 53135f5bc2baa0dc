import Glibc

/// A number that the rule of a finding compares with.
public struct Threshold: Sendable, CustomStringConvertible {
  /// What a value counts.
  public enum Unit: Sendable {
    case ms, share, packets, count, times, decibels, bitsPerSecond, perSecond
    /// A level, 1 = full scale; written in dBFS.
    case level
  }

  public let value: Double
  public let unit: Unit
  /// What is compared with it.
  public let meaning: String

  init(_ value: Double, _ unit: Unit, _ meaning: String) {
    (self.value, self.unit, self.meaning) = (value, unit, meaning)
  }

  /// A time in nanoseconds.
  public var ns: Int64 { Int64(value * 1e6) }
  /// The value as a whole number.
  public var count: Int { Int(value) }

  /// The value with its unit: `6.5 s`, `2 %`, `-60 dBFS`.
  public var description: String {
    switch unit {
    case .ms: value < 1000 ? "\(Self.number(value)) ms" : "\(Self.number(value / 1000)) s"
    case .share: "\(Self.number(value * 100)) %"
    case .packets: "\(Self.number(value)) packets"
    case .count: Self.number(value)
    case .times: "\(Self.number(value)) times"
    case .decibels: "\(Self.number(value)) dB"
    case .bitsPerSecond:
      value < 1e6 ? "\(Self.number(value / 1e3)) kbit/s" : "\(Self.number(value / 1e6)) Mbit/s"
    case .perSecond: "\(Self.number(value)) per second"
    case .level: "\(Self.number(20 * log10(value))) dBFS"
    }
  }

  private static func number(_ value: Double) -> String {
    let hundredths = (value * 100).rounded()
    return hundredths.truncatingRemainder(dividingBy: 100) == 0
      ? "\(Int(hundredths / 100))" : "\(hundredths / 100)"
  }
}
