extension ReportDefinition {
  /// Reads `folder/report.txt`; the first mistake is thrown with file and line.
  public static func read(folder: String) throws -> ReportDefinition {
    let file = folder + "/report.txt"
    let bytes = try FileBytes.read(file, atMost: 1 << 20)
    return try ReportDefinition(text: String(decoding: bytes, as: UTF8.self), file: file, folder: folder)
  }

  /// Reads the text of a definition.
  public init(text: String, file: String, folder: String) throws {
    (self.folder, self.file) = (folder, file)
    (title, queries, parts) = ("", [], [])
    for section in try DefinitionSection.sections(of: text, file: file) { try take(section) }
    guard !title.isEmpty else { throw PlacedError(file, nil, "no [report] section with a 'title = …'") }
    guard !parts.isEmpty else {
      throw PlacedError(file, nil, "no part of a page in it, such as [table calls]")
    }
    try checkNames()
  }

  private mutating func take(_ section: DefinitionSection) throws {
    switch section.kind {
    case "report":
      try section.allow(["title", "style", "gates"])
      title = try section.needed("title").value
      style = try section.file("style")
      gates = try section.file("gates")
    case "query": queries.append(try QueryPart(section))
    case "verdict", "sentences":
      try section.allow([])
      parts.append(section.kind == "verdict" ? .verdict : .sentences)
    case "heading":
      try section.allow([])
      parts.append(.heading(section.name))
    case "text":
      try section.allow(["text"])
      parts.append(.text(try section.needed("text").value))
    case "table": parts.append(.table(try TablePart(section)))
    case "facts": parts.append(.facts(try TablePart(section)))
    case "plot": parts.append(.plot(try PlotPart(section)))
    default:
      let kinds = ["report", "query", "verdict", "sentences", "heading", "text", "table", "facts", "plot"]
      let near = Spelling.nearest(to: section.kind, among: kinds).map { "; did you mean [\($0)]?" } ?? "."
      throw PlacedError(
        section.file, section.line,
        "no section is called [\(section.kind)]\(near) There are: \(kinds.joined(separator: ", "))")
    }
  }

  /// Every query that a part or a join names must be there.
  private func checkNames() throws {
    let names = queries.map(\.name)
    func check(_ name: String, _ line: Int) throws {
      guard !names.contains(name) else { return }
      let near = Spelling.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      throw PlacedError(file, line, "there is no [query \(name)]\(near)")
    }
    for (index, query) in queries.enumerated() {
      guard !names[..<index].contains(query.name) else {
        throw PlacedError(file, query.line, "[query \(query.name)] stands here twice")
      }
      for join in query.joins { try check(join.name, join.line) }
    }
    for part in parts {
      switch part {
      case .table(let table), .facts(let table): try check(table.query, table.line)
      case .plot(let plot): try check(plot.query, plot.line)
      case .verdict, .sentences, .heading, .text: break
      }
    }
  }
}

extension QueryPart {
  init(_ section: DefinitionSection) throws {
    try section.allow(["from", "join", "order", "set", "csv"])
    guard !section.name.isEmpty else {
      throw PlacedError(section.file, section.line, "a query needs a name: [query calls]")
    }
    guard section.name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    else {
      throw PlacedError(
        section.file, section.line, "the name of a query becomes a file name: letters, digits, - and _ only")
    }
    name = section.name
    line = section.line
    let from = try section.value("from")
    source = from?.value ?? section.name + ".sql"
    sourceLine = from?.line ?? section.line
    joins = try section.entries.filter { $0.key == "join" }.map { entry in
      let words = entry.value.split(separator: " ")
      let isList = words.count == 5 && words[3...] == ["as", "list"]
      guard words.count == 3 || isList, words[1] == "on" else {
        throw PlacedError(
          section.file, entry.line, "expected 'join = QUERY on COLUMN', or the same 'as list'")
      }
      return QueryJoin(name: String(words[0]), key: String(words[2]), isList: isList, line: entry.line)
    }
    order = try section.value("order").map { entry in
      let words = entry.value.split(separator: " ").map(String.init)
      guard words.count > 1 else {
        throw PlacedError(section.file, entry.line, "expected 'order = COLUMN FIRST-VALUE SECOND-VALUE …'")
      }
      return QueryOrder(column: words[0], values: Array(words[1...]), line: entry.line)
    }
    settings = try section.entries.filter { $0.key == "set" }.map { entry in
      let words = entry.value.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else {
        throw PlacedError(section.file, entry.line, "expected 'set = PARAMETER VALUE'")
      }
      let name = String(words[0].hasPrefix(":") ? words[0].dropFirst() : words[0])
      return QuerySetting(name: name, value: String(words[1].trimmed), line: entry.line)
    }
    let csv = try section.value("csv")
    guard csv == nil || csv?.value == "yes" || csv?.value == "no" else {
      throw PlacedError(section.file, csv?.line, "csv is yes or no")
    }
    isWritten = csv?.value != "no"
  }
}
