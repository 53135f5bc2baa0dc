/// What a user can tell a reader, and the limits that keep a hostile source from taking the machine.
public struct ReaderOptions: Sendable {
  /// The file's name without its folders: a hint for the end it came from, never more.
  public var fileName: String
  /// When the file was written (its modification time), ms since the epoch: the year of stamps that have none. Nil if unknown.
  public var writtenMs: Double?
  /// Milliseconds a unit of the clock that stamped the reports, where the first bytes of the source tell it; nil where they do not.
  public var reportClockUnitMs: Double?
  /// Longest line taken, in bytes; a longer one is rejected and counted.
  public var longestLine = 32 << 20
  /// Longest line of plain text looked at, in bytes: every pattern of every SDK is held against it.
  public var longestTextLine = 1 << 20
  /// Most lines of a log in a row that tell nothing, beside one for each byte of the file on disk; more end the source.
  public var linesWithoutRecords = 1_000_000
  /// Longest single value of a JSON document held at a time, in bytes; a longer one ends the source.
  public var longestValue = 64 << 20
  /// Most reports taken from one snapshot; four times as many are remembered over all snapshots of a source.
  public var reportsPerSnapshot = 10_000
  /// Most streams taken from one source.
  public var streamsPerSource = 20_000
  /// Most PeerConnections, ends of logged calls, or paths of a capture taken from one source.
  public var connectionsPerSource = 20_000
  /// Most figures held of one connection of a webrtc-internals dump, 8 bytes each; more end the source.
  public var pointsPerConnection = 8 << 20
  /// Most fragments that one IP datagram of a capture is put together from.
  public var fragmentsPerDatagram = 64
  /// Whether the user said that UDP payloads are RTP (`--as rtp`), which lowers the evidence needed to one packet.
  public var assumeRTP = false
  /// Whether captures are asked who spoke when (`--turns`): nobody is, unless the user wants it.
  public var turns = false

  /// The IP address of the host that captured, as the user gave it; nil where packets have to tell.
  public var localAddress: String?

  /// The defaults, for a file of the given name.
  public init(fileName: String = "") {
    self.fileName = fileName
  }
}
