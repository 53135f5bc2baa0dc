/// A picture before it is drawn: what is shown, in words and numbers; gnuplot sees to the rest.
public struct Plot: Sendable, Equatable {
  /// How the series are drawn.
  public enum Shape: String, Sendable, CaseIterable {
    /// A line with a mark at each value; a gap where a value is unknown.
    case lines
    /// A staircase: distributions.
    case steps
    /// Groups of bars side by side, a group a category.
    case bars
    /// Bars on top of each other, a bar a category.
    case stacked
    /// The same lying down, for categories with long names.
    case lying
  }

  /// File name without its ending.
  public var name: String
  public var shape: Shape
  public var title: String
  public var xLabel: String
  public var yLabel: String
  /// Names of the groups or bars, in order; empty for `lines` and `steps`, whose x is a number.
  public var categories: [String] = []
  public var series: [PlotSeries] = []
  /// Fixed ends of the axes; nil lets the data decide.
  public var xRange: PlotRange?
  public var yRange: PlotRange?
  /// Places and words of the x axis, where numbers would not do (names of nights).
  public var xTicks: [PlotTick] = []
  /// Pixels at scale 1.
  public var width = 640
  public var height = 300

  /// An empty picture.
  public init(name: String, shape: Shape, title: String, xLabel: String = "", yLabel: String = "") {
    self.name = name
    self.shape = shape
    self.title = title
    self.xLabel = xLabel
    self.yLabel = yLabel
  }
}

/// One line, or one colour of bars.
public struct PlotSeries: Sendable, Equatable {
  /// What the key says.
  public var title: String
  /// For `lines` and `steps` points in the order of x; for bars, y of category x (0, 1, …). A nil y is unknown and drawn as a gap.
  public var points: [PlotPoint]
  /// Drawn grey and thin: what the others are compared with.
  public var isReference = false

  /// A series.
  public init(_ title: String, _ points: [PlotPoint], isReference: Bool = false) {
    self.title = title
    self.points = points
    self.isReference = isReference
  }
}

/// One value.
public struct PlotPoint: Sendable, Equatable {
  public var x: Double
  public var y: Double?

  /// A value, or a known absence of one.
  public init(_ x: Double, _ y: Double?) {
    self.x = x
    self.y = y
  }
}

/// Both ends of an axis, either of which may be left to the data.
public struct PlotRange: Sendable, Equatable {
  public var low: Double?
  public var high: Double?

  /// An axis from `low` to `high`.
  public init(_ low: Double?, _ high: Double?) {
    self.low = low
    self.high = high
  }
}

/// A word at a place of an axis.
public struct PlotTick: Sendable, Equatable {
  public var at: Double
  public var label: String

  /// A word at a place.
  public init(_ at: Double, _ label: String) {
    self.at = at
    self.label = label
  }
}
