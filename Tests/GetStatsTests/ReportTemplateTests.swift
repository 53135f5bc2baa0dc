import CallModel
import Testing

@testable import GetStats

@Suite("A report is read the same with and without its template")
struct ReportTemplateTests {
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
    var generator = SplitMix64(seed: 1)
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

  /// What each line says of its stream when it is read by a reader that read no other.
  private func alone(_ line: String) throws -> RecordingSink.Stream {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    try read([line], by: &reader)
    return try #require(sink.streams.values.first)
  }

  @Test("values that hold still for a while, and change now and then", arguments: 0..<8)
  func steady(round: Int) throws {
    var generator = SplitMix64(seed: UInt64(round))
    var values = [
      "packetsReceived": "1", "packetsLost": "0", "jitter": "0.01", "nackCount": "0", "kind": "\"audio\"",
      "mid": "\"0\"", "pliCount": "7", "firCount": "-3", "mystery": "1", "totalSamplesReceived": "96000",
      "bytesReceived": "12", "payloadType": "111", "decoderImplementation": "\"a\"", "codecId": "\"none\"",
    ]
    let others = ["0", "1", "12", "123", "1234.5", "-2", "null", "1e3", "9007199254740993"]
    let names = values.keys.sorted()
    let lines = (0..<200).map { second in
      if Int.random(in: 0..<3, using: &generator) == 0, let name = names.randomElement(using: &generator) {
        values[name] =
          values[name]?.hasPrefix("\"") == true && name != "kind"
          ? "\"\(Int.random(in: 0..<12, using: &generator))\""
          : name == "kind" ? "\"audio\"" : others.randomElement(using: &generator)
      }
      return line(second, names.map { "\"\($0)\":\(values[$0] ?? "0")" })
    }
    let known = RecordingSink()
    var knowing = SnapshotLineReader(sink: known)
    var second = 0
    for line in lines {
      try read([line], by: &knowing)
      let stream = try #require(known.streams.values.first)
      let expected = try alone(line)
      for metric in Metric.allCases {
        #expect(stream.samples[second][metric] == expected.samples[0][metric], "\(metric) of \(line)")
      }
      #expect(stream.facts.mid == expected.facts.mid)
      #expect(stream.facts.implementation == expected.facts.implementation)
      #expect(stream.extras[second] == expected.extras[0])
      second += 1
    }
  }

  @Test("of two members that say the same thing the last one holds, whichever of them changes")
  func twice() throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    let lines = (0..<60).map { second in
      line(
        second,
        [
          "\"packetsReceived\":\(second)", #""packetsReceived":5"#, #""nackCount":3"#,
          "\"nackCount\":\(second)",
        ])
    }
    try read(lines, by: &reader)
    let stream = try #require(sink.streams.values.first)
    #expect(stream.series(.packets) == Array(repeating: 5, count: 60))
    #expect(stream.series(.nack) == (0..<60).map(Double.init))
  }

  @Test("a number that only begins as the one before it is another one")
  func longerNumbers() throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    let counts = [1, 1, 1, 12, 12, 1, 1, 10, 100, 100, 1000, 1]
    try read(counts.enumerated().map { line($0, ["\"pliCount\":\($1)"]) }, by: &reader)
    #expect(sink.streams.values.first?.series(.pli) == counts.map(Double.init))
  }

  @Test("reports that are written alike, and share a place for how they are, each say it for themselves")
  func sharedPlace() throws {
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    for second in 0..<4 {
      let time = 1_700_000_000_000 + second * 1000
      let report =
        "{\"type\":\"inbound-rtp\",\"timestamp\":\(time),\"kind\":\"audio\",\"mid\":\"m\",\"packetsReceived\":9}"
      let reports = (0..<600).map { "\"IT\($0)\":\(report)" }.joined(separator: ",")
      try read(["{\"ts\":\(time),\"pc\":\"p\",\"report\":{\(reports)}}"], by: &reader)
    }
    #expect(sink.streams.count == 600)
    for stream in sink.streams.values {
      #expect(stream.facts.mid == "m")
      #expect(stream.series(.packets) == Array(repeating: 9, count: 4))
    }
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
