/// The format of a source; the raw value is its name in `--as`, `formats` and JSON.
///
/// Each reader declares its own, with a `FormatDescription`. Those here are referred to by name elsewhere.
public struct SourceFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  /// The format with a name, whether or not a reader knows it.
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let getstatsLines = SourceFormat(rawValue: "getstats-lines")
  public static let getstatsJSON = SourceFormat(rawValue: "getstats-json")
  public static let runLog = SourceFormat(rawValue: "run-log")
  public static let sdkText = SourceFormat(rawValue: "sdk-text")
  public static let googText = SourceFormat(rawValue: "goog-text")
  public static let pcap = SourceFormat(rawValue: "pcap")
  public static let pcapng = SourceFormat(rawValue: "pcapng")

  /// Whether a client writes it of its own connections.
  public var isOfClient: Bool { Self.ofClients.contains(rawValue) }

  private static let ofClients: Set = [
    "getstats-lines", "getstats-json", "run-log", "goog-text", "webrtc-internals", "rtcstats-v0",
    "rtcstats-v2",
    "rtcstats-v3", "jitsi-rtcstats",
  ]
}

/// The description of a format: a row of `callqa formats`.
public struct FormatDescription: Sendable {
  /// The content of a source.
  public enum Content: Sendable {
    /// Lines of text. The number of consecutive lines without a record is limited (`--raise lines=`).
    case lines
    /// One value, read as a whole or as a stream.
    case document
    case packets
  }

  public let format: SourceFormat
  public let content: Content
  /// What it is, for users.
  public let summary: String
  /// How it is recognised, for users.
  public let recognisedBy: String
  /// A few characters of it.
  public let example: String

  /// A format with its description for users.
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

/// Why a source was rejected; the raw value is `reason_code` in JSON.
public enum ReasonCode: String, Sendable, CaseIterable {
  case missing, empty, unreadable, truncated
  case notJSON = "not-json"
  case notAFormat = "not-a-format"
  case tooLarge = "too-large"
  /// Recognised, but not supported: the reason names the format and an alternative.
  case unsupported
}

/// A source that cannot be read at all, or not beyond some point.
public struct SourceError: Error, Sendable, Equatable {
  public var code: ReasonCode
  /// What is wrong and what to do, for users, without the file's name.
  public var reason: String
  /// 0-based byte of the decompressed source and 1-based line, if known.
  public var byte: Int?
  public var line: Int?

  /// An error with its code and reason.
  public init(_ code: ReasonCode, _ reason: String, byte: Int? = nil, line: Int? = nil) {
    self.code = code
    self.reason = reason
    self.byte = byte
    self.line = line
  }
}

extension SourceFormat {
  /// Whether it is a packet capture, whose events refer to frames rather than lines.
  public var isCapture: Bool { self == .pcap || self == .pcapng }

  /// A file's name without its compression suffix, in lower case.
  public static func bareName(_ name: String) -> String { unpacked(name.lowercased()) }

  /// A file's name without its compression suffix.
  public static func unpacked(_ name: String) -> String {
    packings.reduce(name) { $0.hasSuffix($1) ? String($0.dropLast($1.utf8.count)) : $0 }
  }

  /// Suffixes of compressed files.
  public static let packings = [".gz", ".zst", ".br"]

  /// Whether a file's name says that it has one JSON value per line.
  public static func isNamedLines(_ name: String) -> Bool {
    [".jsonl", ".ndjson"].contains(where: bareName(name).hasSuffix)
  }
}
