import ArgumentParser

/// Every subcommand, grouped as in `callqa --help`.
///
/// Each states its name explicitly: the names are a contract with other programs, and deriving them from type names
/// would add two milliseconds to every start.
enum CommandTable {
  static let groups: [CommandGroup] = [
    CommandGroup(
      name: "Read files", subcommands: [Show.self, Import.self, Formats.self, Guess.self, Extract.self]),
    CommandGroup(name: "Look at calls", subcommands: [Calls.self, Find.self, Call.self, Diff.self]),
    CommandGroup(
      name: "The layers under a call",
      subcommands: [
        Streams.self, Packets.self, Score.self, Setup.self, Events.self, Findings.self, Sessions.self,
        Turns.self,
      ]),
    CommandGroup(
      name: "Every night",
      subcommands: [
        Report.self, Compare.self, Runs.self, Accept.self, Mark.self, Attributes.self, Simulate.self,
        Gather.self,
      ]),
    CommandGroup(name: "Ask in SQL", subcommands: [Query.self, SchemaCommand.self, Mcp.self]),
    CommandGroup(
      name: "Look after the database",
      subcommands: [
        Sources.self, Rejects.self, Check.self, Copy.self, Prune.self, Forget.self, Link.self, Split.self,
      ]),
    CommandGroup(name: "Keep the score honest", subcommands: [Validate.self]),
  ]

  /// Names of the subcommands. Any other first word that names a file means `show`.
  static var words: Set<String> {
    Set(groups.flatMap(\.subcommands).map { $0._commandName }).union(["help"])
  }

  /// The subcommand of that name.
  static func command(_ word: String?) -> (any ParsableCommand.Type)? {
    groups.flatMap(\.subcommands).first { $0._commandName == word }
  }
}
