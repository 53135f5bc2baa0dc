/// The content of an SDP text: the identifiers by which ends are matched, and the media agreed on.
///
/// Reads the text as it is in a log, with real line ends or JSON escapes (`\r\n` as four characters).
/// Reference: RFC 8866, 8839, 8122, 5576.
public struct SessionDescription: Sendable, Equatable {
  /// ICE username fragments, without duplicates, in order.
  public var ufrags: [String] = []
  /// Certificate fingerprints: upper-case hex with colons, without the name of the hash.
  public var fingerprints: [String] = []
  /// SSRCs of `a=ssrc`, without duplicates.
  public var ssrcs: [UInt32] = []
  /// Session id of `o=`: the same in all descriptions that one side writes for a connection.
  public var session: String?
  /// Audio and video sections that are not rejected (port 0), in order.
  public var sections: [Section] = []
  /// Bandwidth lines by part of the text: the session, then all sections in order, including rejected ones.
  public var bandwidths = [Bandwidth()]

  /// The most identifiers of one kind taken from one text.
  public static let limit = 64

  /// The directions in which the author of the text lets media flow (RFC 8866 6.7): both by default.
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

    /// Ratio of the bits of TIAS to those of AS; nil if one of them is missing or zero.
    public var bpsShare: Double? {
      guard let kbps, let bps, kbps > 0 else { return nil }
      return Double(bps) / (Double(kbps) * 1000)
    }
  }

  /// What an attribute applies to: the session before the first section, then the latest section, if that was
  /// taken.
  private enum Part { case session, section, nothing }
  private var part = Part.session
  private var flowOfAll = Flow()

  /// Parses a text; anything in it that is not SDP is skipped.
  public init(_ text: some StringProtocol) {
    var text = String(text)
    text.withUTF8 { bytes in
      var start = 0
      var next = 0
      while next < bytes.count {
        switch bytes[next] {
        case UInt8(ascii: "\\") where next + 1 < bytes.count && bytes[next + 1] == UInt8(ascii: "/"):
          next += 2
        case UInt8(ascii: "\\"):
          take(UnsafeBufferPointer(rebasing: bytes[start..<next]))
          next += 2
          start = next
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\""):
          take(UnsafeBufferPointer(rebasing: bytes[start..<next]))
          next += 1
          start = next
        default: next += 1
        }
      }
      if start < bytes.count { take(UnsafeBufferPointer(rebasing: bytes[start...])) }
    }
  }

  /// The content as identities of a connection, from the point of view of its own end.
  /// - Parameter local: whether this end wrote the description.
  public func identities(local: Bool) -> Set<Identity> {
    var found = Set<Identity>()
    for ufrag in ufrags { found.insert(.init(local ? .ufragLocal : .ufragRemote, ufrag)) }
    for print in fingerprints { found.insert(.init(local ? .fingerprintLocal : .fingerprintRemote, print)) }
    for ssrc in ssrcs { found.insert(.init(local ? .ssrcOut : .ssrcIn, String(ssrc))) }
    return found
  }

  /// The most bytes of a line that are read.
  private static let longestLine = 512

  private mutating func take(_ whole: UnsafeBufferPointer<UInt8>) {
    guard whole.count > 4, whole[1] == UInt8(ascii: "=") else { return }
    let line = UnsafeBufferPointer(rebasing: whole.prefix(Self.longestLine))
    switch line[0] {
    case UInt8(ascii: "a"): takeAttribute(line)
    case UInt8(ascii: "m"): begin(Self.text(line.dropFirst(2)).split(separator: " "))
    case UInt8(ascii: "b"):
      if let kbps = rest(of: line, after: "b=AS:").flatMap({ Int($0) }) {
        bandwidths[bandwidths.count - 1].kbps = kbps
      } else if let bps = rest(of: line, after: "b=TIAS:").flatMap({ Int($0) }) {
        bandwidths[bandwidths.count - 1].bps = bps
      }
    case UInt8(ascii: "o"):
      let words = Self.text(line.dropFirst(2)).split(separator: " ")
      session = session ?? words.dropFirst().first.map(String.init)
    default: break
    }
  }

  // Most attributes are candidates, codecs and extensions, which are skipped by their first letter.
  private mutating func takeAttribute(_ line: UnsafeBufferPointer<UInt8>) {
    guard "ifsr".utf8.contains(line[2]) else { return }
    if let value = rest(of: line, after: "a=ice-ufrag:") {
      add(value, to: \.ufrags)
    } else if let value = rest(of: line, after: "a=fingerprint:") {
      if let hash = value.split(separator: " ").last { add(hash.uppercased(), to: \.fingerprints) }
    } else if let value = rest(of: line, after: "a=ssrc:") {
      if let ssrc = UInt32(value.prefix { $0.isASCII && $0.isNumber }) { add(ssrc, to: \.ssrcs) }
    } else if line.count <= 12, let flow = Self.flows[Self.text(line.dropFirst(2))] {
      direct(flow)
    }
  }

  private mutating func begin(_ words: [Substring]) {
    part = .nothing
    // Beyond the limit, the last section is overwritten.
    if bandwidths.count <= Self.limit {
      bandwidths.append(Bandwidth())
    } else {
      bandwidths[Self.limit] = Bandwidth()
    }
    guard let kind = words.first.flatMap({ MediaKind(rawValue: String($0)) }), words.dropFirst().first != "0",
      sections.count < Self.limit
    else { return }
    part = .section
    sections.append(Section(kind: kind, flow: flowOfAll))
  }

  private static let flows = [
    "sendrecv": Flow(), "sendonly": Flow(receives: false), "recvonly": Flow(sends: false),
    "inactive": Flow(sends: false, receives: false),
  ]

  private mutating func direct(_ flow: Flow) {
    switch part {
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
  private func rest(of line: UnsafeBufferPointer<UInt8>, after head: StaticString) -> String? {
    let length = head.utf8CodeUnitCount
    guard line.count >= length else { return nil }
    for index in 0..<length where line[index] != head.utf8Start[index] { return nil }
    return Self.text(line.dropFirst(length))
  }

  // Without trailing blanks, and with JSON's escaped slashes unescaped.
  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let kept = bytes.last == UInt8(ascii: " ") ? bytes.dropLast() : bytes
    guard kept.contains(UInt8(ascii: "\\")) else { return String(decoding: kept, as: UTF8.self) }
    return String(decoding: kept.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
  }
}
