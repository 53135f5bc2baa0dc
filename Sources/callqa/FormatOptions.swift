import ArgumentParser
import CallModel
import Importing
import Rendering

/// `--as FORMAT`: the format of a file whose content does not identify it.
struct FormatOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Insist on a format (see `callqa formats`); `rtp`: a capture whose UDP is RTP.", valueName: "format"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "The IP address of the end that captured, if packets do not show it or are not to be believed.",
      valueName: "address"))
  var local: String?

  @Option(
    help: ArgumentHelp(
      "The zone of times in tables that have none and whose form names none, e.g. Europe/Berlin (default: UTC).",
      valueName: "zone"))
  var zone: String?

  @Flag(
    help: ArgumentHelp(
      "Keep of captures who spoke when, for `callqa turns`; who that was is not kept (docs/privacy.md)."))
  var turns = false

  func validate() throws {
    guard local.map(ImportRequest.isAddress) ?? true else {
      throw ValidationError("--local takes an IP address, and '\(local ?? "")' is none.")
    }
    guard zone.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError("--zone knows no zone '\(zone ?? "")'.")
    }
    guard format.map({ $0 == "rtp" || Self.known($0) != nil }) ?? true else {
      throw ValidationError("--as knows no format '\(format ?? "")': see `callqa formats`.")
    }
  }

  /// Applies the requested format to an import request.
  func apply(to request: inout ImportRequest) {
    request.assumeRTP = format == "rtp"
    request.reading.localAddress = local
    request.reading.turns = turns
    request.reading.zone = zone
    request.format = format.flatMap(Self.known)
  }

  /// The format of a word; nil if there is no such format.
  private static func known(_ word: String) -> SourceFormat? {
    FormatCatalogue.description(of: SourceFormat(rawValue: word))?.format
  }
}
