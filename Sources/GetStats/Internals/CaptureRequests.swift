import Bytes
import CallModel

/// The `getUserMedia` entries of a dump: requests and results, paired by page and number.
struct CaptureRequests {
  private struct Entry {
    var raw: String
    var page: String
    var request: String
    var timeMs: Double?
    var value: EventValue
  }

  private var entries: [Entry] = []
  private var budget = BufferBudget()

  /// Adds an entry: a request, a result, or a failure.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard budget.takes(bytes.count) else { return }
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { return }
    var numbers = ["rid": "", "pid": "", "request_id": ""]
    var word = "getUserMedia"
    var ending = ""
    var timeMs: Double?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "rid", "pid", "request_id":
        numbers[key.string] = String(decoding: try scanner.skip(), as: UTF8.self)
      case "timestamp": timeMs = try ReportTime.read(&scanner)
      case "request_type" where try scanner.peek() == .string: word = try scanner.string().string
      case "stream_id":
        ending = "OnSuccess"
        try scanner.skip()
      case "error", "error_message":
        ending = "OnFailure"
        try scanner.skip()
      default: try scanner.skip()
      }
    }
    entries.append(
      Entry(
        raw: word + ending, page: numbers["rid"] ?? "",
        request: "\(numbers["pid"] ?? "")-\(numbers["request_id"] ?? "")",
        timeMs: timeMs, value: try EventValue(bytes)))
  }

  /// Emits the entries in pairs for the connection of the page that they belong to; without a connection if the dump
  /// has none for the page.
  mutating func give(
    _ connections: [(name: String, connection: PeerConnection)], _ events: ApiEvents, _ sink: any RecordSink
  ) throws {
    var pairs: [String: [Entry]] = [:]
    var order: [String] = []
    for entry in entries {
      let key = "\(entry.page)/\(entry.request)/\(entry.raw.prefix { $0 != "O" })"
      if pairs[key] == nil { order.append(key) }
      pairs[key, default: []].append(entry)
    }
    for pair in order.compactMap({ pairs[$0] }) {
      let page = connections.filter { $0.name.hasPrefix("\(pair[0].page)-") }.map(\.connection)
      let connection = Self.connection(of: pair, among: page)
      for entry in pair { try events.give(entry.raw, entry.value, timeMs: entry.timeMs, of: connection) }
    }
    try budget.finish("requests for camera and microphone", sink)
  }

  /// The connection created soon afterwards; otherwise the latest one before: a further device, or the screen.
  private static func connection(of pair: [Entry], among connections: [PeerConnection]) -> PeerConnection? {
    guard let answeredMs = pair.compactMap(\.timeMs).max() else { return connections.first }
    let known = connections.filter { $0.firstEventMs != nil }
    guard !known.isEmpty else { return connections.first }
    let next = known.filter { began($0) >= answeredMs }.min { began($0) < began($1) }
    if let next, began(next) - answeredMs <= deviceLeadMs { return next }
    return known.filter { began($0) < answeredMs }.max { began($0) < began($1) }
  }

  private static func began(_ connection: PeerConnection) -> Double { connection.firstEventMs ?? .infinity }
}
