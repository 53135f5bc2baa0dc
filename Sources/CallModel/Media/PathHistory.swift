/// The paths used by the packets of an end, per connection: a page may have several connections at once, such
/// as one to send and one to receive, and a difference between them is not a change of path.
///
/// Takes the samples of all connections in order of time.
public struct PathHistory: Sendable {
  /// A path as first reported.
  public struct Step: Sendable {
    public var sample: TransportSample
    /// The path it replaced; nil for the first path of a connection.
    public var before: TransportSample?
  }

  /// The most paths kept, and the most connections followed at a time.
  public static let maxSteps = 1000
  private static let maxConnections = 64

  private struct Line {
    /// Connections are numbered in order of appearance.
    var number: Int
    var last: TransportSample
    /// Its path, with everything reported of it so far, and its index in `steps`.
    var path: TransportSample?
    var step: Int?
  }

  /// The paths in order of time.
  public private(set) var steps: [Step] = []
  private var lines: [Int64: Line] = [:]
  private var begun = 0
  /// Steps in which a connection replaced others, undone if one of those reports again.
  private var takeovers: [(step: Int, number: Int)] = []

  /// An empty history.
  public init() {}

  /// Adds the next sample of a connection and returns the one before it.
  public mutating func see(_ sample: TransportSample) -> TransportSample? {
    guard let place = lines.index(forKey: sample.connection) else {
      if lines.count == Self.maxConnections { forgetOne() }
      var line = Line(number: begun, last: sample)
      begun += 1
      if sample.namesPath { begin(sample, &line) }
      lines[sample.connection] = line
      return nil
    }
    if !takeovers.isEmpty { takeBack(lines.values[place].number) }
    let earlier = lines.values[place].last
    lines.values[place].last = sample
    // Hardly ever another path: the line, which is large, is changed in place.
    if sample.namesPath, lines.values[place].path?.isAlike(sample) != true {
      var line = lines.values[place]
      take(sample, &line)
      lines.values[place] = line
    }
    return earlier
  }

  private mutating func take(_ sample: TransportSample, _ line: inout Line) {
    guard let path = line.path else { return begin(sample, &line) }
    if path.differs(from: sample) {
      add(sample, before: path, &line)
    } else if let more = path.completed(by: sample) {
      line.path = more
      if let step = line.step { steps[step].sample = more }
    }
  }

  /// Removes the connection whose last report is oldest.
  private mutating func forgetOne() {
    let oldest = lines.min {
      ($0.value.last.timeMs, $0.value.number) < ($1.value.last.timeMs, $1.value.number)
    }
    if let oldest { lines[oldest.key] = nil }
  }

  /// The first path of a connection. It counts as a change if it is on a network that no other connection was
  /// on, and those stop reporting: a client that changes networks often connects anew.
  private mutating func begin(_ sample: TransportSample, _ line: inout Line) {
    let others = lines.values.filter { [number = line.number] in $0.number != number && $0.path != nil }
    let latest = others.max { ($0.last.timeMs, $0.number) < ($1.last.timeMs, $1.number) }
    let isElsewhere = others.allSatisfy { $0.path?.networkChange(to: sample) != nil }
    guard isElsewhere, let before = latest?.path, steps.count < Self.maxSteps else {
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
    (line.path, line.step) = (sample, nil)
    guard steps.count < Self.maxSteps else { return }
    line.step = steps.count
    steps.append(Step(sample: sample, before: before))
  }
}

extension TransportSample {
  /// Whether the sample describes a path at all.
  fileprivate var namesPath: Bool { local != nil || localType != nil || networkType != nil }

  private static let parts: [WritableKeyPath<TransportSample, String?> & Sendable] = [
    \.local, \.remote, \.localType, \.remoteType, \.networkProtocol, \.relayProtocol, \.networkType,
  ]

  /// Whether all fields are equal, as they mostly are.
  fileprivate func isAlike(_ other: TransportSample) -> Bool {
    if isOnPath(of: other) { return true }
    return local == other.local && remote == other.remote && localType == other.localType
      && remoteType == other.remoteType && networkProtocol == other.networkProtocol
      && relayProtocol == other.relayProtocol && networkType == other.networkType
  }

  /// Whether another sample is known to be on a different path: fields missing in either do not count.
  fileprivate func differs(from other: TransportSample) -> Bool {
    Self.parts.contains { part in
      guard let mine = self[keyPath: part], let theirs = other[keyPath: part] else { return false }
      return mine != theirs
    }
  }

  /// The same path with the fields that only the other sample has; nil if there are none.
  fileprivate func completed(by other: TransportSample) -> TransportSample? {
    let new = Self.parts.filter { self[keyPath: $0] == nil && other[keyPath: $0] != nil }
    guard !new.isEmpty else { return nil }
    var path = self
    for part in new { path[keyPath: part] = other[keyPath: part] }
    return path
  }

  /// Whether the byte counters of another sample continue those of this one.
  public func countsOn(to other: TransportSample) -> Bool { pair == other.pair && local == other.local }

  /// The change of this end's network; nil if there is none. A new port, or a name for the same address, is
  /// not another network. The address of a relay says nothing of it, and neither does a change between IPv4
  /// and IPv6: most networks have both, and ICE chooses.
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
