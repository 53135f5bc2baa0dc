import ArgumentParser

/// The root command.
struct CallQA: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "callqa",
    abstract: "How good was the call, why not better, and where did its setup time go?",
    discussion: """
      Start here:
        callqa show stats.json          one file, one answer, no database
        callqa import calls/            everything in a folder, into callqa.sqlite
        callqa calls --worst 5          the calls to open first
        callqa report nightly           the page to open every morning

      Exit codes: 0 done, 1 done but some input was refused, 2 wrong command line, 3 database or \
      disk failed, 4 a gate failed, 5 a gate is inconclusive, 130 interrupted.
      """,
    version: "callqa \(Version.current)\njson \(Version.json)",
    groupedSubcommands: CommandTable.groups)
}
