import Foundation
import Testing

@Suite("Every command explains itself")
struct HelpTests {
  /// The subcommands, as the tool itself lists them.
  static let commands: [String] = {
    let help = (try? Tool.run("--help").output) ?? ""
    return help.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard line.hasPrefix("  "), !line.hasPrefix("   "), let first = words.first,
        first.first?.isLowercase == true,
        words.count > 1, !first.hasPrefix("-"), first != "callqa"
      else { return nil }
      return String(first)
    }
  }()

  @Test("the list is not empty")
  func listed() {
    #expect(Self.commands.count >= 10)
    #expect(Self.commands.contains("import") && Self.commands.contains("simulate"))
  }

  @Test("--help has an example, goes to stdout, and is a success", arguments: commands)
  func help(command: String) throws {
    let result = try Tool.run(command, "--help")
    #expect(result.status == 0)
    #expect(result.output.contains("callqa \(command)"), "\(result.output)")
    #expect(result.output.contains("xample"), "\(command) has no example")
    #expect(result.errors.isEmpty)
  }

  @Test("--help fits 80 columns, and breaks its lines there and nowhere else", arguments: commands)
  func width(command: String) throws {
    let lines = try Tool.run(command, "--help").output.split(
      separator: "\n", omittingEmptySubsequences: false)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for (line, next) in zip(lines, lines.dropFirst()) {
      guard let first = line.first, first != " ", !line.hasSuffix(":"),
        let word = next.split(separator: " ").first,
        !next.hasPrefix(" ")
      else { continue }
      #expect(line.count + 1 + word.count >= 80, "'\(word)' had room behind: \(line)")
    }
  }

  @Test("README shows a call as it is printed now")
  func shown() throws {
    let text = try String(contentsOf: Tool.root.appendingPathComponent("README.md"), encoding: .utf8)
    let block = try #require(
      text.components(separatedBy: "$ callqa show samples/bad-call\n").dropFirst().first)
    let lines = block.components(separatedBy: "\n…\n")[0]
    #expect(lines.contains("poor"))
    #expect(try Tool.run("show", Tool.sample("bad-call"), "--tz", "UTC").output.hasPrefix(lines))
  }

  @Test("README names every command", arguments: commands)
  func readme(command: String) throws {
    let text = try String(contentsOf: Tool.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(text.contains("`\(command)") || text.contains("callqa \(command)"), "\(command)")
  }

  @Test(
    "a missing argument is explained with an example, exit 2",
    arguments: ["import", "show", "find", "diff", "compare"])
  func missingArgument(command: String) throws {
    let result = try Tool.run(command)
    #expect(result.status == 2)
    #expect(result.errors.contains("xample"), "\(result.errors)")
  }

  @Test("words that cannot be meant are named as what they are")
  func meant() throws {
    for (words, status, message) in [
      (["calls", "--limit", "-1"], Int32(2), "--limit must not be negative"),
      (["calls", "--worst", "-1"], 2, "--worst must not be negative"),
      (["import", ".", "--run", " "], 2, "--run needs a name that is not empty"),
      (["import", ".", "--run", "last"], 2, "that means the latest run"),
      (["show", ".", "--as", "sms"], 2, "--as knows no format 'sms'"),
      (["cals"], 2, "there is no file and no command 'cals'; did you mean `callqa calls`?"),
      (["stats.jsno"], 2, "there is no file and no command 'stats.jsno'; `callqa --help` lists the commands"),
      (["./nofile"], 1, "nofile"), (["show", "./nofile"], 1, "nofile"),
    ] {
      let result = try Tool.run(words)
      #expect(result.status == status, "\(words)")
      #expect(result.errors.contains(message), "\(words): \(result.errors)")
    }
  }

  @Test("help about what is no command says so, with the nearest there is, exit 2")
  func helpAboutNothing() throws {
    for (words, message) in [
      (["help", "nosuch"], "there is no command 'nosuch'; `callqa --help` lists the commands"),
      (["help", "cals"], "there is no command 'cals'; did you mean `callqa help calls`?"),
    ] {
      let result = try Tool.run(words)
      #expect(result.status == 2 && result.output.isEmpty, "\(words)")
      #expect(result.errors.contains(message), "\(words): \(result.errors)")
    }
    #expect(try Tool.run("help", "calls").output == Tool.run("calls", "--help").output)
    #expect(try Tool.run("help").output == Tool.run("--help").output)
  }

  @Test(
    "a wrong word is exit 2",
    arguments: [
      ["calls", "--nonsense"], ["nonsense"], ["calls", "--tz", "Mars/Base"], ["calls", "--json", "--csv"],
    ])
  func wrongWord(words: [String]) throws {
    #expect(try Tool.run(words).status == 2)
  }
}
