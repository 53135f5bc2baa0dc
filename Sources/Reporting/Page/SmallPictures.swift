/// Pictures so small that they stand in a table's cell, drawn as SVG of the page.
enum SmallPictures {
  /// A line of some runs, the last one marked; a nil is a run without a value. `text` words a value.
  static func spark(
    _ values: [Double?], within range: ClosedRange<Double>, text: (Double) -> String, into html: inout HTML
  ) {
    let known = values.count { $0 != nil }
    let latest = values.last ?? nil
    guard known > 1 else {
      html.element("span", ["class": "muted"], latest == nil ? Words.unknown : "first run")
      return
    }
    let label =
      "last \(values.count) runs, the oldest first: "
      + values.map { $0.map(text) ?? "none" }.joined(separator: ", ")
    let (width, height) = (84.0, 20.0)
    let (low, top) = (range.lowerBound, max(range.upperBound, range.lowerBound + 1e-9))
    let step = (width - 6) / Double(max(values.count - 1, 1))
    var segments: [[String]] = [[]]
    var last = (x: 0.0, y: 0.0)
    for (index, value) in values.enumerated() {
      guard let value else {
        segments.append([])
        continue
      }
      last = (3 + step * Double(index), height - 3 - (value - low) / (top - low) * (height - 6))
      segments[segments.count - 1].append("\(GnuplotText.number(last.x)),\(GnuplotText.number(last.y))")
    }
    html.element("svg", ["class": "spark", "viewBox": "0 0 84 20", "role": "img", "aria-label": label]) {
      svg in
      for segment in segments where !segment.isEmpty {
        svg.element("polyline", ["points": segment.joined(separator: " ")], "")
      }
      guard latest != nil else { return }
      svg.element(
        "circle", ["cx": GnuplotText.number(last.x), "cy": GnuplotText.number(last.y), "r": "2.4"], "")
    }
  }

  /// An interval on an axis that reaches so far to both sides of nought, with the margin as a dashed line.
  static func interval(
    _ value: Double, low: Double, high: Double, margin: Double?, reach: Double, label: String,
    into html: inout HTML
  ) {
    func place(_ number: Double) -> String {
      GnuplotText.number(55 + max(-1, min(1, number / (reach * 1.1))) * 52)
    }
    html.element("svg", ["class": "interval", "viewBox": "0 0 110 16", "role": "img", "aria-label": label]) {
      svg in
      svg.element("line", ["class": "zero", "x1": place(0), "x2": place(0), "y1": "1", "y2": "15"], "")
      if let margin {
        svg.element(
          "line", ["class": "margin", "x1": place(margin), "x2": place(margin), "y1": "1", "y2": "15"], "")
      }
      svg.element("line", ["class": "range", "x1": place(low), "x2": place(high), "y1": "8", "y2": "8"], "")
      svg.element("circle", ["cx": place(value), "cy": "8", "r": "3.2"], "")
    }
  }
}
