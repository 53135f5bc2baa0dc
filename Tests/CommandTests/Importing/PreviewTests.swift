import Foundation
import Testing

@Suite("Devices that a page asked for before the call")
struct PreviewTests {
  @Test(
    "begin no call: a preview in the lobby is left out, what was asked right before the call is its capture")
  func lobby() throws {
    let start = 1_700_000_000_000
    func asked(_ number: Int, _ timeMs: Int) -> String {
      #"{"pid":7,"rid":9,"request_id":\#(number),"request_type":"getUserMedia","timestamp":\#(timeMs),"audio":""},"#
        + #"{"pid":7,"rid":9,"request_id":\#(number),"request_type":"getUserMedia","timestamp":\#(timeMs + 200),"stream_id":"s"}"#
    }
    func event(_ type: String, _ afterMs: Int, _ value: String = "") -> String {
      #"{"type":"\#(type)","value":"\#(value)","timestamp":"\#(start + afterMs)"}"#
    }
    let log = [
      event("createOffer", 0), event("setLocalDescription", 20), event("setRemoteDescription", 100),
      event("iceconnectionstatechange", 200, "connected"), event("connectionstatechange", 300, "connected"),
    ]
    let folder = try TemporaryFolder()
    let dump = try folder.file(
      "dump.json",
      """
      {"getUserMedia":[\(asked(0, start - 900_000)),\(asked(1, start - 500))],
      "PeerConnections":{"9-1":{"pid":7,"updateLog":[\(log.joined(separator: ","))],"stats":{}}},"UserAgent":"x"}
      """)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run("import", dump, "--db", database).status == 0)
    let call = try Tool.run("calls", "--db", database, "--json").objects().first
    #expect(call?["started_ms"] as? Double == Double(start - 500))
    let setup = try Tool.run("setup", "--db", database, "--json").output
    #expect(setup.contains(#""phase":"capture","state":"measured""#), "\(setup)")
    let capture = try Tool.run(
      "query", "SELECT start_ms, duration_ms FROM phases WHERE phase = 'capture'", "--db", database,
      "--format", "tsv")
    #expect(capture.lines.last == "\(start - 500)\t200", "\(capture.output)")
  }

  @Test("of a tab that made no connection are no call beside those of the other tabs")
  func otherTab() throws {
    let start = 1_700_000_000_000
    func asked(_ page: Int, _ timeMs: Int) -> String {
      #"{"pid":\#(page),"rid":\#(page),"request_id":0,"request_type":"getUserMedia","timestamp":\#(timeMs),"audio":""}"#
    }
    func connection(_ page: Int, _ timeMs: Int) -> String {
      #""\#(page)-1":{"pid":\#(page),"updateLog":[{"type":"createOffer","value":"","timestamp":"\#(timeMs)"}],"stats":{}}"#
    }
    let folder = try TemporaryFolder()
    let dump = try folder.file(
      "dump.json",
      """
      {"getUserMedia":[\(asked(9, start)),\(asked(77, start - 9_000_000))],
      "PeerConnections":{\(connection(9, start + 500)),\(connection(19, start + 900_000))},"UserAgent":"x"}
      """)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run("import", dump, "--db", database).status == 0)
    #expect(try Tool.run("calls", "--db", database, "--json").objects().count == 2)
    #expect(try Tool.run("check", "--db", database).status == 0)
  }
}
