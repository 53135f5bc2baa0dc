/// A format of a source; the raw value is the word of `--as`, `formats` and JSON.
///
/// A reader declares its own, with what it is (`FormatDescription`). Here are those that others ask for by name.
public struct SourceFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  /// The format of that word, whether or not a reader knows it.
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let getstatsLines = SourceFormat(rawValue: "getstats-lines")
  public static let getstatsJSON = SourceFormat(rawValue: "getstats-json")
  public static let runLog = SourceFormat(rawValue: "run-log")
  public static let sdkText = SourceFormat(rawValue: "sdk-text")
  public static let googText = SourceFormat(rawValue: "goog-text")
  public static let pcap = SourceFormat(rawValue: "pcap")
  public static let pcapng = SourceFormat(rawValue: "pcapng")
}

/// What a format is: a row of `callqa formats`.
public struct FormatDescription: Sendable {
  /// What a source of it is made of.
  public enum Content: Sendable {
    /// Lines of text. Only so many in a row may tell nothing (`--raise lines=`).
    case lines
    /// One value, read as a whole or as a stream.
    case document
    case packets
  }

  public let format: SourceFormat
  public let content: Content
  /// What it is, for people.
  public let summary: String
  /// What it is recognised by, for people.
  public let recognisedBy: String
  /// A few characters of it.
  public let example: String

  /// A format with its words for people.
  public init(
    _ format: SourceFormat, _ content: Content, summary: String, recognisedBy: String, example: String
  ) {
    self.format = format
    self.content = content
    self.summary = summary
    self.recognisedBy = recognisedBy
    self.example = example
  }
}

/// Why a source was refused; the raw value is `reason_code` in JSON.
public enum ReasonCode: String, Sendable, CaseIterable {
  case missing, empty, unreadable, truncated
  case notJSON = "not-json"
  case notAFormat = "not-a-format"
  case tooLarge = "too-large"
  /// Recognised, but callqa does not read it: the reason names it and the way out.
  case unsupported
}

/// A source that cannot be taken at all, or not beyond some place.
public struct SourceError: Error, Sendable, Equatable {
  public var code: ReasonCode
  /// What is wrong and what to do, for people, without the file's name.
  public var reason: String
  /// 0-based byte of the decompressed source and 1-based line, where known.
  public var byte: Int?
  public var line: Int?

  /// A refusal.
  public init(_ code: ReasonCode, _ reason: String, byte: Int? = nil, line: Int? = nil) {
    self.code = code
    self.reason = reason
    self.byte = byte
    self.line = line
  }
}

extension SourceFormat {
  /// Whether it is a capture of packets: its events stand in frames, not in lines.
  public var isCapture: Bool { self == .pcap || self == .pcapng }

  /// A file's name without what it is packed in, in lower case.
  public static func bareName(_ name: String) -> String { unpacked(name.lowercased()) }

  /// A file's name without what it is packed in.
  public static func unpacked(_ name: String) -> String {
    packings.reduce(name) { $0.hasSuffix($1) ? String($0.dropLast($1.utf8.count)) : $0 }
  }

  /// What a packed file's name ends in.
  public static let packings = [".gz", ".zst", ".br"]

  /// Whether a file's name says that it holds a JSON value a line.
  public static func isNamedLines(_ name: String) -> Bool {
    [".jsonl", ".ndjson"].contains(where: bareName(name).hasSuffix)
  }
}
