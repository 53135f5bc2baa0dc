/// User options for a reader, and limits that protect the machine from a hostile source.
public struct ReaderOptions: Sendable {
  /// The file's name without its folders: only a hint at the end it came from.
  public var fileName: String
  /// Modification time of the file, ms since the epoch: gives the year of timestamps without one. Nil if
  /// unknown.
  public var writtenMs: Double?
  /// Milliseconds per unit of the clock that stamped the reports, if the first bytes of the source show it;
  /// nil otherwise.
  public var reportClockUnitMs: Double?
  /// Longest line accepted, in bytes; a longer one is rejected and counted.
  public var longestLine = Limit.line.value
  /// Longest line of plain text examined, in bytes: every pattern of every SDK is matched against it.
  public var longestTextLine = Limit.textLine.value
  /// The most consecutive log lines without any record, in addition to one per byte of the file on disk; more
  /// end the source.
  public var linesWithoutRecords = Limit.linesWithoutRecords.value
  /// Longest single value of a JSON document kept in memory, in bytes; a longer one ends the source.
  public var longestValue = Limit.jsonValue.value
  /// The most reports taken from one snapshot; four times as many are remembered across all snapshots of a
  /// source.
  public var reportsPerSnapshot = Limit.reports.value
  /// The most streams taken from one source.
  public var streamsPerSource = Limit.streams.value
  /// The most PeerConnections, ends of logged calls, or paths of a capture taken from one source.
  public var connectionsPerSource = Limit.connections.value
  /// The most figures kept for one connection of a webrtc-internals dump, 8 bytes each; more end the source.
  public var pointsPerConnection = Limit.points.value
  /// The most fragments from which one IP datagram of a capture is reassembled.
  public var fragmentsPerDatagram = Limit.fragments.value
  /// Whether the user said that UDP payloads are RTP (`--as rtp`): one packet is then enough evidence.
  public var assumeRTP = false
  /// Whether to find out from captures who spoke when (`--turns`); off by default.
  public var turns = false

  /// The time zone of times in tables that have none and whose form names none (`Europe/Berlin`); nil for UTC.
  public var zone: String?

  /// The IP address of the capturing host, as given by the user; nil to infer it from packets.
  public var localAddress: String?

  /// The defaults, for a file of the given name.
  public init(fileName: String = "") {
    self.fileName = fileName
  }
}
