/// Every format that can be imported; the raw value is the word of `--as`, `formats` and JSON.
public enum SourceFormat: String, Sendable, CaseIterable {
  case getstatsLines = "getstats-lines"
  case getstatsJSON = "getstats-json"
  case runLog = "run-log"
  case sdkText = "sdk-text"
  case googText = "goog-text"
  case webrtcInternals = "webrtc-internals"
  case rtcstatsV0 = "rtcstats-v0"
  case rtcstatsV2 = "rtcstats-v2"
  case rtcstatsV3 = "rtcstats-v3"
  case jitsiRtcstats = "jitsi-rtcstats"
  case sse
  case har
  case qualityReport = "vq-rtcpxr"
  case callSummary = "call-summary"
  case channelStats = "channelstats"
  case pcap
  case pcapng
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
