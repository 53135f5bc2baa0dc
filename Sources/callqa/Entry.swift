import ArgumentParser
import Bytes
import CallStore
import CallViews
import Glibc
import Rendering
import Reporting
import SQLite

/// Parses the words, runs the command, and turns whatever went wrong into a line on stderr and an exit code.
enum Entry {
  static func run(_ words: [String]) -> Int32 {
    do {
      let words = withShow(words)
      try mustBeACommand(words.first)
      if words.first == "help" { try mustBeHelpful(words.dropFirst()) }
      var command = try CallQA.parseAsRoot(words)
      do {
        try command.run()
      } catch let error as ValidationError {
        // What only shows while it runs is explained by the command's own usage, not by that of all.
        complain(
          "Error: \(error.message)\nUsage: \(CallQA.usageString(for: type(of: command)))\n"
            + "  See 'callqa \(words.first ?? "") --help' for more information.", prefixed: false)
        return ExitStatus.wrongCommandLine.rawValue
      }
      return ExitStatus.done.rawValue
    } catch let failure as Failure {
      complain(failure.message)
      return failure.status.rawValue
    } catch let error as StoreError {
      if error.kind == .sql, let damage = Store.damage(ofSchemaAt: error.path) {
        complain(damage.description)
        return ExitStatus.storeFailed.rawValue
      }
      complain(error.description)
      return (error.kind == .sql ? ExitStatus.wrongCommandLine : .storeFailed).rawValue
    } catch let error as BytesError {
      complain(error.reason)
      return ExitStatus.storeFailed.rawValue
    } catch OutputError.closed {
      return ExitStatus.done.rawValue
    } catch OutputError.failed(let path, let reason) {
      complain("cannot write to \(path): \(reason)")
      return ExitStatus.storeFailed.rawValue
    } catch let code as ExitCode {
      return code.rawValue
    } catch {
      return explain(error, words)
    }
  }

  /// `callqa FILE` means `callqa show FILE`; a word that is a subcommand stays one. A path is a file, also where there is
  /// none: `show` says so.
  private static func withShow(_ words: [String]) -> [String] {
    guard let first = words.first, !first.hasPrefix("-") || first == "-" else { return words }
    guard !CommandTable.words.contains(first), first == "-" || first.contains("/") || access(first, F_OK) == 0
    else { return words }
    return ["show"] + words
  }

  /// A first word that is no command and no file is one of the two mistyped, and it is not known which.
  private static func mustBeACommand(_ word: String?) throws {
    guard let word, !word.isEmpty, !word.hasPrefix("-"), !CommandTable.words.contains(word) else { return }
    let near = Spelling.nearest(to: word, among: CommandTable.words.sorted()).map {
      "did you mean `callqa \($0)`?"
    }
    throw Failure(
      .wrongCommandLine,
      "there is no file and no command '\(word)'; " + (near ?? "`callqa --help` lists the commands"))
  }

  /// `help` about something that is no command would show the help of all, as if that were it.
  private static func mustBeHelpful(_ words: ArraySlice<String>) throws {
    guard let word = words.first, !word.hasPrefix("-"), !CommandTable.words.contains(word) else { return }
    let near = Spelling.nearest(to: word, among: CommandTable.words.sorted()).map {
      "did you mean `callqa help \($0)`?"
    }
    throw Failure(
      .wrongCommandLine, "there is no command '\(word)'; " + (near ?? "`callqa --help` lists the commands"))
  }

  /// Help and version go to stdout with 0; a wrong command line goes to stderr with 2.
  private static func explain(_ error: any Error, _ words: [String]) -> Int32 {
    let message = UnknownOption.explained(CallQA.fullMessage(for: error))
    let code = CallQA.exitCode(for: error)
    if code == .success {
      return show(message)
    }
    complain(message, prefixed: false)
    if message.contains("Missing expected argument"), let command = CommandTable.command(words.first) {
      complain("\n" + CallQA.helpMessage(for: command), prefixed: false)
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
      complain("cannot write to standard output")
      return ExitStatus.storeFailed.rawValue
    }
  }

  /// One line on stderr.
  static func complain(_ message: String, prefixed: Bool = true) {
    // Names and reasons come from anywhere: nothing in them may reach the terminal as more than text.
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { VisibleText.visible(String($0)) }.joined(separator: "\n")
    let bytes = Array(((prefixed ? "callqa: " : "") + text + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes { write(2, $0.baseAddress?.advanced(by: done), bytes.count - done) }
      guard wrote > 0 else { return }
      done += wrote
    }
  }
}
