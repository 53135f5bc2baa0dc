import CallModel
import Testing

@Suite("A 0 without decoding is unknown, a 0 of a failing decoder is 0")
struct UnmeasuredTests {
  private func stream(_ members: String, framesAt: [Int]) throws -> RecordingSink.Stream {
    let lines = framesAt.enumerated().map { second, frames in
      """
      [{"id":"I","timestamp":\(1_795_400_000_000 + second * 1000),"type":"inbound-rtp","kind":"video","ssrc":7,\
      "packetsReceived":\(80 * second),"framesDecoded":0,"keyFramesDecoded":0,"framesReceived":\(frames),"frameWidth":0,\
      "pliCount":\(second)\(members)}]
      """
    }
    let sink = try readSource(lines.joined(separator: "\n"), as: .getstatsLines)
    #expect(sink.notes.isEmpty == members.isEmpty)
    return try #require(sink.streams.values.first)
  }

  @Test("pion's unmeasured figures are ignored until it measures them")
  func pion() throws {
    let empty = ",\"remoteId\":\"\",\"decoderImplementation\":\"\""
    let never = try stream(empty, framesAt: [0, 0, 0])
    #expect(never.series(.frames) == [nil, nil, nil] && never.last(.width) == nil)
    #expect(never.series(.packets) == [0, 80, 160] && never.last(.pli) == 2)
    let later = try stream(empty, framesAt: [0, 0, 25])
    #expect(later.series(.framesReceived) == [nil, nil, 25] && later.series(.frames) == [nil, nil, 0])
  }

  @Test("a browser's decoder that decodes nothing has decoded nothing")
  func browser() throws {
    #expect(try stream("", framesAt: [0, 25, 50]).series(.frames) == [0, 0, 0])
    #expect(try stream("", framesAt: [0, 0, 0]).series(.frames) == [0, 0, 0])
  }
}
