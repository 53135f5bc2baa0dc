import Bytes
import CallModel

/// Files that hold something else, or what callqa reads in a wrapping it does not undo: told by their first bytes what they
/// are and what to do with them.
enum KnownElsewhere {
  private static let kinds: [(at: Int, magic: [UInt8], words: String)] = [
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz: unpack it with `xz -d`"),
    (0, Array("BZh".utf8), "compressed with bzip2: unpack it with `bzip2 -d`"),
    (0, [0x04, 0x22, 0x4D, 0x18], "compressed with lz4: unpack it with `lz4 -d`"),
    (0, [0x50, 0x4B, 0x03, 0x04], "a zip archive: unpack it with `unzip`, and import the folder"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive: unpack it, and import the folder"),
    (257, Array("ustar".utf8), "a tar archive: unpack it with `tar -xf`, and import the folder"),
  ]

  /// What is no wrapping of anything: no call is lost with it.
  private static let others: [(magic: [UInt8], words: String)] = [
    (Array("SQLite format 3\0".utf8), "an SQLite database: --db names the one to use"),
    (Array("%PDF-".utf8), "a PDF document"),
  ]

  /// What of a known kind is left as it is; nil where the first bytes say nothing.
  static func error(_ head: [UInt8]) -> SourceError? {
    if let other = others.first(where: { head.starts(with: $0.magic) }) {
      return SourceError(.notAFormat, other.words)
    }
    return words(head).map { SourceError(.unsupported, $0) }
  }

  /// What the first bytes of a file say, with the remedy; nil where they say nothing.
  private static func words(_ head: [UInt8]) -> String? {
    kinds.first { $0.at <= head.count && head[$0.at...].starts(with: $0.magic) }?.words
  }

  /// What makes lines of what a log service answers with: told by words that stand in it, all of them.
  private static let answers: [(words: [String], remedy: String)] = [
    (["\"events\"", "\"ingestionTime\"", "\"message\""], "CloudWatch: `jq -c '.events[]' X.json > x.jsonl`"),
    (["\"hits\"", "\"_source\""], "Elasticsearch: `jq -c '.hits.hits[]' X.json > x.jsonl`"),
    (
      ["\"breadcrumbs\"", "\"category\"", "\"timestamp\""],
      "Sentry: `jq -c '.. | objects | select(has(\"category\") and has(\"timestamp\"))' X.json > x.jsonl`"
    ),
    (
      ["\"resultType\"", "\"streams\"", "\"values\""],
      "Loki: `jq -c '[.data.result[] | .stream as $labels | .values[] | {labels: $labels, ns: .[0], line: .[1]}]"
        + " | sort_by(.ns)[] | .ts = (.ns[:-6] | tonumber)' X.json > x.jsonl`"
    ),
  ]

  /// What to do with one JSON object that a log service answered with; nil where it is none of those.
  static func remedy(forAnswer head: [UInt8]) -> String? {
    guard head.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
    let text = String(decoding: head.prefix(HeadedSource.usual), as: UTF8.self)
    return answers.first { $0.words.allSatisfy(text.contains) }.map {
      "one JSON object with the lines of a log in it: make lines of it, for " + $0.remedy
    }
  }
}
