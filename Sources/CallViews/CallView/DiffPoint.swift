import CallModel
import Rendering

/// One point in which two calls are compared.
public struct DiffPoint: Sendable {
  /// What of the calls is compared.
  package enum Section: Equatable {
    case call
    /// Two ends by their names, mostly the same one; nil where a call has none to compare.
    case ends(String?, String?)
    case setup
    case findings
  }

  /// What a number counts.
  package enum Unit: String {
    case points, ms, share, fps, bps, times

    /// To what a value is rounded in words.
    package func step(_ value: Double) -> Double {
      let size = abs(value)
      return switch self {
      case .points, .fps: size < 9.95 ? 0.1 : 1
      case .ms: size < 1000 ? 1 : size < 9950 ? 100 : 1000
      case .share: size < 0.1 ? 0.001 : 0.01
      case .bps: size < 10_000 ? 100 : size < 1_000_000 ? 1000 : 100_000
      case .times: 1
      }
    }

    /// A value in words.
    package func words(_ value: Double) -> String {
      switch self {
      case .points: Measure.points(value)
      case .ms: Measure.duration(value)
      case .share: Measure.percent(value)
      case .fps: CellText.fixed(value, decimals: value < 9.95 ? 1 : 0)
      case .bps: Measure.bitrate(value)
      case .times: value == 0 ? "no" : value == 1 ? "yes" : "\(CellText.fixed(value, decimals: 0)) times"
      }
    }
  }

  /// What is known of one of the calls.
  package enum Value: Equatable {
    case number(Double)
    case word(String)
    /// Words that tell several things at once: that they differ says nothing.
    case account(String)
  }

  package var section: Section
  package var name: String
  package var unit: Unit?
  package var a: Value?
  package var b: Value?

  /// A value in words that may be shown anywhere.
  package func words(_ value: Value?) -> String? {
    switch value {
    case .number(let number): unit?.words(number) ?? CellText.shortest(number)
    case .word(let text), .account(let text): VisibleText.visible(text)
    case nil: nil
    }
  }

  /// The second less the first; nil unless both are numbers.
  package var difference: Double? {
    guard case .number(let a) = a, case .number(let b) = b else { return nil }
    return b - a
  }

  /// The same of the values as they are shown, where both are rounded alike: a reader who subtracts finds the same.
  private var shownDifference: Double? {
    guard case .number(let a) = a, case .number(let b) = b, let unit, unit.step(a) == unit.step(b) else {
      return difference
    }
    let step = unit.step(a)
    return ((b / step).rounded() - (a / step).rounded()) * step
  }

  /// What changed, in words; nil where nothing did that can be seen.
  package var change: String? {
    if case .account = a ?? b { return nil }
    guard words(a) != words(b) else { return nil }
    if let difference = shownDifference, let unit, unit != .times {
      // A share's difference is in points of per cent: `+29 %` would read as a factor.
      let size =
        unit == .share
        ? Measure.percent(abs(difference)).replacing(" %", with: " pp") : unit.words(abs(difference))
      return (difference > 0 ? "+" : "−") + size
    }
    return difference == nil && unit != nil ? nil : "≠"
  }

  /// Columns of a point for programs.
  public static let columns = [
    "section", "endpoint", "other_endpoint", "point", "unit", "a", "b", "difference",
  ]

  /// The point under those columns.
  public var cells: [Cell] {
    var ends: (String?, String?)
    let word: String
    switch section {
    case .call: word = "call"
    case .ends(let left, let right):
      word = "endpoint"
      ends = (left, right)
    case .setup: word = "setup"
    case .findings: word = "findings"
    }
    return [
      .text(word), ends.0.cell, ends.1.cell, .text(name), (unit?.rawValue).cell, cell(a), cell(b),
      difference.cell,
    ]
  }

  private func cell(_ value: Value?) -> Cell {
    switch value {
    case .number(let number): .real(number)
    case .word(let text), .account(let text): .text(text)
    case nil: .null
    }
  }
}
