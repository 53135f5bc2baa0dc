import ArgumentParser
import Bytes
import CallModel
import CallStore
import Glibc
import Rendering
import Reporting
import Validation

/// `callqa validate`: compares the score with listeners' ratings; `make validate` runs it.
struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "The score against what was heard and shown in recorded calls, or against users' ratings.",
    usage: "callqa validate [<folder>] [--db <file>] [<options>]",
    discussion: """
      The folder holds SEGMENTS.csv (id, group, receiver, segment, t_start_ms, seconds, pesq_wb) and one folder per call with \
      caller.stats.jsonl.gz, callee.stats.jsonl.gz and, for freezes, *.frames.csv.gz. Segment 0 of each call is left out. \
      Where caller.pcap.gz and callee.pcap.gz lie beside them, scores from captures are held against those from statistics.

      A folder with WINDOWS.csv has the truth of the picture (VMAF, freezes), of delays, of lip-sync, and in score.json of turns.

      Example:
        callqa validate calls --plot out/validate.svg
        callqa validate --db calls.sqlite --ratings stars.csv
      """)

  @Argument(help: ArgumentHelp("The folder of recorded calls.", valueName: "folder"))
  var folder: String?

  @Option(
    help: ArgumentHelp(
      "Hold the scores of this database against its users' ratings, 1 to 5 (attribute `rating`).",
      valueName: "file"))
  var db: String?

  @Option(
    help: ArgumentHelp("With --db: ratings from this CSV file too (call_id, rating).", valueName: "file"))
  var ratings: String?

  @Option(help: ArgumentHelp("Draw scores against PESQ-WB into this SVG file.", valueName: "file"))
  var plot: String?

  func validate() throws {
    guard folder != nil || db != nil else {
      throw ValidationError("validate needs a folder of recorded calls, or --db.")
    }
    guard ratings == nil || db != nil else { throw ValidationError("--ratings goes with --db.") }
  }

  func run() throws {
    if let db { try compareRatings(in: db) }
    if let folder { try compare(folder) }
  }

  /// Compares the scores in a database with ratings.
  private func compareRatings(in path: String) throws {
    let store = try Store(path: path, access: .read)
    var rated: [String: Double] = [:]
    if let ratings {
      let rows = try csvRows(of: ratings, largest: 64 << 20)
      guard let id = rows.first?.firstIndex(of: "call_id"), let rating = rows.first?.firstIndex(of: "rating")
      else { throw Failure(.wrongCommandLine, "\(ratings): its first line does not name call_id and rating") }
      for row in rows.dropFirst() where row.count > max(id, rating) { rated[row[id]] = Double(row[rating]) }
    }
    let calls = try store.query(
      """
      SELECT k.call_id, k.score_mean, (SELECT a.value FROM call_attributes AS a
        WHERE a.call_key = k.call_key AND a.name = 'rating') FROM calls AS k WHERE k.score_mean IS NOT NULL
      """
    ).rows
    let pairs = calls.compactMap { row -> (score: Double, rating: Double)? in
      let rating = row[0].string.flatMap { rated[$0] } ?? row[2].string.flatMap(Double.init) ?? row[2].number
      guard let score = row[1].number, let rating else { return nil }
      return (score, rating)
    }
    let output = Output.standard()
    for line in RatingStudy(pairs).lines() { try output.write(line + "\n") }
    try output.flush()
  }

  private func compare(_ folder: String) throws {
    let output = Output.standard()
    let study: Study
    let pictures: PictureStudy?
    do {
      pictures = try PictureStudy(folder: folder)
      let turns = try TurnStudy(folder: folder)
      if let pictures {
        // A folder of pictures has its reference values in other files, and no speech segments.
        for line in pictures.lines() + turns.lines() { try output.write(line + "\n") }
      }
      if pictures != nil, access(folder + "/SEGMENTS.csv", R_OK) != 0 {
        try output.flush()
        if let plot, let pictures { try draw(plot) { scatterScript(pictures, file: $0) } }
        return
      }
      study = try Study(folder: folder)
    } catch let error as BytesError {
      throw Failure(.wrongCommandLine, "\(folder)/SEGMENTS.csv: \(error.reason)")
    }
    guard !study.points.isEmpty else {
      throw Failure(
        .wrongCommandLine, "\(folder)/SEGMENTS.csv names no segment whose statistics are beside it")
    }
    var text = StudyText(study)
    for line in text.lines() { try output.write(line + "\n") }
    try writeFreezes(folder, to: output)
    try writeCaptures(folder, to: output)
    try output.flush()
    let shown = ["callqa-3", "callqa-2", "callqa-1", "g107", "livekit", "rtcscore-mended"]
    if let plot { try draw(plot) { scatterScript(study, models: shown, file: $0) } }
  }

  private func writeFreezes(_ folder: String, to output: Output) throws {
    let ends = try FreezeTruth.read(folder: folder)
    guard !ends.isEmpty else { return }
    let agreeing = ends.filter(\.agrees).count
    try output.write(
      "\nFreezes and pauses within 10 % or 100 ms of the frames shown: \(agreeing) of \(Plural.of(ends.count, "end"))\n"
    )
    if let order = FreezeTruth.order(ends) {
      try output.write("Order of video scores against the share of time frozen: rho \(number(order))\n")
    }
    for end in ends where !end.agrees {
      try output.write(
        "  \(end.end): freezes \(Int(end.foundFreezeMs)) ms, shown \(Int(end.shown.freezeMs)); "
          + "pauses \(Int(end.foundPauseMs)) ms, shown \(Int(end.shown.pauseMs))\n"
          + "    \(end.reasons)\n")
    }
  }

  /// Compares scores from captures with those from statistics of the same end, and lists each window that differs
  /// widely.
  private func writeCaptures(_ folder: String, to output: Output) throws {
    let study = try CaptureStudy(folder: folder)
    guard !study.ends.isEmpty else { return }
    try output.write("\nScores from captures against those from statistics, picture sizes left out\n")
    for side in ["callee", "caller"] {
      for line in CaptureText.figures(study, side: side) { try output.write("  " + line + "\n") }
    }
    try output.write("\nMeans over 3 points off (statistics, capture)\n")
    for line in CaptureText.farMeans(study) { try output.write("  " + line + "\n") }
    try output.write("\nWindows over 12 points off (points by cause: statistics, capture)\n")
    for line in CaptureText.farWindows(study) { try output.write("  " + line + "\n") }
    try output.write("\nFreezes and pauses of captures over 20 % and 200 ms off\n")
    for line in CaptureText.farFreezes(study) { try output.write("  " + line + "\n") }
  }

  private func draw(_ path: String, _ script: (_ file: String) -> String) throws {
    guard let gnuplot = Gnuplot(path: getenv("PATH").map { String(cString: $0) } ?? "") else {
      throw Failure(.someRefused, Gnuplot.missing)
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? "."
    _ = try gnuplot.run(script(slash.map { String(path[path.index(after: $0)...]) } ?? path), in: folder)
  }
}
