import CallModel
import Rendering

/// One property in which two calls are compared.
public struct DiffPoint: Sendable {
  /// The part of the calls that is compared.
  package enum Section: Equatable {
    case call
    /// Two ends by name, usually the same; nil if a call has none to compare.
    case ends(String?, String?)
    case setup
    case findings
  }

  /// The unit of a number.
  package enum Unit: String {
    case points, ms, share, fps, bps, times

    /// The step to which a value is rounded in words.
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

  /// The value for one of the calls.
  package enum Value: Equatable {
    case number(Double)
    case word(String)
    /// Text that combines several things, so that a difference is meaningless.
    case account(String)
  }

  package var section: Section
  package var name: String
  package var unit: Unit?
  package var a: Value?
  package var b: Value?

  /// A value in words that are safe to display anywhere.
  package func words(_ value: Value?) -> String? {
    switch value {
    case .number(let number): unit?.words(number) ?? CellText.shortest(number)
    case .word(let text), .account(let text): VisibleText.visible(text)
    case nil: nil
    }
  }

  /// The second value minus the first; nil unless both are numbers.
  package var difference: Double? {
    guard case .number(let a) = a, case .number(let b) = b else { return nil }
    return b - a
  }

  /// The difference of the displayed values if both are rounded equally, so that it agrees with the reader's
  /// subtraction.
  private var shownDifference: Double? {
    guard case .number(let a) = a, case .number(let b) = b, let unit, unit.step(a) == unit.step(b) else {
      return difference
    }
    let step = unit.step(a)
    return ((b / step).rounded() - (a / step).rounded()) * step
  }

  /// The change in words; nil if there is no visible change.
  package var change: String? {
    if case .account = a ?? b { return nil }
    guard words(a) != words(b) else { return nil }
    if let difference = shownDifference, let unit, unit != .times {
      // The difference of two shares is in percentage points: `+29 %` would read as a factor.
      let size =
        unit == .share
        ? Measure.percent(abs(difference)).replacing(" %", with: " pp") : unit.words(abs(difference))
      return (difference > 0 ? "+" : "−") + size
    }
    return difference == nil && unit != nil ? nil : "≠"
  }

  /// Columns of a point for scripts.
  public static let columns = [
    "section", "endpoint", "other_endpoint", "point", "unit", "a", "b", "difference",
  ]

  /// The cells of the point under those columns.
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
