import Foundation
import Testing

/// Every command with its options, as the binary itself describes them to a machine.
enum CommandLineListing {
  private struct Description: Decodable { var command: Command }

  private struct Command: Decodable {
    var commandName: String
    var shouldDisplay: Bool
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var kind: String
    var names: [Name]?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool
    var defaultValue: String?
    var allValues: [String]?
  }

  static func make() throws -> Listing {
    let described = try Tool.run("--experimental-dump-help")
    let root = try JSONDecoder().decode(Description.self, from: Data(described.output.utf8)).command
    var listing = Listing()
    for argument in root.arguments ?? [] { add(argument, of: "callqa", place: 0, to: &listing) }
    // `simulate` is a tool of developers, of which docs/stability.md promises nothing.
    for command in root.subcommands ?? []
    where command.shouldDisplay && !["help", "simulate"].contains(command.commandName) {
      listing.add(command.commandName)
      var place = 0
      for argument in command.arguments ?? [] where argument.shouldDisplay {
        // What every command has stands once, at `callqa`.
        guard !["version", "help"].contains(argument.names?.last?.name) else { continue }
        if argument.kind == "positional" { place += 1 }
        add(argument, of: command.commandName, place: place, to: &listing)
      }
    }
    for (code, meaning) in try exitCodes() { listing.add("exit code \(code)", meaning) }
    return listing
  }

  private static func add(_ argument: Argument, of command: String, place: Int, to listing: inout Listing) {
    var kind = argument.kind == "flag" ? "flag" : "value"
    if argument.isRepeating { kind += ", may be repeated" }
    if !argument.isOptional { kind += ", needed" }
    if let value = argument.defaultValue { kind += ", default \(value)" }
    let names = (argument.names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }
    for name in names.isEmpty ? ["<\(place)>"] : names {
      listing.add("\(command) \(name)", kind)
      for value in argument.allValues ?? [] { listing.add("\(name) \(value)") }
    }
  }

  /// The numbers and their meaning, from `callqa --help`.
  static func exitCodes() throws -> [(code: Int, meaning: String)] {
    let help = try Tool.run("--help").output.split(separator: "\n").joined(separator: " ")
    let begin = try #require(help.range(of: "Exit codes: "))
    let end = try #require(help.range(of: ".", range: begin.upperBound..<help.endIndex))
    return try help[begin.upperBound..<end.lowerBound].components(separatedBy: ", ").map { text in
      let words = text.split(separator: " ", maxSplits: 1).map(String.init)
      return (try #require(Int(words[0])), words[1])
    }
  }
}
