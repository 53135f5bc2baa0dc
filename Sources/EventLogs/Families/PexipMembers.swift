import Bytes
import CallModel
import LogText

/// The members of a Pexip event's data that are needed here, read without keeping the rest.
struct PexipMembers {
  /// The state of a participant, one flag per member.
  enum Flag: String, CaseIterable {
    case dropout = "is_main_video_dropped_out"
    case silent = "is_video_silent"
    case muted = "is_muted"
    case clientMuted = "is_client_muted"
    case videoMuted = "is_video_muted"
    case presenting = "is_presenting"
    case hasMedia = "has_media"

    /// Whether the flag reports a problem. The server sends such a member only while the problem lasts.
    var isProblem: Bool { self == .dropout || self == .silent }
  }

  var uuid: String?
  /// This end's own id, as returned with its token.
  var ownUUID: String?
  var name: String?
  var uri: String?
  var callUUID: String?
  /// `out` for a participant that the server dialled.
  var callDirection: String?
  /// `gateway`, `conference`, or `connecting` for a participant who has been dialled and has not answered.
  var serviceType: String?
  var reason: String?
  var startTime: Double?
  var onHold: Bool?
  /// Whether an offer is only for a presentation.
  var isForPresentation = false
  var flags: [Flag: Bool] = [:]

  /// Leaves everything unknown if the data are not an object.
  init(_ data: [UInt8]?) {
    guard let data, data.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else { return }
    data.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      try? read(&scanner)
    }
  }

  /// Reads the members of an event that was logged in another way: as its arguments, or as an object or a
  /// string in `data`.
  init(_ arguments: LogArguments) {
    let data = arguments.json("data")
    let text = data.flatMap { $0.utf8.first == UInt8(ascii: "\"") ? LogArguments.plain($0) : $0 }
    self.init(Array((text ?? arguments.object).utf8))
    // From the answer to an offer.
    callUUID = callUUID ?? arguments.text("result.call_uuid")
    // From the answer to the request for a token.
    ownUUID = arguments.text("result.participant_uuid")
    serviceType = serviceType ?? arguments.text("result.service_type")
  }

  /// The participant that the event is about. A participant's uuid is the one that its client received with
  /// its token.
  var identities: [Identity] {
    [name, uri].compactMap { $0 }.map { Identity(.person, $0) }
      + [uuid, callUUID].compactMap { $0 }.map { Identity(.session, $0) }
  }

  private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "uuid": uuid = try text(&scanner)
      case "display_name": name = try text(&scanner)
      case "uri": uri = try text(&scanner)
      case "call_uuid": callUUID = try text(&scanner)
      case "call_direction": callDirection = try text(&scanner)
      case "service_type": serviceType = try text(&scanner)
      case "reason": reason = try text(&scanner)
      case "present": isForPresentation = try text(&scanner).map { !$0.isEmpty } ?? false
      case "start_time": startTime = try number(&scanner)
      case "on_hold", "setting": onHold = try flag(&scanner)
      default:
        if let flag = Flag(rawValue: key.string) {
          flags[flag] = try self.flag(&scanner)
        } else {
          try scanner.skip()
        }
      }
    }
  }

  private func text(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
    if try scanner.peek() == .string { return try scanner.string().string }
    try scanner.skip()
    return nil
  }

  private func number(_ scanner: inout JSONScanner) throws(JSONError) -> Double? {
    if try scanner.peek() == .number { return try scanner.number() }
    try scanner.skip()
    return nil
  }

  // Accepts true, false, "YES" and "NO".
  private func flag(_ scanner: inout JSONScanner) throws(JSONError) -> Bool? {
    switch try scanner.peek() {
    case .bool: return try scanner.bool()
    case .string:
      let text = try scanner.string()
      return text == "YES" ? true : text == "NO" ? false : nil
    default:
      try scanner.skip()
      return nil
    }
  }
}
