import Foundation
import Testing

@Suite("A container's log is read as its lines were printed")
struct ContainerLogTests {
  private static let start = 1_795_226_400_000

  // A poll of many connections is longer than what containers' logs take as one.
  private static let polls = (0..<4).map { second in
    let ms = start + second * 1000
    let reports = (0..<400).map {
      "{\"id\":\"C\($0)\",\"type\":\"codec\",\"timestamp\":\(ms),\"payloadType\":\($0),\"mimeType\":\"audio/öpus\"}"
    }
    return "{\"ts\":\(ms),\"user\":\"Zoë\",\"stats\":[\(reports.joined(separator: ",")),"
      + "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\"timestamp\":\(ms),\"kind\":\"audio\",\"ssrc\":7,"
      + "\"packetsReceived\":\(second * 50),\"bytesReceived\":\(second * 5000)}]}"
  }

  private static func parts(_ line: String, of length: Int) -> [ArraySlice<UInt8>] {
    let bytes = Array(line.utf8)
    return stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min(bytes.count, $0 + length)] }
  }
  private static func json(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      + "\""
  }
  private static func log(
    of length: Int, _ line: (_ part: ArraySlice<UInt8>, _ isLast: Bool) -> String
  ) -> String {
    polls.map { poll in
      let parts = parts(poll, of: length)
      return parts.indices.map { line(parts[$0], $0 == parts.count - 1) + "\n" }.joined()
    }.joined()
  }

  static let logs: [String: String] = [
    "Docker's": log(of: 16 << 10) { part, isLast in
      "{\"log\":\(json(String(decoding: part, as: UTF8.self) + (isLast ? "\n" : ""))),\"stream\":\"stdout\","
        + "\"time\":\"2026-11-21T02:00:00.5Z\"}"
    },
    "the runtime's": log(of: 16 << 10) { part, isLast in
      "2026-11-21T02:00:00.500000000Z stdout \(isLast ? "F" : "P") \(String(decoding: part, as: UTF8.self))"
    },
    "the runtime's, of short parts with others between": log(of: 4001) { part, isLast in
      "2026-11-21T02:00:00.500000000+01:00 stderr F something else\n"
        + "2026-11-21T02:00:00.500000000+01:00 stdout \(isLast ? "F" : "P") \(String(decoding: part, as: UTF8.self))"
    },
    "journald's": log(of: 16 << 10) { part, isLast in
      let text = String(validating: part, as: UTF8.self).map(json)
      return "{\"__REALTIME_TIMESTAMP\":\"1795226400000000\",\"CONTAINER_NAME\":\"app\",\"PRIORITY\":\"6\","
        + (isLast ? "" : "\"CONTAINER_PARTIAL_MESSAGE\":\"true\",")
        + "\"MESSAGE\":\(text ?? "[\(part.map(String.init).joined(separator: ","))]")}"
    },
  ]

  @Test("polls that were cut are whole again", arguments: logs.keys.sorted())
  func whole(name: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("app.log", try #require(Self.logs[name]))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["status"] as? String == "imported", "\(found)")
    #expect(found["samples"] as? Int == 4 && found["rejected"] as? Int == 0, "\(found)")
  }

  @Test("one that lost a part costs no other, and is counted")
  func cutShort() throws {
    let folder = try TemporaryFolder()
    let lines = try #require(Self.logs["the runtime's"]).split(separator: "\n").dropLast()
    let file = try folder.file("app.log", lines.joined(separator: "\n"))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["samples"] as? Int == 3, "\(found)")
    let listed = try Tool.run("sources", "--db", database, "--json").output
    #expect(listed.contains("1 line that a container's log cut into parts"), "\(listed)")
  }

  @Test(
    "a text log whose lines begin with a bracket is one though it holds statistics",
    arguments: ["[INFO] ", "[main] ", "{main} "])
  func bracket(head: String) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "app.log",
      Self.polls.map { "\(head)2026-11-21 02:00:00.360 stats: \($0)\n" }.joined())
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["status"] as? String == "imported" && found["samples"] as? Int == 4, "\(found)")
  }

  @Test("lines that only say where Elasticsearch is to put the next one are no rejects")
  func bulk() throws {
    let folder = try TemporaryFolder()
    let actions = [
      "{\"index\":{\"_index\":\"rtc\",\"_id\":\"1\"}}", "{\"create\":{}}",
      "{ \"index\" : { \"_index\":\"rtc\", \"routing\":\"a\" } }", "{\"delete\":{\"_id\":\"0\"}}",
    ]
    let lines = zip(actions, Self.polls).flatMap { [$0, $1] }
    let file = try folder.file("bulk.ndjson", lines.joined(separator: "\n") + "\n{\"index\":7}\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["samples"] as? Int == 4 && found["rejected"] as? Int == 1, "\(found)")
  }
}
