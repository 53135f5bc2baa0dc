import CSQLite
import CallModel
import Glibc
import SQLite

@testable import CallStore

/// A folder of a test's own, gone with it.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/callqa-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("no temporary folder") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}

struct TestFailure: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension Store {
  static func inMemory() throws -> Store { try Store(path: "test", access: .memory) }

  /// One figure.
  func value(_ sql: String) throws -> Cell { try query(sql).rows.first?.first ?? .null }

  func count(_ table: String) throws -> Int64 { try value("SELECT count(*) FROM \(table)").integer ?? -1 }
}

extension SourceHeader {
  static func named(_ name: String) -> SourceHeader {
    SourceHeader(path: name, sha256: "sha-of-\(name)", format: .getstatsLines, importedMs: 1_795_400_000_000)
  }
}

extension Sample {
  init(_ timeMs: Double, _ values: [Metric: Double]) {
    self.init(timeMs: timeMs)
    for (metric, value) in values { self[metric] = value }
  }
}

/// An inbound audio stream.
func audio(ssrc: UInt32 = 7) -> StreamFacts {
  var facts = StreamFacts()
  facts.direction = .inbound
  facts.kind = .audio
  facts.ssrc = ssrc
  facts.codec = "opus"
  return facts
}

/// One end of a call, named.
func end(_ name: String, _ identities: Identity...) -> ConnectionFacts {
  var facts = ConnectionFacts()
  facts.name = name
  facts.identities = Set(identities)
  return facts
}

/// One small source: an end, a stream, three samples, an event.
func writeSmallSource(_ writer: SourceWriter) throws -> SourceStatus {
  try writer.connection(0, end("caller", Identity(.ufragLocal, "abcd")))
  try writer.stream(0, of: 0, audio())
  for second in 0..<3 {
    let sample = Sample(Double(second) * 1000, [.packets: Double(second * 50), .lost: 0])
    try writer.sample(sample, of: 0, extra: nil)
  }
  try writer.event(EventRecord(timeMs: 500, event: .iceConnected, raw: "iceconnectionstatechange"), of: 0)
  return .imported
}

extension Store {
  /// The key of the one call there is, and of its one end.
  func onlyCall() throws -> (call: Int64, endpoint: Int64) {
    let rows = try query("SELECT call_key, endpoint_key FROM endpoints").rows
    guard rows.count == 1, let call = rows[0][0].integer, let endpoint = rows[0][1].integer else {
      throw TestFailure("\(rows.count) ends")
    }
    return (call, endpoint)
  }

  /// A call of no source.
  func insertCall(id: String) throws -> Int64 {
    try connection.run("INSERT INTO calls (call_id) VALUES (?)", id)
    return connection.lastInsertedKey
  }

  /// A call of one end, judged, from the small source.
  func grouped() throws -> Int64 {
    try write(.named("a"), writeSmallSource)
    let (call, endpoint) = try onlyCall()
    var window = Window(index: 0, startMs: 0, endMs: 5000, state: .active)
    window.score = 90
    window.pointsLost = [
      .loss: 10, .jitter: 0, .delay: 0, .freeze: 0, .framerate: 0, .resolution: 0, .bitrate: 0,
    ]
    try replaceWindows([(.stats, [window])], ofEndpoint: endpoint, model: "m", judging: .stats)
    var phase = Phase(.ice, .measured)
    phase.startMs = 1_795_226_145_199.25
    phase.durationMs = 12
    try replaceSetupAttempts(
      [
        SetupAttempt(
          attempt: 1, direction: .outgoing, outcome: .completed, phases: [Phase(.dtls, .unknown), phase])
      ],
      ofEndpoint: endpoint)
    try replaceFindings(
      [Finding(.micSilent, .warning, evidence: Evidence(), text: "Nobody spoke.")], ofCall: call,
      endpoint: endpoint)
    var summary = CallSummary(outcome: .completed)
    summary.model = "m"
    summary.scoreMean = 90
    try updateCall(call, summary)
    return call
  }
}

extension Store {
  /// Writes a store in memory to a file, with all views, as one that was made there.
  func save(to path: String) throws {
    _ = try schema()
    try connection.run("VACUUM INTO ?", path)
    let file = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
    try file.execute(
      "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(Migration.current)")
  }
}

/// A view of a connection; keys follow the order of the test.
func view(
  _ key: Int64, _ name: String? = nil, path: String = "/x/a.jsonl", source: Int64? = nil, first: Double = 0,
  last: Double = 60_000, _ identities: [IdentityKind: Set<String>] = [:]
) -> ConnectionView {
  ConnectionView(
    key: key, source: source ?? key, sha256: "sha\(source ?? key)", path: path, name: name, firstMs: first,
    lastMs: last, identities: identities)
}
