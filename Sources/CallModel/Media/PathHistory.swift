/// The ways that the packets of an end took, each connection by itself: a page may have several at once, as one to send and one
/// to receive, and that they differ is no change.
///
/// Give it every instant of every connection in the order of time.
public struct PathHistory: Sendable {
  /// A way, as it was when it was first told of.
  public struct Step: Sendable {
    public var sample: TransportSample
    /// The way that it took the place of; nil where it is what a connection began with.
    public var before: TransportSample?
  }

  /// Most ways that are kept, and most connections that are followed at a time.
  public static let maxSteps = 1000
  private static let maxConnections = 64

  private struct Line {
    /// Connections are numbered as they come.
    var number: Int
    var last: TransportSample
    /// Its way, with all that was ever told of it, and the place of it among the steps.
    var way: TransportSample?
    var step: Int?
  }

  /// The ways in order of time.
  public private(set) var steps: [Step] = []
  private var lines: [Int64: Line] = [:]
  private var begun = 0
  /// Steps by which a connection took over from others, unless one of those is heard of again.
  private var takeovers: [(step: Int, number: Int)] = []

  /// No way is known.
  public init() {}

  /// Takes the next instant of a connection; answers the one before it.
  public mutating func see(_ sample: TransportSample) -> TransportSample? {
    guard var line = lines[sample.connection] else {
      if lines.count == Self.maxConnections { forgetOne() }
      var line = Line(number: begun, last: sample)
      begun += 1
      if sample.isWay { begin(sample, &line) }
      lines[sample.connection] = line
      return nil
    }
    if !takeovers.isEmpty { takeBack(line.number) }
    let earlier = line.last
    line.last = sample
    if sample.isWay, line.way?.isAlike(sample) != true { take(sample, &line) }
    lines[sample.connection] = line
    return earlier
  }

  private mutating func take(_ sample: TransportSample, _ line: inout Line) {
    guard let way = line.way else { return begin(sample, &line) }
    if way.differs(from: sample) {
      add(sample, before: way, &line)
    } else if let more = way.completed(by: sample) {
      line.way = more
      if let step = line.step { steps[step].sample = more }
    }
  }

  /// Forgets the connection that was heard of least lately.
  private mutating func forgetOne() {
    let oldest = lines.min {
      ($0.value.last.timeMs, $0.value.number) < ($1.value.last.timeMs, $1.value.number)
    }
    if let oldest { lines[oldest.key] = nil }
  }

  /// The first way of a connection. It is another than before where it is on a network that none of the others was on, and they
  /// are heard of no more: who changes the network often connects anew.
  private mutating func begin(_ sample: TransportSample, _ line: inout Line) {
    let others = lines.values.filter { [number = line.number] in $0.number != number && $0.way != nil }
    let latest = others.max { ($0.last.timeMs, $0.number) < ($1.last.timeMs, $1.number) }
    let isElsewhere = others.allSatisfy { $0.way?.networkChange(to: sample) != nil }
    guard isElsewhere, let before = latest?.way, steps.count < Self.maxSteps else {
      return add(sample, before: nil, &line)
    }
    takeovers.append((steps.count, line.number))
    add(sample, before: before, &line)
  }

  private mutating func takeBack(_ number: Int) {
    takeovers.removeAll { takeover in
      guard number < takeover.number else { return false }
      steps[takeover.step].before = nil
      return true
    }
  }

  private mutating func add(_ sample: TransportSample, before: TransportSample?, _ line: inout Line) {
    (line.way, line.step) = (sample, nil)
    guard steps.count < Self.maxSteps else { return }
    line.step = steps.count
    steps.append(Step(sample: sample, before: before))
  }
}

extension TransportSample {
  /// Whether it tells of a way at all.
  fileprivate var isWay: Bool { local != nil || localType != nil || networkType != nil }

  private static let parts: [WritableKeyPath<TransportSample, String?> & Sendable] = [
    \.local, \.remote, \.localType, \.remoteType, \.networkProtocol, \.relayProtocol, \.networkType,
  ]

  /// Whether all is told alike, as it mostly is.
  fileprivate func isAlike(_ other: TransportSample) -> Bool {
    if isOnPath(of: other) { return true }
    return local == other.local && remote == other.remote && localType == other.localType
      && remoteType == other.remoteType && networkProtocol == other.networkProtocol
      && relayProtocol == other.relayProtocol && networkType == other.networkType
  }

  /// Whether another is known to be another way: what one of them does not tell is no difference.
  fileprivate func differs(from other: TransportSample) -> Bool {
    Self.parts.contains { part in
      guard let mine = self[keyPath: part], let theirs = other[keyPath: part] else { return false }
      return mine != theirs
    }
  }

  /// The same way, with what another instant knows besides; nil where that is nothing.
  fileprivate func completed(by other: TransportSample) -> TransportSample? {
    let new = Self.parts.filter { self[keyPath: $0] == nil && other[keyPath: $0] != nil }
    guard !new.isEmpty else { return nil }
    var way = self
    for part in new { way[keyPath: part] = other[keyPath: part] }
    return way
  }

  /// Whether its counters of bytes go on in another's.
  public func countsOn(to other: TransportSample) -> Bool { pair == other.pair && local == other.local }

  /// From what to what this end's network changed; nil where it did not. A new port, or a name for the same address, is not
  /// another network, and a relay's address says nothing of it; nor does an IPv6 address in place of an IPv4 one, or the other way
  /// round: most networks give both, and ICE chooses.
  public func networkChange(to now: TransportSample) -> (from: String, to: String)? {
    if let here = host, let there = now.host, here != there, localType != "relay", now.localType != "relay",
      here.utf8.contains(UInt8(ascii: ":")) == there.utf8.contains(UInt8(ascii: ":"))
    {
      return (here, there)
    }
    guard let here = networkType, let there = now.networkType, here != there else { return nil }
    return (here, there)
  }

  /// This end's address without its port.
  private var host: String? {
    local.map(AddressText.host)
  }
}
