import CallModel
import Packets
import Signalling

/// Reads SIP messages that a log has instead of packets, such as the WebSocket messages of a page (RFC 7118), as a
/// capture of the same messages at this end would be read. Of the hosts nothing is known.
public final class SIPMessages {
  private let paths: MediaTransports
  private let streams: StreamRegistry
  private let sip: SIPTracker
  private let records: CaptureRecords
  private var servers: [String: Endpoint] = [:]
  private var latestNs: Int64 = 0

  /// - Parameter firstConnection: the number of the first connection, where the source has others too.
  public init(sink: any RecordSink, options: ReaderOptions, firstConnection: Int) {
    var options = options
    options.localAddress = Address.unknownHost(0).text
    paths = MediaTransports(most: options.connectionsPerSource)
    streams = StreamRegistry(options: options, paths: paths, maxWaiting: 1)
    sip = SIPTracker(paths: paths, ports: streams.described)
    records = CaptureRecords(sink: sink, options: options, firstConnection: firstConnection)
  }

  /// Takes a message; they have to come in order of time. Returns whether it is one.
  /// - Parameter server: a name for what this end is connected to.
  @discardableResult
  public func take(_ text: [UInt8], isSent: Bool, server: String, timeMs: Double) -> Bool {
    guard timeMs.magnitude < 9e12 else { return false }
    return text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      let octets = Octets(base, count: bytes.count)
      guard let message = SIPMessage(octets) else { return false }
      latestNs = max(latestNs, Int64(timeMs * 1e6))
      let here = Endpoint(address: .unknownHost(0), port: 0)
      let there = known(server)
      sip.take(
        message, body: octets.from(message.bodyAt), from: isSent ? here : there, to: isSent ? there : here,
        at: Int64(timeMs * 1e6))
      return true
    }
  }

  /// Reports the calls.
  public func finish() throws {
    sip.finish(at: latestNs)
    paths.settle()
    streams.addQualityReports()
    try records.finish(paths, streams, ICETracker(paths: paths), FrameNumbers())
    if records.areEmpty, let beside = sip.beside { try records.note("SIP without a call: \(beside)") }
  }

  /// A place for a server, of which the first few are told apart.
  private func known(_ server: String) -> Endpoint {
    let other = Endpoint(address: .unknownHost(1 + UInt64(min(servers.count, 1000))), port: 0)
    return servers[server]
      ?? {
        if servers.count < 1000 { servers[server] = other }
        return other
      }()
  }
}
