import Foundation
import Testing

@Suite("A sentence of the night leads to its calls")
struct NightSentenceTests {
  /// What the page lists below a sentence: how many calls it counts, links to, and the commands.
  private struct Listed {
    let anchor: String
    let count: Int
    let commands: [[String]]
  }

  /// The words of a command as a shell takes them.
  private static func words(_ command: String) -> [String] {
    var (words, word, quote): ([String], String, Character?) = ([], "", nil)
    for letter in command {
      switch letter {
      case quote: quote = nil
      case "'" where quote == nil, "\"" where quote == nil: quote = letter
      case " " where quote == nil:
        words.append(word)
        word = ""
      default: word.append(letter)
      }
    }
    return words + [word]
  }

  private static func plain(_ html: Substring) -> String {
    [("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(String(html)) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }

  private static func listed(_ page: String) -> [Listed] {
    page.components(separatedBy: "<details class=\"listed-calls\" id=\"").dropFirst().map { rest in
      let part = rest[..<(rest.range(of: "</details>")?.lowerBound ?? rest.endIndex)]
      let summary = part.firstMatch(of: /<summary>([0-9]+) call/)?.output.1
      return Listed(
        anchor: String(part.prefix { $0 != "\"" }), count: summary.flatMap { Int($0) } ?? 0,
        commands: part.matches(of: /<code>(.*?)<\/code>/).map { words(plain($0.output.1)) })
    }
  }

  @Test("each has a link and a command, and the command lists as many calls as it counts")
  func commands() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let out = folder.url.appendingPathComponent("out").path
    try Tool.run(
      // Calls that are meant to be busy end with 486 too.
      "simulate", "--db", database, "--nights", "2", "--calls", "3000", "--seed", "12", "--silent",
      "clean=0.5", "--fail", "486=0.01")
    try Tool.run(
      "report", "nightly", "--db", database, "--out", out, environment: ["PATH": "/nowhere"])
    let page = try String(contentsOfFile: out + "/index.html", encoding: .utf8)
    let listed = Self.listed(page)
    #expect(listed.count >= 5, "\(listed)")
    for list in listed {
      #expect(page.contains("href=\"#\(list.anchor)\""))
      #expect(!list.commands.isEmpty)
      guard list.commands.count == 1, let command = list.commands.first, command.first == "callqa" else {
        continue
      }
      let shown = try Tool.run(Array(command.dropFirst()) + ["--json", "--db", database])
      #expect(shown.status == 0 && shown.lines.count == list.count, "\(command): \(shown.errors)")
    }
    for words in ["never came", "put aside", "Silent", "sits in calls with"] {
      let sentence = page.matches(of: /<p>(.*?)<\/p>/).first { $0.output.1.contains(words) }
      #expect(sentence?.output.1.contains("<a class=\"calls\"") == true, "\(words)")
    }
  }
}
