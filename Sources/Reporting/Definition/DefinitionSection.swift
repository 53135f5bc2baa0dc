import Rendering

/// A section of a definition: `[kind name]` and its `key = value` lines, each with its line number.
struct DefinitionSection {
  struct Entry {
    var key: String
    var value: String
    var line: Int
  }

  var kind: String
  var name: String
  var line: Int
  var entries: [Entry] = []
  let file: String

  /// Splits a text into sections. A line that starts with `#` is a comment; a line that starts with a blank continues
  /// the previous value.
  static func sections(of text: String, file: String) throws -> [DefinitionSection] {
    var sections: [DefinitionSection] = []
    for (index, raw) in text.editorLines.enumerated() {
      let (number, line) = (index + 1, raw.trimmed)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("[") {
        sections.append(try head(line, number, file))
        continue
      }
      guard var section = sections.popLast() else {
        throw PlacedError(file, number, "a section such as [report] must come first")
      }
      if let first = raw.first, first.isWhitespace, var last = section.entries.popLast() {
        last.value += " " + line
        section.entries.append(last)
      } else {
        section.entries.append(try entry(line, number, file))
      }
      sections.append(section)
    }
    return sections
  }

  private static func head(_ line: Substring, _ number: Int, _ file: String) throws -> DefinitionSection {
    guard line.hasSuffix("]") else {
      throw PlacedError(file, number, "the closing ] of a section's head is missing")
    }
    let words = line.dropFirst().dropLast().split(separator: " ", maxSplits: 1)
    guard let kind = words.first else {
      throw PlacedError(file, number, "a section needs a kind, such as [table calls]")
    }
    let name = words.count > 1 ? String(words[1].trimmed) : ""
    return DefinitionSection(kind: String(kind), name: name, line: number, file: file)
  }

  private static func entry(_ line: Substring, _ number: Int, _ file: String) throws -> Entry {
    guard let sign = line.firstIndex(of: "=") else {
      throw PlacedError(file, number, "expected 'key = value', found '\(line)'")
    }
    let key = String(line[..<sign].trimmed)
    return Entry(key: key, value: String(line[line.index(after: sign)...].trimmed), line: number)
  }

  /// Throws for the first key that is not in the list.
  func allow(_ keys: [String]) throws {
    for entry in entries where !keys.contains(entry.key) {
      let near = Spelling.nearest(to: entry.key, among: keys).map { "; did you mean '\($0)'?" } ?? "."
      throw PlacedError(
        file, entry.line,
        "'\(entry.key)' is no key of [\(kind)]\(near) It knows: \(keys.joined(separator: ", "))")
    }
  }

  /// The value of a key; throws if the key occurs more than once.
  func value(_ key: String) throws -> Entry? {
    let found = entries.filter { $0.key == key }
    guard found.count < 2 else {
      throw PlacedError(file, found[1].line, "'\(key)' is defined twice (first in line \(found[0].line))")
    }
    return found.first
  }

  /// The value of a key, or the default.
  func text(_ key: String, _ otherwise: String = "") throws -> String { try value(key)?.value ?? otherwise }

  /// The value of a required key; throws if it is missing or empty.
  func needed(_ key: String) throws -> Entry {
    guard let entry = try value(key), !entry.value.isEmpty else {
      throw PlacedError(file, line, "[\(kind)\(name.isEmpty ? "" : " " + name)] needs '\(key) = …'")
    }
    return entry
  }

  /// A file in the report's folder. Paths outside it are rejected, because they would be missing from a copy of the
  /// folder.
  func file(_ key: String) throws -> NamedFile? {
    guard let entry = try value(key) else { return nil }
    guard !entry.value.isEmpty, !entry.value.hasPrefix("/"), !entry.value.split(separator: "/").contains("..")
    else {
      throw PlacedError(file, entry.line, "'\(entry.value)' is no file inside the report's folder")
    }
    return NamedFile(name: entry.value, line: entry.line)
  }

  /// A non-negative integer, or the default.
  func count(_ key: String, _ otherwise: Int) throws -> Int {
    guard let entry = try value(key) else { return otherwise }
    guard let number = Int(entry.value), number >= 0 else {
      throw PlacedError(file, entry.line, "'\(entry.value)' is no whole number")
    }
    return number
  }
}
