import Testing

@Suite("Reports that came too seldom are reported")
struct SparseReportTests {
  private static func log(_ seconds: [Int]) -> String {
    seconds.map { second in
      let ms = 1_795_226_400_000 + second * 1000
      return
        "{\"ts\":\(ms),\"user\":\"ann\",\"stats\":[{\"id\":\"I1\",\"type\":\"inbound-rtp\",\"timestamp\":\(ms),"
        + "\"kind\":\"audio\",\"ssrc\":7,\"packetsReceived\":\(second * 50),\"packetsLost\":\(second * 2),"
        + "\"bytesReceived\":\(second * 5000),\"jitter\":0.03}]}\n"
    }.joined()
  }

  // Without its line breaks.
  private func shown(_ file: String) throws -> String {
    try Tool.run("show", file).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test(
    "where they did in a part of the call, that part is reported; what nobody counted is reported as an estimate"
  )
  func inPart() throws {
    let folder = try TemporaryFolder()
    let dense = try folder.file("dense.jsonl", Self.log(Array(0...300)))
    let throttled = try folder.file(
      "throttled.jsonl", Self.log(Array(0...60) + [120, 180, 240] + Array(241...300)))
    let one = try shown(dense)
    #expect(!one.contains("apart"), "\(one)")
    #expect(one.contains("an estimated"), "\(one)")
    #expect(one.contains("the source does not count it; it is estimated from loss and jitter"), "\(one)")
    let other = try shown(throttled)
    #expect(
      other.contains("from one report to the next for 3 min in all: there they came 60 s apart"), "\(other)")
    #expect(other.contains("the same where reports came 60 s apart"), "\(other)")
  }
}
