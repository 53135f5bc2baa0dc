import ArgumentParser
import Importing

/// `--keep-unknown`: keeps the arguments of events that nothing names, and the text of rejected lines.
struct KeepOptions: ParsableArguments {
  @Flag(
    name: .customLong("keep-unknown"),
    help: "Keep texts that no dialect, W3C or SIP names, and of rejects, without what is known to be secret.")
  var keepsUnknown = false

  /// Applies it to an import request.
  func apply(to request: inout ImportRequest) { request.keepsUnknown = keepsUnknown }
}
