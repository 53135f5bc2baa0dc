import Packets

/// Names in the RTP header extensions of a stream's first packets: its media section (MID, RFC 9143), and its
/// layer (RID, RFC 8852). They are readable even under SRTP, but the extension ids were negotiated in
/// encrypted signalling.
struct StreamNames {
  struct Name: Equatable {
    var element: UInt8
    var text: [UInt8]
  }

  private(set) var all: [Name] = []
  private var packets = 0

  private static let most = 4
  private static let longest = 16

  /// Takes a packet. Only values that all packets share count as names.
  mutating func take(_ b: Octets) {
    packets += 1
    guard packets == 1 || !all.isEmpty else { return }
    let found = Self.names(in: b)
    all = packets == 1 ? found : all.filter(found.contains)
  }

  /// The name with an extension id. After a single packet, it is unknown whether a value is a name.
  subscript(element: UInt8) -> [UInt8]? {
    packets > 1 ? all.first { $0.element == element }?.text : nil
  }

  /// The elements of RFC 8285, with one-byte or two-byte headers, that are text.
  private static func names(in b: Octets) -> [Name] {
    guard b.count >= 12, b.byte(0) & 0x10 != 0 else { return [] }
    let start = 12 + 4 * Int(b.byte(0) & 15)
    guard b.count >= start + 4 else { return [] }
    let isShort = b.short(start) == 0xBEDE
    guard isShort || b.short(start) & 0xFFF0 == 0x1000 else { return [] }
    let end = min(b.count, start + 4 + 4 * Int(b.short(start + 2)))
    var found: [Name] = []
    var at = start + 4
    while at + 1 < end, found.count < most {
      let head = b.byte(at)
      guard head != 0 else {
        at += 1
        continue
      }
      let element = isShort ? head >> 4 : head
      let length = isShort ? Int(head & 15) + 1 : Int(b.byte(at + 1))
      let body = at + (isShort ? 1 : 2)
      if isShort && element == 15 { break }
      if length > 0, length <= longest, body + length <= end,
        (body..<body + length).allSatisfy({ isOfName(b.byte($0)) })
      {
        found.append(Name(element: element, text: b.from(body).first(length).copy()))
      }
      at = body + length
    }
    return found
  }

  /// Letters, digits, hyphen and underscore (RFC 8851 section 10).
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}

extension MediaStream {
  /// Whether another stream is a layer of the same video source: it has the same MID and a different RID.
  func isLayer(besides other: MediaStream) -> Bool {
    guard other !== self, kind == .video, other.kind == .video, other.sender == sender,
      other.mainType == mainType, let medium = mediumElement, let mine = names[medium],
      other.names[medium] == mine
    else { return false }
    return names.all.contains { name in
      name.element != medium && other.names[name.element].map { $0 != name.text } ?? false
    }
  }

  /// The extension id that the sender uses for MID: one that audio has as well, since audio has no layers. If
  /// audio has no names, it is the lowest id, provided that all its video streams have the same value there.
  private var mediumElement: UInt8? {
    let others = path.media.lazy.filter {
      $0.sender == self.sender && $0.role == .media && !$0.names.all.isEmpty
    }
    if let sound = others.first(where: { $0.kind == .audio }) {
      return names.all.first { sound.names[$0.element] != nil }?.element
    }
    guard let lowest = names.all.min(by: { $0.element < $1.element }) else { return nil }
    let isCommon = others.allSatisfy { $0.kind != .video || $0.names[lowest.element] == lowest.text }
    return isCommon ? lowest.element : nil
  }
}

/// An SSRC on a flow that is not yet recognised as a stream: one in four encrypted datagrams looks like RTP.
struct RTPCandidate {
  let ssrc: UInt32
  /// The packets so far, which are replayed when it is recognised.
  var packets: [RTPPacket]
  /// The names in their header extensions.
  var names = StreamNames()

  /// The number of packets required without other evidence.
  static let needed = 4
  /// The maximum number of candidates per direction, and how long one in the older half may be silent before
  /// it is dropped.
  static let most = 16
  static let patienceNs: Int64 = 1_000_000_000
  /// The maximum number of packets kept per candidate.
  private static let maxPackets = 8
  /// The maximum step between the numbers of plausible packets.
  private static let longestStep = 50

  /// When its last packet arrived, ns.
  var lastNs: Int64 { packets.last?.timeNs ?? 0 }

  init(_ packet: RTPPacket) {
    ssrc = packet.ssrc
    packets = [packet]
  }

  /// Takes another packet of the SSRC. An implausible step restarts the count.
  mutating func take(_ packet: RTPPacket) {
    guard let last = packets.last else { return packets.append(packet) }
    let step = Int(Int16(bitPattern: packet.sequence &- last.sequence))
    let later = Int32(bitPattern: packet.timestamp &- last.timestamp)
    // Reordering and duplicates are plausible, large jumps are not. A probe before media has no timestamp of
    // its own.
    let runsBack = step > 0 && later < -(1 << 21) && !last.padded && !packet.padded
    if abs(step) > Self.longestStep || runsBack { packets = [] }
    if packets.count >= Self.maxPackets { packets.removeFirst() }
    packets.append(packet)
  }

  /// Whether there are enough different packets.
  func isConfirmed(needed: Int) -> Bool {
    guard packets.count >= needed, ssrc != 0 || needed == 1 else { return false }
    if needed == 1 { return true }
    return Set(packets.map(\.sequence)).count >= min(needed, 4)
  }
}
