import Rendering
import ArgumentParser
import Bytes
import Glibc
import Reporting
import Scoring
import Validation

/// `callqa validate`: the score against what people heard; `make validate` runs it.
struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Every model against PESQ-WB of recorded calls, and freezes against the frames shown.",
    discussion: """
      The folder holds SEGMENTS.csv (id, group, receiver, segment, t_start_ms, seconds, pesq_wb) and a folder a call with \
      caller.stats.jsonl.gz, callee.stats.jsonl.gz and, for freezes, *.frames.csv.gz. Segment 0 of each call is left out. \
      Where caller.pcap.gz and callee.pcap.gz lie beside them, scores from captures are held against those from statistics.

      Example:
        callqa validate calls --plot out/validate.svg
      """)

  @Argument(help: ArgumentHelp("The folder of recorded calls.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("Draw scores against PESQ-WB into this SVG file.", valueName: "file"))
  var plot: String?

  func run() throws {
    let output = Output.standard()
    let study: Study
    do {
      study = try Study(folder: folder)
    } catch let error as BytesError {
      throw Failure(.someRefused, "cannot read \(folder)/SEGMENTS.csv: \(error.reason)")
    }
    guard !study.points.isEmpty else {
      throw Failure(.someRefused, "\(folder)/SEGMENTS.csv names no segment whose statistics are beside it")
    }
    var text = StudyText(study)
    for line in text.lines() { try output.write(line + "\n") }
    try writeFreezes(to: output)
    try writeCaptures(to: output)
    try output.flush()
    if let plot { try draw(study, plot) }
  }

  private func writeFreezes(to output: Output) throws {
    let ends = try FreezeTruth.read(folder: folder)
    guard !ends.isEmpty else { return }
    let agreeing = ends.filter(\.agrees).count
    try output.write(
      "\nFreezes and pauses within 10 % or 100 ms of the frames shown: \(agreeing) of \(ends.count) ends\n")
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

  /// What captures score beside what the statistics of the same end do, and each window that is far off.
  private func writeCaptures(to output: Output) throws {
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

  private func draw(_ study: Study, _ path: String) throws {
    guard let gnuplot = Gnuplot(path: getenv("PATH").map { String(cString: $0) } ?? "") else {
      throw Failure(.someRefused, Gnuplot.missing)
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? "."
    let file = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let shown = ["callqa-3", "callqa-2", "callqa-1", "g107", "livekit", "rtcscore-mended"]
    _ = try gnuplot.run(scatterScript(study, models: shown, file: file), in: folder)
  }
}
