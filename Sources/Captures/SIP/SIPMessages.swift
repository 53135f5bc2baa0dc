import CallModel
import Packets
import Signalling

/// Reads SIP messages that a log has instead of packets, such as the WebSocket messages of a page (RFC 7118), as a
/// capture of the same messages at this end would be read. Of hosts without an address nothing is known.
public final class SIPMessages {
  private let paths: MediaTransports
  private let streams: StreamRegistry
  private let sip: SIPTracker
  private let records: CaptureRecords
  private var others: [String: Endpoint] = [:]
  private let lines = FrameNumbers()
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
  ///
  /// - Parameters:
  ///   - from: an address, or a name; nil is this end.
  ///   - to: the same.
  @discardableResult
  public func take(_ text: [UInt8], from: String?, to: String?, timeMs: Double, line: Int? = nil) -> Bool {
    guard timeMs.magnitude < 9e12 else { return false }
    return text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      let octets = Octets(base, count: bytes.count)
      guard let message = SIPMessage(octets) else { return false }
      if let line { lines.add(line, at: Int64(timeMs * 1e6)) }
      latestNs = max(latestNs, Int64(timeMs * 1e6))
      sip.take(
        message, body: octets.from(message.bodyAt), from: place(from), to: place(to), at: Int64(timeMs * 1e6))
      return true
    }
  }

  /// Reports the calls.
  public func finish() throws {
    sip.finish(at: latestNs)
    paths.settle()
    streams.addQualityReports()
    try records.finish(paths, streams, ICETracker(paths: paths), lines)
    if records.areEmpty, let beside = sip.beside { try records.note("SIP without a call: \(beside)") }
  }

  /// A place for a name, of which the first few are told apart.
  private func place(_ name: String?) -> Endpoint {
    guard let name else { return Endpoint(address: .unknownHost(0), port: 0) }
    if let known = others[name] { return known }
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    let port = parts.count == 2 ? UInt16(parts[1]) : nil
    let place =
      Address(text: parts.count == 2 ? String(parts[0]) : name).map {
        Endpoint(address: $0, port: port ?? 5060)
      }
      ?? Endpoint(address: .unknownHost(1 + UInt64(min(others.count, 1000))), port: 0)
    if others.count < 1000 { others[name] = place }
    return place
  }
}
