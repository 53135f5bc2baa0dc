/// The payload types that the ends of a call have negotiated (RFC 3264), and whether media are encrypted with
/// keys from SDP.
///
/// This is lenient on purpose: a type counts as negotiated if the receiver lists its number, or its codec
/// under any number. Descriptions rewritten by a proxy, and those of several branches and legs, are combined.
public struct AgreedMedia {
  /// The media of one end.
  private struct Side {
    /// The codec by payload type (`opus/48000`); empty if it is not given.
    var codecs: [UInt8: String] = [:]
    /// How the bits of a type are packed, where that has to be agreed.
    var packings: [UInt8: BitPacking] = [:]
    var isProtected = false
    var keys: UInt64 = 0
    var packetTimeMs: Int?
    var longestPacketMs: Int?

    init?(_ description: SDP) {
      var isClear = false
      for section in description.media where section.port != 0 {
        guard section.kind == "audio" || section.kind == "video" else { continue }
        for type in section.types where codecs.count < AgreedMedia.maxTypes || codecs[type] != nil {
          packings[type] = section.formats[type].flatMap { BitPacking($0) }
          codecs[type] = section.formats[type].map { "\($0.name.lowercased())/\($0.clockRate)" } ?? ""
        }
        if section.isClear { isClear = true }
        keys ^= section.keys
        if section.kind == "audio" {
          packetTimeMs = section.packetTimeMs ?? packetTimeMs
          longestPacketMs = section.longestPacketMs ?? longestPacketMs
        }
      }
      guard !codecs.isEmpty else { return nil }
      isProtected = !isClear
    }

    mutating func takeIn(_ other: Side) {
      codecs.merge(other.codecs) { mine, _ in mine }
      packings.merge(other.packings) { mine, _ in mine }
      isProtected = isProtected && other.isProtected
      keys = other.keys
      packetTimeMs = other.packetTimeMs ?? packetTimeMs
      longestPacketMs = other.longestPacketMs ?? longestPacketMs
    }
  }

  /// An offer and its answer.
  private struct Exchange {
    var call: String
    var number: Substring
    var requester: Int
    /// By end; nil if the end has sent no description, or has neither audio nor video.
    var sides: (Side?, Side?) = (nil, nil)
    var spoke = [false, false]

    subscript(end: Int) -> Side? {
      get { end == 0 ? sides.0 : sides.1 }
      set { if end == 0 { sides.0 = newValue } else { sides.1 = newValue } }
    }
    var isAnswered: Bool { spoke == [true, true] }
  }

  private static let maxTypes = 128
  private static let maxExchanges = 32
  /// How long packets in transit, and ends that switch late, may still follow the previous negotiation, ns.
  private static let graceNs: Int64 = 2_000_000_000

  private var inForce: [Exchange] = []
  private var asked: [Exchange] = []
  private var former: [Exchange] = []
  private var changedNs: Int64 = .min
  /// When an end last changed its keys, ns; nil if it never did.
  private var rekeyedNs: (Int64?, Int64?) = (nil, nil)
  /// Incremented with every change; 0 if nothing was ever negotiated.
  public private(set) var version = 0

  public init() {}

  /// Takes a description that an end sent.
  public mutating func take(_ description: SDP, in message: SIPMessage, by end: Int, at timeNs: Int64) {
    if let status = message.status, status >= 300 { return }
    let number = message.sequence.prefix { $0 != " " }
    let requester = message.status == nil ? end : 1 - end
    func isOf(_ exchange: Exchange) -> Bool {
      exchange.number == number && exchange.requester == requester && exchange.call == message.callID
    }
    let side = Side(description)
    if let known = inForce.firstIndex(where: isOf) {
      Self.add(side, of: end, to: &inForce[known])
      version += 1
      return
    }
    var exchange =
      asked.first(where: isOf)
      ?? Exchange(call: message.callID, number: number, requester: requester)
    noteKeys(side, of: end, at: timeNs)
    Self.add(side, of: end, to: &exchange)
    asked.removeAll(where: isOf)
    version += version > 0 ? 1 : 0
    guard exchange.isAnswered else {
      if asked.count >= Self.maxExchanges { asked.removeFirst() }
      return asked.append(exchange)
    }
    former = inForce
    inForce.removeAll { $0.call == message.callID }
    if inForce.count >= Self.maxExchanges { inForce.removeFirst() }
    inForce.append(exchange)
    changedNs = timeNs
    version += 1
  }

  /// Takes a final response. A rejection removes the offer that it answers.
  public mutating func answered(_ message: SIPMessage, by end: Int) {
    guard let status = message.status, status >= 300 else { return }
    let number = message.sequence.prefix { $0 != " " }
    asked.removeAll {
      $0.number == number && $0.requester == 1 - end && $0.call == message.callID && version > 0
    }
  }

