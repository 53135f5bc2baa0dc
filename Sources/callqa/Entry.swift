import ArgumentParser
import Bytes
import CallStore
import Glibc
import Rendering
import SQLite

/// Parses the arguments, runs the command, and turns any error into a line on stderr and an exit code.
package enum Entry {
  package static func run(_ words: [String]) -> Int32 {
    do {
      let words = withShow(words)
      try mustBeACommand(words.first)
      if words.first == "help" { try mustBeHelpful(words.dropFirst()) }
      var command = try CallQA.parseAsRoot(words)
      do {
        try command.run()
      } catch let error as ValidationError {
        // An error found at run time is explained with the usage of the command, not of the whole program.
        warn(
          "Error: \(error.message)\nUsage: \(CallQA.usageString(for: type(of: command)))\n"
            + "  See 'callqa \(words.first ?? "") --help' for more information.", prefixed: false)
        return ExitStatus.wrongCommandLine.rawValue
      }
      return ExitStatus.done.rawValue
    } catch let failure as Failure {
      warn(failure.message)
      return failure.status.rawValue
    } catch let error as StoreError {
      if error.kind == .sql, let damage = Store.damage(ofSchemaAt: error.path) {
        warn(damage.description)
        return ExitStatus.storeFailed.rawValue
      }
      warn(error.description)
      return (error.kind == .sql ? ExitStatus.wrongCommandLine : .storeFailed).rawValue
    } catch let error as BytesError {
      warn(error.reason)
      return ExitStatus.storeFailed.rawValue
    } catch OutputError.closed {
      return ExitStatus.done.rawValue
    } catch OutputError.failed(let path, let reason) {
      warn("cannot write to \(path): \(reason)")
      return ExitStatus.storeFailed.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return explain(error, words)
    }
  }

  /// Turns `callqa FILE` into `callqa show FILE`, unless the word is a subcommand. A word that looks like a path counts
  /// as a file even if it does not exist; `show` then reports that.
  private static func withShow(_ words: [String]) -> [String] {
    guard let first = words.first, !first.hasPrefix("-") || first == "-" else { return words }
    guard !CommandTable.words.contains(first), first == "-" || first.contains("/") || access(first, F_OK) == 0
    else { return words }
    return ["show"] + words
  }

  /// Throws if the first word is neither a command nor a file; either may have been misspelled.
  private static func mustBeACommand(_ word: String?) throws {
    guard let word, !word.isEmpty else { return }
    try mustBeKnown(word, "no file and no command", suggesting: "")
  }

  /// Throws for `help` about an unknown command, which would otherwise print the general help.
  private static func mustBeHelpful(_ words: ArraySlice<String>) throws {
    try words.first.map { try mustBeKnown($0, "no command", suggesting: "help ") }
  }

  private static func mustBeKnown(_ word: String, _ missing: String, suggesting prefix: String) throws {
    guard !word.hasPrefix("-"), !CommandTable.words.contains(word) else { return }
    let near = Spelling.nearest(to: word, among: CommandTable.words.sorted()).map {
      "did you mean `callqa \(prefix)\($0)`?"
    }
    throw Failure(
      .wrongCommandLine,
      "there is \(missing) '\(word)'; " + (near ?? "`callqa --help` lists the commands"))
  }

  /// Prints help and version to stdout with status 0, and a command-line error to stderr with status 2.
  private static func explain(_ error: any Error, _ words: [String]) -> Int32 {
    let message = UnknownOption.explained(CallQA.fullMessage(for: error))
    let code = CallQA.exitCode(for: error)
    if code == .success {
      return show(message)
    }
    warn(message, prefixed: false)
    if message.contains("Missing expected argument"), let command = CommandTable.command(words.first) {
      warn("\n" + CallQA.helpMessage(for: command), prefixed: false)
    }
    return code == .validationFailure ? ExitStatus.wrongCommandLine.rawValue : code.rawValue
  }

  private static func show(_ message: String) -> Int32 {
    do {
      let output = Output.standard()
      try output.write(message + "\n")
      try output.flush()
      return ExitStatus.done.rawValue
    } catch OutputError.closed {
      return ExitStatus.done.rawValue
    } catch {
      warn("cannot write to standard output")
      return ExitStatus.storeFailed.rawValue
    }
  }

  /// Prints a message to stderr.
  static func warn(_ message: String, prefixed: Bool = true) {
    // Names and reasons may come from untrusted input, so make control characters visible.
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { VisibleText.visible(String($0)) }.joined(separator: "\n")
    let bytes = Array(((prefixed ? "callqa: " : "") + text + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes {
        write(Surroundings.current.errors, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      guard wrote > 0 else { return }
      done += wrote
    }
  }
}

/// Explains unknown options. ArgumentParser suggests any option of similar length (`--db` for `--at`); here a
/// suggestion must be spelled similarly, and an option of another command is identified as such.
private enum UnknownOption {
  private static let start = "Unknown option '"
  private static let suggested = " Did you mean '"

  /// The message with a better suggestion.
  static func explained(_ message: String) -> String {
    guard let from = message.firstRange(of: start),
      let end = message[from.upperBound...].firstIndex(of: "'")
    else { return message }
    let option = String(message[from.upperBound..<end])
    let rest = message[message.index(after: end)...]
    let line = rest.prefix { $0 != "\n" }
    if let suggestion = line.firstRange(of: suggested) {
      let other = line[suggestion.upperBound...].prefix { $0 != "'" }
      if Spelling.nearest(to: plain(option), among: [plain(other)]) != nil { return message }
    }
    let owners = commands(with: option)
    let remedy = owners.isEmpty ? "" : " It belongs to \(list(owners))."
    return message[..<from.lowerBound] + "\(start)\(option)'.\(remedy)" + rest[line.endIndex...]
  }

  private static func plain(_ option: some StringProtocol) -> String { String(option.drop { $0 == "-" }) }

  /// The commands that have an option of that name.
  private static func commands(with option: String) -> [String] {
    guard option.hasPrefix("--") else { return [] }
    return CommandTable.groups.flatMap(\.subcommands).filter { command in
      CallQA.helpMessage(for: command).split(separator: "\n").contains { line in
        line.split { $0 == " " || $0 == "," }.prefix(2).contains(Substring(option))
      }
    }.map { "`callqa \($0._commandName)`" }
  }

  private static func list(_ names: [String]) -> String {
    guard names.count <= 4 else { return "other commands" }
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}
