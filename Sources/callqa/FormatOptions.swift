import ArgumentParser
import CallModel
import Importing

/// `--as FORMAT`: what a file is, where its content does not tell.
struct FormatOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Insist on a format (see `callqa formats`); `rtp`: a capture whose UDP is RTP.", valueName: "format"))
  var format: String?

  func validate() throws {
    guard format.map({ $0 == "rtp" || SourceFormat(rawValue: $0) != nil }) ?? true else {
      throw ValidationError("--as knows no format '\(format ?? "")': see `callqa formats`.")
    }
  }

  /// Sets what was insisted on.
  func apply(to request: inout ImportRequest) {
    request.assumeRTP = format == "rtp"
    request.format = format.flatMap(SourceFormat.init)
  }
}
