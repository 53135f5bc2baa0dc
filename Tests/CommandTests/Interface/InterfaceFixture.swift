import CSQLite
import Foundation
import SQLite
import Testing

/// A database with the samples, and with what they have none of: captures, quality reports, marks, a refused file.
final class InterfaceFixture: Sendable {
  private let folder: TemporaryFolder
  let database: String

  private static let made = Result { try InterfaceFixture() }

  /// The one that all listings are made from.
  static func shared() throws -> InterfaceFixture { try made.get() }

  private init() throws {
    folder = try TemporaryFolder()
    folder.removeAtExit()
    database = folder.url.appendingPathComponent("calls.sqlite").path
    let imported = try run("import", Tool.root.path + "/samples", "--quiet")
    try #require(imported.status == 0, "\(imported.errors)")
    let others = try Corpus.names.flatMap { try Corpus.files($0) }
    let unattended = Tool.root.path + "/Tests/CommandTests/Unattended"
    let broken = try folder.file("broken.jsonl", "{\"a\": 1}\nbroken{\n")
    let odd = try folder.file("odd.jsonl", Self.oddLog)
    let unread = try folder.file("unread.pcap", Self.unreadCapture)
    let files = others + [unattended, broken, odd, unread]
    try run(["import"] + files + ["--run", "tests", "--turns", "--keep-unknown"])
    try run("accept", "demo")
    let gate = try folder.file("calls.gate", "calls >= 1\n")
    try run("compare", "demo", "tests", "--gate", gate, "--record", "--quiet")
    try run("mark", "bad-call", "--exclude", "rig fault")
    try run("mark", "failed-call", "--known", "T-1")
    try run("mark", "healthy-call", "--verdict", "good", "--why", "heard")
  }

  /// A log with a version of an SDK, a state that cannot follow, and a layer of a shared screen.
  private static let oddLog =
    ["RINGING", "IN_CALL", "RINGING"].enumerated().map { second, status in
      """
      {"ts":\(1_795_226_100_000 + 1000 * second),"call":"odd","endpoint":"caller","sdk":"cisco-rem",\
      "event":"onStatusChanged","args":{"status":"\(status)","sdkVersion":"4.2"}}

      """
    }.joined() + """
      {"ts":1795226103000,"call":"odd","endpoint":"caller","pc":"caller","report":{"OV":{"id":"OV",\
      "type":"outbound-rtp","kind":"video","timestamp":1795226103000,"ssrc":7,"rid":"h",\
      "contentType":"screenshare","packetsSent":60}}}

      """

  /// A capture of a link type that nobody reads (147, for private use), with one frame.
  private static let unreadCapture = Data(
    [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0, 147, 0, 0, 0]
      + [UInt8](repeating: 0, count: 8) + [4, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4])

  static var capture: String {
    Tool.root.path + "/Tests/Cases/judged-call-01/call.pcap.gz"
  }

  /// A file in the folder beside the database.
  func file(_ name: String, _ text: String) throws -> String { try folder.file(name, text) }

  /// A copy of the database in which something is wrong.
  func damaged() throws -> String {
    let copy = path("damaged.sqlite")
    if !FileManager.default.fileExists(atPath: copy) {
      try FileManager.default.copyItem(atPath: database, toPath: copy)
      let connection = try Connection(path: copy, flags: SQLITE_OPEN_READWRITE)
      try connection.execute("UPDATE sources SET samples = samples + 1")
    }
    return copy
  }

  /// A path in the folder beside the database.
  func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

  /// Runs a command on the database.
  @discardableResult
  func run(_ words: String...) throws -> Tool.Result { try run(words) }

  @discardableResult
  func run(_ words: [String]) throws -> Tool.Result {
    try Tool.run(words, in: folder.url, environment: ["CALLQA_DB": database])
  }
}
