import CallModel

/// The lines of a log in the order in which callqa-collect wrote them (docs/collect.md): the first line of each of its
/// chunks names the page load and the chunk's number, `{"chunk":"LOAD.N",…`, which stay the same when it is sent again.
///
/// Lines of a chunk that were there before are left out. A chunk that overtook others, as the last ones of a page do,
/// waits for them: to the end of the log, or until too much waits. Other lines pass as they are.
struct CollectedChunks {
  typealias Give = (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void

  private struct Line {
    var bytes: [UInt8]
    var line: Int
    var offset: Int
  }

  private struct Load {
    /// The number of the next chunk.
    var due = 0
    /// How many lines of each chunk were read.
    var read: [Int: Int] = [:]
    var waiting: [Int: [Line]] = [:]
  }

  /// The chunk being read, and how many of its lines this copy has had.
  private struct Open {
    var load: [UInt8]
    var number: Int
    var lines = 0
    /// How many lines earlier copies had.
    var known: Int
    var waits: Bool
  }

  /// The most bytes that wait, and the most page loads and chunks whose repeats are recognised.
  private static let mostWaiting = 8 << 20
  private static let mostLoads = 10_000
  private static let mostChunks = 1 << 20

  private var loads: [[UInt8]: Load] = [:]
  private var order: [[UInt8]] = []
  private var open: Open?
  private var chunks = 0
  private var waiting = 0
  private var repeated = 0

  /// The note about lines that were left out; nil if there are none.
  var note: String? {
    repeated == 0
      ? nil : "\(Plural.of(repeated, "line was", "lines were")) sent again by the collector, and left out"
  }

  /// Passes on a line, now or later, unless it is a repeat.
  mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, line: Int, offset: Int, _ give: Give
  ) throws {
    if let name = Self.name(bytes) { try begin(name, give) }
    guard var chunk = open else { return try give(bytes, line, offset) }
    chunk.lines += 1
    open = chunk
    if chunk.lines <= chunk.known {
      repeated += 1
    } else if chunk.waits {
      loads[chunk.load]?.waiting[chunk.number, default: []].append(
        Line(bytes: Array(bytes), line: line, offset: offset))
      waiting += bytes.count
      if waiting > Self.mostWaiting { try letGo(give) }
    } else {
      try give(bytes, line, offset)
    }
  }

  /// Passes on what waits. Call it once, after the last line.
  mutating func finish(_ give: Give) throws {
    try close(give)
    try letGo(give)
  }

  private mutating func begin(_ name: (load: [UInt8], number: Int), _ give: Give) throws {
    try close(give)
    if loads[name.load] == nil {
      guard order.count < Self.mostLoads else { return }
      order.append(name.load)
      loads[name.load] = Load()
    }
    guard chunks < Self.mostChunks, let load = loads[name.load] else { return }
    chunks += 1
    open = Open(
      load: name.load, number: name.number, known: load.read[name.number] ?? 0,
      waits: name.number > load.due)
  }

  private mutating func close(_ give: Give) throws {
    guard let chunk = open, var load = loads[chunk.load] else { return }
    open = nil
    load.read[chunk.number] = max(chunk.known, chunk.lines)
    if chunk.number == load.due {
      load.due += 1
      while let lines = load.waiting.removeValue(forKey: load.due) {
        try pass(lines, give)
        load.due += 1
      }
    }
    loads[chunk.load] = load
  }

  /// Passes on everything that waits: what is missing before it does not come any more.
  private mutating func letGo(_ give: Give) throws {
    for name in order {
      guard var load = loads[name], let last = load.waiting.keys.max() else { continue }
      for (_, lines) in load.waiting.sorted(by: { $0.key < $1.key }) { try pass(lines, give) }
      load.waiting = [:]
      load.due = last + 1
      loads[name] = load
    }
    open?.waits = false
  }

  private mutating func pass(_ lines: [Line], _ give: Give) throws {
    for line in lines {
      waiting -= line.bytes.count
      try line.bytes.withUnsafeBufferPointer { try give($0, line.line, line.offset) }
    }
  }

  /// What a line that begins a chunk begins with.
  private static let mark = Array(#"{"chunk":""#.utf8)

  /// The load and the number in a line that begins a chunk.
  private static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> (load: [UInt8], number: Int)? {
    guard bytes.count > mark.count, bytes[mark.count - 1] == mark[mark.count - 1], bytes.starts(with: mark),
      let end = bytes.prefix(80)[mark.count...].firstIndex(of: UInt8(ascii: "\"")),
      let dot = bytes[mark.count..<end].lastIndex(of: UInt8(ascii: ".")), end - dot <= 10,
      let number = Int(String(decoding: bytes[(dot + 1)..<end], as: UTF8.self)), number >= 0
    else { return nil }
    return (Array(bytes[mark.count..<dot]), number)
  }
}
