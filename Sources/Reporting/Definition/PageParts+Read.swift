import Rendering

extension TablePart {
  init(_ section: DefinitionSection) throws {
    try section.allow([
      "query", "title", "note", "otherwise", "limit", "fold", "folded", "needs", "once", "column",
    ])
    line = section.line
    query = try section.text("query", section.name)
    title = try section.text("title")
    note = try section.text("note")
    otherwise = try section.text("otherwise", "Nothing to show.")
    limit = try section.count("limit", 200)
    isFolded = try section.text("folded", "no") == "yes"
    needs = try section.text("needs").split(separator: " ").map(String.init)
    once = try section.value("once")?.value
    if let entry = try section.value("fold") {
      let words = entry.value.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else {
        throw PlacedError(
          section.file, entry.line, "expected 'fold = COLUMN VALUE', such as 'fold = verdict pass'")
      }
      fold = Fold(column: words[0], value: words[1])
    }
    columns = try section.entries.filter { $0.key == "column" }.map { try ColumnPart($0, file: section.file) }
    guard !columns.isEmpty else {
      throw PlacedError(
        section.file, section.line,
        "[\(section.kind) \(section.name)] needs at least one 'column = NAME | Heading | format'")
    }
  }
}

extension ColumnPart {
  init(_ entry: DefinitionSection.Entry, file: String) throws {
    let words = entry.value.split(separator: "|", omittingEmptySubsequences: false).map { String($0.trimmed) }
    guard let name = words.first, !name.isEmpty, words.count <= 3 else {
      throw PlacedError(file, entry.line, "expected 'column = NAME | Heading | format'")
    }
    column = name
    heading = words.count > 1 ? words[1] : name
    line = entry.line
    format = .text
    guard words.count > 2 else { return }
    guard let named = ColumnFormat(rawValue: words[2]) else {
      let all = ColumnFormat.allCases.map(\.rawValue)
      let near = Spelling.nearest(to: words[2], among: all).map { "; did you mean '\($0)'?" } ?? "."
      throw PlacedError(
        file, entry.line, "'\(words[2])' is no format\(near) There are: \(all.joined(separator: ", "))")
    }
    format = named
  }
}

extension PlotPart {
  init(_ section: DefinitionSection) throws {
    try section.allow([
      "query", "shape", "title", "note", "x", "y", "series", "x-label", "y-label", "x-range", "y-range",
      "scale", "needs",
      "otherwise",
    ])
    let file = section.file
    line = section.line
    name = section.name
    guard !name.isEmpty,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    else {
      throw PlacedError(
        file, line, "a plot needs a name of letters, digits, - and _, for its files: [plot scores]")
    }
    query = try section.text("query", section.name)
    let wanted = try section.needed("shape")
    guard let named = Plot.Shape(rawValue: wanted.value) else {
      let all = Plot.Shape.allCases.map(\.rawValue).joined(separator: ", ")
      throw PlacedError(file, wanted.line, "'\(wanted.value)' is no shape; there are: \(all)")
    }
    shape = named
    title = try section.text("title", section.name)
    note = try section.text("note")
    let across = try section.needed("x")
    x = across.value
    y = section.entries.filter { $0.key == "y" }.map { entry in
      let words = entry.value.split(separator: "|", maxSplits: 1).map { String($0.trimmed) }
      return (words.first ?? "", words.count > 1 ? words[1] : words.first ?? "")
    }
    guard !y.isEmpty else {
      throw PlacedError(file, line, "[plot \(name)] needs 'y = COLUMN | words for the key'")
    }
    let divided = try section.value("series")
    series = divided?.value
    columnLines =
      [across.line] + [divided?.line].compactMap { $0 }
      + section.entries.filter { $0.key == "y" }.map(\.line)
    xLabel = try section.text("x-label")
    yLabel = try section.text("y-label")
    xRange = try section.value("x-range").map { try PlotRange($0, file: file) }
    yRange = try section.value("y-range").map { try PlotRange($0, file: file) }
    let factor = try section.value("scale")
    guard let scale = Double(factor?.value ?? "1"), scale.isFinite else {
      throw PlacedError(file, factor?.line, "'\(factor?.value ?? "")' is no number")
    }
    self.scale = scale
    needs = try section.count("needs", 1)
    otherwise = try section.text("otherwise", "Not enough to draw.")
  }
}

extension PlotRange {
  init(_ entry: DefinitionSection.Entry, file: String) throws {
    let ends = entry.value.split(separator: " ")
    let numbers = ends.map { $0 == "*" ? nil : Double($0) }
    guard ends.count == 2, zip(ends, numbers).allSatisfy({ $0 == "*" || $1 != nil }) else {
      throw PlacedError(file, entry.line, "expected two numbers, such as '0 100' or '0 *'")
    }
    self.init(numbers[0], numbers[1])
  }
}
