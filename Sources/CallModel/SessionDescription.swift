/// What an SDP text says about who is talking: the identifiers by which ends find each other, and the media agreed on.
///
/// Works on the text as it stands in a log, with real line ends or JSON escapes (`\r\n` as four characters). Reference: RFC 8866, 8839, 8122, 5576.
public struct SessionDescription: Sendable, Equatable {
  /// ICE username fragments, each once, in the order met.
  public var ufrags: [String] = []
  /// Certificate fingerprints: upper-case hex with colons, without the name of the hash.
  public var fingerprints: [String] = []
  /// SSRCs named by `a=ssrc`, each once.
  public var ssrcs: [UInt32] = []
  /// Id of the session from `o=`: the same in all that one side writes for one connection.
  public var session: String?
  /// Sections of sound and picture that are not refused (port 0), in order.
  public var sections: [Section] = []
  /// What each part of the text says of its bandwidth: the session, then the sections in order, refused ones too.
  public var bandwidths = [Bandwidth()]

  /// Most identifiers of one kind that are taken from one text.
  public static let limit = 64

  /// Which ways whoever wrote the text lets media flow (RFC 8866 6.7): both, where it does not say.
  public struct Flow: Sendable, Equatable {
    public var sends = true
    public var receives = true
  }

  /// One `m=` section.
  public struct Section: Sendable, Equatable {
    public var kind: MediaKind
    public var flow: Flow
  }

  /// `b=AS` in kb/s and `b=TIAS` in b/s (RFC 8866 5.8, RFC 3890) of one section.
  public struct Bandwidth: Sendable, Equatable {
    public var kbps: Int?
    public var bps: Int?

    /// How many bits TIAS has for each that AS has; nil where one of them is not said, or nothing.
    public var bpsShare: Double? {
      guard let kbps, let bps, kbps > 0 else { return nil }
      return Double(bps) / (Double(kbps) * 1000)
    }
  }

  /// What attributes belong to: all sections while none has begun, then the last one, where it was taken.
  private enum Place { case session, section, nothing }
  private var place = Place.session
  private var flowOfAll = Flow()

  /// Reads a text; whatever is not SDP in it is passed over.
  public init(_ text: some StringProtocol) {
    var line: [UInt8] = []
    var escaped = false
    for byte in Array(text.utf8) {  // A generic walk would cost a call a byte.
      if escaped {
        escaped = false
        if byte == UInt8(ascii: "/") { line.append(byte) } else { take(&line) }
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
      } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\"") {
        take(&line)
      } else if line.count < 512 {
        line.append(byte)
      }
    }
    take(&line)
  }

  /// The same facts as identities of a connection, seen from its own end.
  /// - Parameter local: whether this end wrote the description.
  public func identities(local: Bool) -> Set<Identity> {
    var found = Set<Identity>()
    for ufrag in ufrags { found.insert(.init(local ? .ufragLocal : .ufragRemote, ufrag)) }
    for print in fingerprints { found.insert(.init(local ? .fingerprintLocal : .fingerprintRemote, print)) }
    for ssrc in ssrcs { found.insert(.init(local ? .ssrcOut : .ssrcIn, String(ssrc))) }
    return found
  }

  private mutating func take(_ line: inout [UInt8]) {
    defer { line.removeAll(keepingCapacity: true) }
    guard line.count > 4 else { return }
    if let value = rest(of: line, after: "a=ice-ufrag:") {
      add(value, to: \.ufrags)
    } else if let value = rest(of: line, after: "a=fingerprint:") {
      if let hash = value.split(separator: " ").last { add(hash.uppercased(), to: \.fingerprints) }
    } else if let value = rest(of: line, after: "a=ssrc:") {
      if let ssrc = UInt32(value.prefix { $0.isASCII && $0.isNumber }) { add(ssrc, to: \.ssrcs) }
    } else if let value = rest(of: line, after: "m=") {
      begin(value.split(separator: " "))
    } else if let value = rest(of: line, after: "b=AS:"), let kbps = Int(value) {
      bandwidths[bandwidths.count - 1].kbps = kbps
    } else if let value = rest(of: line, after: "b=TIAS:"), let bps = Int(value) {
      bandwidths[bandwidths.count - 1].bps = bps
    } else if let value = rest(of: line, after: "o=") {
      session = session ?? value.split(separator: " ").dropFirst().first.map(String.init)
    } else if line.count <= 12, let flow = Self.flows[rest(of: line, after: "a=") ?? ""] {
      direct(flow)
    }
  }

  private mutating func begin(_ words: [Substring]) {
    place = .nothing
    // Of sections beyond the limit the last one counts.
    if bandwidths.count <= Self.limit {
      bandwidths.append(Bandwidth())
    } else {
      bandwidths[Self.limit] = Bandwidth()
    }
    guard let kind = words.first.flatMap({ MediaKind(rawValue: String($0)) }), words.dropFirst().first != "0",
      sections.count < Self.limit
    else { return }
    place = .section
    sections.append(Section(kind: kind, flow: flowOfAll))
  }

  private static let flows = [
    "sendrecv": Flow(), "sendonly": Flow(receives: false), "recvonly": Flow(sends: false),
    "inactive": Flow(sends: false, receives: false),
  ]

  private mutating func direct(_ flow: Flow) {
    switch place {
    case .session: flowOfAll = flow
    case .section: sections[sections.count - 1].flow = flow
    case .nothing: break
    }
  }

  private mutating func add<Value: Equatable>(_ value: Value, to list: WritableKeyPath<Self, [Value]>) {
    guard self[keyPath: list].count < Self.limit, !self[keyPath: list].contains(value) else { return }
    self[keyPath: list].append(value)
  }

  // The pseudo-JSON of old dumps has `sdp: v=0` before the first line only, so a line begins with its attribute.
  private func rest(of line: [UInt8], after head: String) -> String? {
    guard line.starts(with: head.utf8) else { return nil }
    let text = String(decoding: line.dropFirst(head.utf8.count), as: UTF8.self)
    return text.last == " " ? String(text.dropLast()) : text
  }
}
