import Bytes
import CallModel
import EventLogs
import Foundation
import Redaction
import SharedRecordings
import Testing

private let streams = SharedRecordings.folder("sse")

@Suite(
  "Recorded event streams",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct RecordedStreamTests {
  struct Expected: Decodable {
    struct Event: Decodable {
      var event: String
      var data: String?
      var dispatched: Bool
      var id: String?
    }
    var secrets_that_must_not_appear_in_an_export: [String]
    var events: [Event]
  }

  @Test(
    "names, order, ids and data as expected, no secret, the log's own times",
    arguments: [
      ("1-plain.sse", "1-plain"), ("1-plain-ts-iso.log", "1-plain"),
      ("2-crlf-bom-multiline.sse", "2-crlf-bom-multiline"),
      ("2-crlf-bom-multiline-ts-epoch.log", "2-crlf-bom-multiline"),
    ])
  func asExpected(file: String, base: String) throws {
    let expected = try JSONDecoder().decode(
      Expected.self, from: Data(contentsOf: streams.appending(path: base + ".expected.json")))
    let text = try Data(contentsOf: streams.appending(path: file))
    let sink = Collector()
    try EventLogReader.read(
      .sse, from: MemoryBytes(Array(text), piece: 77), into: sink, options: ReaderOptions(fileName: file))
    let redactor = Redactor()
    #expect(sink.records.map(\.raw) == expected.events.map(\.event))
    #expect(sink.records.map { $0.argument("id") } == expected.events.map(\.id))
    #expect(sink.records.map { $0.argument("dispatched") == "true" } == expected.events.map(\.dispatched))
    for (record, event) in zip(sink.records, expected.events) {
      let args = try #require(
        try JSONSerialization.jsonObject(with: Data(record.args.utf8)) as? [String: Any])
      #expect(args["data"] as? String == event.data.map { redactor.text($0) }, "\(event.event)")
    }
    let everything =
      sink.records.map(\.args).joined() + sink.notes.joined() + sink.rejects.compactMap(\.excerpt).joined()
    for secret in expected.secrets_that_must_not_appear_in_an_export { #expect(!everything.contains(secret)) }
    #expect(sink.rejects.isEmpty)
    let isStamped = file.hasSuffix(".log")
    #expect(sink.records.allSatisfy { ($0.timeMs != nil) == isStamped })
    if file.contains("iso") { #expect(sink.records.first?.timeMs == 1_795_226_117_337) }
    let format = try Array(text.prefix(65536)).withUnsafeBufferPointer {
      try EventLogReader.recognise($0, name: file)
    }
    #expect(format == .sse)
  }
}
