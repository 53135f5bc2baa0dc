import Bytes
import CallModel

/// The `getUserMedia` entries of a dump: what pages asked for and what they got, paired by page and number.
struct CaptureRequests {
  private struct Entry {
    var raw: String
    var page: String
    var request: String
    var timeMs: Double?
    var value: EventValue
  }

  /// Entries that are kept, and how many came beyond.
  static let most = 10_000
  private(set) var leftOut = 0
  private var entries: [Entry] = []

  /// Takes one entry: a request, a result, or a failure.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard entries.count < Self.most else { return leftOut += 1 }
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

  /// Gives the entries, each pair together, to the first connection of the page that asked; to none where it made none.
  func give(_ connections: [(name: String, connection: PeerConnection)], _ events: ApiEvents) throws {
    var pairs: [String: [Entry]] = [:]
    var order: [String] = []
    for entry in entries {
      let key = "\(entry.page)/\(entry.request)/\(entry.raw.prefix { $0 != "O" })"
      if pairs[key] == nil { order.append(key) }
      pairs[key, default: []].append(entry)
    }
    for entry in order.flatMap({ pairs[$0] ?? [] }) {
      let first = connections.first { $0.name.hasPrefix("\(entry.page)-") }
      try events.give(entry.raw, entry.value, timeMs: entry.timeMs, of: first?.connection)
    }
  }
}
