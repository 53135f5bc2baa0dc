import Bytes
import CallModel
import Importing
import Rendering

/// Output of an import: one line per file, and a summary.
struct ImportReport {
  private let outcome: ImportOutcome
  /// Number of calls that the files belong to.
  private let calls: Int

  init(_ outcome: ImportOutcome, calls: Int) {
    self.outcome = outcome
    self.calls = calls
  }

  /// Whether anything was rejected or only partly imported, or a call cannot be judged.
  var anythingLost: Bool {
    count(.refused) + count(.partial) > 0 || outcome.unjudgeable.contains { !$0.isKnown }
  }

  /// `import --json`: one object per file, then one for all.
  func printJSON() throws {
    let output = Output.standard()
    try outcome.forEach { try output.write(json(of: $0)) }
    for manifest in outcome.manifestNotes { try output.write(json(ofManifest: manifest)) }
    var line = ByteWriter()
    line.append(#"{"type":"summary","files":"#)
    line.append(outcome.files)
    for status in ImportedFile.Status.allCases {
      line.append(",\"\(status.rawValue)\":")
      line.append(count(status))
    }
    for (name, value) in named(outcome.figures) {
      line.append(",\"\(name)\":")
      line.append(value)
    }
    line.append(",\"calls\":")
    line.append(calls)
    line.append(",\"unjudgeable\":")
    line.append(outcome.unjudgeable.count)
    line.append("}\n")
    try output.write(line.bytes)
    try output.flush()
    warnOfUnjudgeable()
  }

  /// Prints a line to stderr for each file that was rejected or only partly imported, and for calls that cannot be
  /// judged.
  func warn() {
    outcome.forEachProblem { Entry.warn(problemText($0)) }
    warnOfUnjudgeable()
  }

  private func warnOfUnjudgeable() {
    for call in outcome.unjudgeable.prefix(Self.mostUnjudgeable) {
      Entry.warn(VisibleText.visible(call.words))
    }
    let more = outcome.unjudgeable.count - Self.mostUnjudgeable
    if more > 0 { Entry.warn("\(Plural.of(more, "more call")) cannot be judged: `callqa check` names them") }
  }

  private static let mostUnjudgeable = 20

  /// Prints the problems, and a summary sentence on stdout.
  func printWords(quiet: Bool) throws {
    warn()
    guard !quiet else { return }
    for (path, notes) in outcome.manifestNotes {
      for note in notes { Entry.warn(VisibleText.visible("\(path): \(note)")) }
    }
    for (note, files) in outcome.remarks {
      Entry.warn("\(Plural.of(files, "file was", "files were")) \(note)")
    }
    let output = Output.standard()
    try output.write(sentence() + "\n")
    try output.flush()
  }

  private func named(_ figures: ImportedFile.Figures) -> [(String, Int)] {
    [
      ("streams", figures.streams), ("samples", figures.samples), ("events", figures.events),
      ("packets", figures.packets), ("rejected", figures.rejected),
    ]
  }

  private func count(_ status: ImportedFile.Status) -> Int { outcome.counts[status] ?? 0 }

  private func sentence() -> String {
    let states = ImportedFile.Status.allCases.compactMap { status in
      count(status) > 0 ? "\(count(status)) \(status.rawValue)" : nil
    }
    let gains = named(outcome.figures).filter { $0.1 > 0 && $0.0 != "rejected" }.map {
      Plural.of($0.1, String($0.0.dropLast()))
    }
    let files = outcome.files
    let all = "\(Plural.of(files, "file")) (\(states.joined(separator: ", ")))"
    return "\(all): \(Plural.of(calls, "call"))"
      + (gains.isEmpty ? "" : ", " + gains.joined(separator: ", "))
  }

  private func problemText(_ file: ImportedFile) -> String {
    let place = [file.error?.line.map { "line \($0)" }, file.error?.byte.map { "byte \($0)" }].compactMap {
      $0
    }
    let reason =
      file.error?.reason ?? "something in it was not taken: `callqa rejects` lists it"
    let at = place.isEmpty ? "" : " at " + place.joined(separator: ", ")
    return VisibleText.visible(file.path) + ": \(file.status.rawValue)\(at): \(reason)"
  }

  private func json(of file: ImportedFile) -> [UInt8] {
    var line = ByteWriter()
    line.append(#"{"type":"file","path":"#)
    line.append(json: file.path)
    member(&line, "sha256", file.sha256)
    member(&line, "format", file.format?.rawValue)
    member(&line, "status", file.status.rawValue)
    list(&line, "calls", file.calls)
    for (name, value) in named(file.figures) { member(&line, name, value) }
    list(&line, "notes", file.notes)
    member(&line, "reason", file.error?.reason)
    member(&line, "reason_code", file.error?.code.rawValue)
    member(&line, "byte", file.error?.byte)
    member(&line, "line", file.error?.line)
    line.append("}\n")
    return line.bytes
  }

  private func json(ofManifest manifest: (path: String, notes: [String])) -> [UInt8] {
    var line = ByteWriter()
    line.append(#"{"type":"manifest","path":"#)
    line.append(json: manifest.path)
    list(&line, "notes", manifest.notes)
    line.append("}\n")
    return line.bytes
  }

  private func member(_ line: inout ByteWriter, _ name: String, _ value: String?) {
    line.append(",\"\(name)\":")
    if let value { line.append(json: value) } else { line.append("null") }
  }

  private func member(_ line: inout ByteWriter, _ name: String, _ value: Int?) {
    line.append(",\"\(name)\":")
    if let value { line.append(value) } else { line.append("null") }
  }

  private func list(_ line: inout ByteWriter, _ name: String, _ values: [String]) {
    line.append(",\"\(name)\":[")
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(",") }
      line.append(json: value)
    }
    line.append("]")
  }
}
