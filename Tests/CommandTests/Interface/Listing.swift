import Foundation
import Testing

/// What others build on, an entry a line: a name, and behind `: ` what it is. Sorted, so that a difference can be read.
struct Listing: Equatable {
  private(set) var entries: [String: Set<String>] = [:]

  /// Adds an entry; of a name that is there already both kinds stay, with `or` between them.
  mutating func add(_ name: String, _ kind: String = "") { entries[name, default: []].insert(kind) }

  /// One line per entry.
  var text: String {
    entries.keys.sorted().map { name in
      let kind = self.kind(of: name)
      return name + (kind.isEmpty ? "" : ": \(kind)") + "\n"
    }.joined()
  }

  init() {}

  /// Reads what `text` wrote.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      for kind in parts.count == 2 ? parts[1].components(separatedBy: " or ") : [""] { add(parts[0], kind) }
    }
  }

  private func kind(of name: String) -> String {
    // What no sample knows may be anything: a known kind says more.
    let kinds = entries[name] ?? []
    return (kinds == ["null"] ? kinds : kinds.subtracting(["null"])).sorted().joined(separator: " or ")
  }

  /// In words how this listing, of what there is, differs from the promised one; nil where it does not.
  func difference(from promised: Listing, in file: String) -> String? {
    let known = Set(promised.entries.keys)
    let gone = known.subtracting(entries.keys).sorted().map { Self.line($0, promised.kind(of: $0)) }
    let new = Set(entries.keys).subtracting(known).sorted().map { Self.line($0, kind(of: $0)) }
    var changed: [String] = []
    var learned: [String] = []
    for name in known.intersection(entries.keys).sorted() {
      let (was, now) = (promised.kind(of: name), kind(of: name))
      guard was != now else { continue }
      let line = "  \(name): was \(was.isEmpty ? "plain" : was), is \(now.isEmpty ? "plain" : now)"
      if was == "null" { learned.append(line) } else { changed.append(line) }
    }
    guard !(gone + changed + new + learned).isEmpty else { return nil }
    var words = ["\(file) does not list what there is."]
    if !gone.isEmpty {
      words.append("Removed or renamed. This breaks who builds on it: keep it, deprecated, for two releases")
      words += ["(docs/stability.md):"] + gone
    }
    if !changed.isEmpty {
      words.append("Changed. This breaks who builds on it: leave it as it is, and give what is new another")
      words += ["name (docs/stability.md):"] + changed
    }
    if !(new + learned).isEmpty {
      words += ["New. Announce it in CHANGELOG.md, then record it with `make golden`:"] + new + learned
    }
    return words.joined(separator: "\n")
  }

  private static func line(_ name: String, _ kind: String) -> String {
    "  \(name)\(kind.isEmpty ? "" : ": \(kind)")"
  }
}

/// A promised listing on file: all of a text file, or the block between two marks of a document.
struct PromisedListing {
  /// The path from the root of the repository.
  let path: String
  private let marks: (begin: String, end: String)?

  init(golden name: String) { (path, marks) = ("Tests/CommandTests/Interface/Golden/\(name).txt", nil) }

  init(document path: String, block: String) {
    (self.path, marks) = (path, ("<!-- \(block) -->\n```text\n", "```\n<!-- /\(block) -->"))
  }

  private var url: URL { Tool.root.appendingPathComponent(path) }

  /// Fails with words where the two differ; `RECORD_GOLDEN=1` writes what there is instead.
  func expect(_ listing: Listing) throws {
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil { return try record(listing) }
    if let difference = try listing.difference(from: Listing(text: recorded()), in: path) {
      Issue.record(Comment(rawValue: difference))
    }
  }

  private func recorded() throws -> String {
    let text = try String(contentsOf: url, encoding: .utf8)
    return try block(of: text).map { String(text[$0]) } ?? text
  }

  private func record(_ listing: Listing) throws {
    guard marks != nil else { return try Data(listing.text.utf8).write(to: url, options: .atomic) }
    var text = try String(contentsOf: url, encoding: .utf8)
    if let block = try block(of: text) { text.replaceSubrange(block, with: listing.text) }
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  private func block(of text: String) throws -> Range<String.Index>? {
    guard let marks else { return nil }
    let begin = try #require(text.range(of: marks.begin), "\(path) has no mark '\(marks.begin)'").upperBound
    let end = try #require(text.range(of: marks.end, range: begin..<text.endIndex), "\(path) has no end")
    return begin..<end.lowerBound
  }
}
