import ArgumentParser
import CallModel

/// `callqa formats`: what can be imported and how it is recognised.
struct Formats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Every format, how it is recognised, and an example.")

  @OptionGroup var rows: RowOptions

  func run() throws {
    for format in SourceFormat.allCases { print(format.rawValue) }
  }
}
