import ArgumentParser
import Rendering

/// Explains unknown options. ArgumentParser suggests any option of similar length (`--db` for `--at`); here a
/// suggestion must be spelled similarly, and an option of another command is identified as such.
enum UnknownOption {
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
