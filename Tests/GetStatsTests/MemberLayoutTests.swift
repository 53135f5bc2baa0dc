import Bytes
import CallModel
import Testing

@testable import GetStats

@Suite("A report is read the same whether or not its names come as they did before")
struct MemberLayoutTests {
  /// Members of an inbound report in every order and selection that an alternating source could write.
  private static let members = [
    #""packetsReceived":50"#, #""packetsLost":-2"#, #""jitter":0.0125"#, #""mystery":[1,{"a":2}]"#,
    #""concealedSamples":480"#, #""nackCount":-1"#, #""kind":"audio""#, #""totalSamplesReceived":96000"#,
  ]

  private func line(_ second: Int, _ members: [String], comma: String = ",") -> String {
    let report =
      ([#""type":"inbound-rtp""#, #""ssrc":7"#, "\"timestamp\":\(1_700_000_000_000 + second * 1000)"]
      + members)
      .joined(separator: comma)
    return "{\"ts\":\(1_700_000_000_000 + second * 1000),\"pc\":\"p\",\"report\":{\"IT01A1\":{\(report)}}}"
  }

  private func read(_ lines: [String], by reader: inout SnapshotLineReader) throws {
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)
      try bytes.withUnsafeBufferPointer { _ = try reader.line($0, number: index + 1, offset: 0) }
    }
  }

  @Test("in any order, with any of them missing, with blanks or without")
  func orders() throws {
    var generator = SystemRandomNumberGenerator()
    let lines = (0..<300).map { second in
      let chosen = Self.members.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
      return line(
        second, second % 3 == 0 ? chosen.shuffled(using: &generator) : chosen,
        comma: second % 7 == 0 ? " ,\n " : ",")
    }
    let known = RecordingSink()
    var knowing = SnapshotLineReader(sink: known)
    try read(lines, by: &knowing)
    let samples = try #require(known.streams.values.first).samples
    #expect(samples.count == lines.count)
    for (line, sample) in zip(lines, samples) {
      let alone = RecordingSink()
      var reader = SnapshotLineReader(sink: alone)
      try read([line], by: &reader)
      let expected = try #require(alone.streams.values.first?.samples.first)
      for metric in Metric.allCases { #expect(sample[metric] == expected[metric], "\(metric) of \(line)") }
    }
    #expect(known.notes["unknown member kept: inbound-rtp.mystery"] == 1)
    #expect(known.notes["below zero, taken as unknown: inbound-rtp.nackCount"] != nil)
  }

  @Test("what is kept without a column keeps its name")
  func extras() throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    try read((0..<3).map { line($0, Self.members) }, by: &reader)
    #expect(sink.streams.values.first?.extras == Array(repeating: #"{"mystery":[1,{"a":2}]}"#, count: 3))
  }

  @Test(
    "a known name in a wrong place is no JSON",
    arguments: [
      #"{"report":{"IT01A1":{,"type":"inbound-rtp"}},"ts":1,"pc":"p"}"#,
      #"{"ts":1,"pc":"p","report":{"IT01A1":{,"ssrc":7}}}"#,
      #"{"ts":1,"pc":"p","report":{"IT01A1":{"type":"inbound-rtp""ssrc":7}}}"#,
      #"{"ts":1,"pc":"p","report":{"IT01A1":{"type":"inbound-rtp","ssrc":"#,
      #"{"ts":1,"pc":"p","report":{"IT01A1":{"type":"inbound-rtp","ssrc"#,
    ])
  func wrongPlace(text: String) throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    try read((0..<3).map { line($0, Self.members) }, by: &reader)
    #expect(throws: SourceError.self) { try read([text], by: &reader) }
    try read([line(5, Self.members)], by: &reader)
    #expect(sink.streams.values.first?.samples.count == 4)
  }

  @Test("reports of more names than are remembered, and of longer ones")
  func many() throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    let odd = (0..<400).map { "\"member\($0)\":\($0)" } + ["\"\(String(repeating: "x", count: 5000))\":1"]
    try read((0..<3).map { line($0, odd + Self.members) }, by: &reader)
    #expect(sink.streams.values.first?.series(.concealedSamples) == [480, 480, 480])
    #expect(sink.notes["unknown member kept: inbound-rtp.member399"] == 1)
  }
}