  /// Forgets what was negotiated, because a description was not captured completely.
  public mutating func forget() {
    (inForce, asked, former) = ([], [], [])
    version += version > 0 ? 1 : 0
  }

  /// Merges what was negotiated on another leg.
  public mutating func takeIn(_ other: AgreedMedia, isTurned: Bool) {
    func turned(_ exchanges: [Exchange]) -> [Exchange] {
      exchanges.map {
        guard isTurned else { return $0 }
        var exchange = $0
        exchange.sides = ($0.sides.1, $0.sides.0)
        exchange.spoke.reverse()
        exchange.requester = 1 - $0.requester
        return exchange
      }
    }
    inForce = (inForce + turned(other.inForce)).suffix(Self.maxExchanges)
    asked = (asked + turned(other.asked)).suffix(Self.maxExchanges)
    changedNs = max(changedNs, other.changedNs)
    version += other.version
  }

  /// Whether an end may send a payload type; nil if nothing was negotiated, or no audio or video.
  public func allows(_ type: UInt8, from sender: Int) -> Bool? {
    Self.allows(type, from: sender, by: inForce, asked)
  }

  /// Whether a packet at the given time may still follow the previous negotiation, shortly after a change.
  public func isLate(_ type: UInt8, from sender: Int, at timeNs: Int64) -> Bool {
    guard timeNs &- changedNs <= Self.graceNs else { return false }
    return former.isEmpty || Self.allows(type, from: sender, by: former, []) != false
  }

  /// The payload types that an end may be sent, as listed in its own description.
  public func named(by end: Int) -> [UInt8] {
    Set(inForce.flatMap { $0[end].map { Array($0.codecs.keys) } ?? [] }).sorted()
  }

  /// The preferred and maximum packet length requested last by an end, ms; nil if it gave none.
  public func packetTime(askedBy end: Int) -> (usualMs: Int?, longestMs: Int?) {
    let said = inForce.compactMap { $0[end] }
    return (said.last?.packetTimeMs, said.last?.longestPacketMs)
  }

  /// How the bits of a payload type are packed according to its sender and to its receiver, if they do not agree.
  public func packings(of type: UInt8, from sender: Int) -> (sent: BitPacking, expected: BitPacking)? {
    // Of several legs, each has its own.
    guard inForce.count == 1, let exchange = inForce.first, let own = exchange[sender],
      let other = exchange[1 - sender]
    else { return nil }
    guard
      let sent = own.packings[type]
        ?? other.packings[type].flatMap({ expected in
          own.packings.values.first { $0.codec == expected.codec }
        })
    else { return nil }
    let offered = other.packings.values.filter { $0.codec == sent.codec }
    guard let expected = other.packings[type] ?? offered.first, expected.codec == sent.codec,
      !offered.contains(sent)
    else { return nil }
    return (sent, expected)
  }

  /// Whether both ends exchanged keys in SDP.
  public var isProtected: Bool {
    !inForce.isEmpty && inForce.allSatisfy { $0[0]?.isProtected == true && $0[1]?.isProtected == true }
  }

  /// Whether an end changed its keys within the given time.
  public func isRekeyed(_ end: Int, at timeNs: Int64, within lengthNs: Int64) -> Bool {
    (end == 0 ? rekeyedNs.0 : rekeyedNs.1).map { (timeNs &- $0).magnitude <= lengthNs } ?? false
  }

  private mutating func noteKeys(_ side: Side?, of end: Int, at timeNs: Int64) {
    guard let side, side.keys != 0 else { return }
    let known = (inForce + asked).compactMap { $0[end]?.keys }.filter { $0 != 0 }
    guard !known.isEmpty, !known.contains(side.keys) else { return }
    if end == 0 { rekeyedNs.0 = timeNs } else { rekeyedNs.1 = timeNs }
  }

  private static func add(_ side: Side?, of end: Int, to exchange: inout Exchange) {
    exchange.spoke[end] = true
    guard let side else { return }
    if exchange[end] == nil { exchange[end] = side } else { exchange[end]?.takeIn(side) }
  }

  private static func allows(
    _ type: UInt8, from sender: Int, by inForce: [Exchange], _ asked: [Exchange]
  ) -> Bool? {
    let receivers = inForce.compactMap { $0[1 - sender] }
    guard !receivers.isEmpty, inForce.contains(where: { $0[sender] != nil }) else { return nil }
    let all = inForce + asked
    if all.contains(where: { $0[1 - sender]?.codecs[type] != nil }) { return true }
    let meant = Set(all.compactMap { $0[sender]?.codecs[type] })
    if meant.contains("") { return true }
    return all.contains { exchange in
      exchange[1 - sender]?.codecs.values.contains(where: meant.contains) ?? false
    }
  }
}
