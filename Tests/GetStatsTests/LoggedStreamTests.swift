import Bytes
import Testing

@testable import GetStats

@Suite("Statistics of streams in libwebrtc's own log")
struct LoggedStreamTests {
  private func reports(_ line: String, at timeMs: Double? = nil) -> [String]? {
    var streams = LoggedStreams()
    return Array(line.utf8).withUnsafeBufferPointer { bytes in
      streams.reports(in: bytes, timeMs: { timeMs })?.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test("received streams have getStats names, and other members are kept")
  func received() {
    let line =
      "VideoReceiveStreamInterface stats: 1000, {ssrc: 7, total_bps: 5, frameWidth: 640, frameHeight: 360, key: 2, delta: 58, framesDecoded: 59, framesDropped: 1, decode_fps: 29, jitterBufferDelay: 1.5, sync_offset_ms: 2147483647, cum_loss: -1, nackCount: 3}"
    #expect(
      reports(line) == [
        #"{"id":"VideoReceiveStream_7","type":"inbound-rtp","kind":"video","timestamp":1000,"ssrc":7,"framesReceived":60,"keyFramesDecoded":2,"packetsLost":-1,"framesPerSecond":29,"frameHeight":360,"frameWidth":640,"framesDecoded":59,"framesDropped":1,"jitterBufferDelay":1.5,"nackCount":3,"total_bps":5}"#
      ])
  }

  @Test("older lines have other names")
  func older() throws {
    let line =
      "VideoReceiveStream stats: 5, {ssrc: 8, width: 640, height: 480, key: 1, delta: 9, decode_fps: 29, discarded: 4, cum_loss: 3, nack: 1, fir: 2, pli: 5}"
    let report = try #require(reports(line)?.first)
    for member in [
      #""frameWidth":640"#, #""framesReceived":10"#, #""packetsDiscarded":4"#, #""packetsLost":3"#,
      #""nackCount":1"#, #""firCount":2"#, #""pliCount":5"#,
    ] { #expect(report.contains(member), "\(member)") }
  }

  @Test(
    "each stream of a sender that carries media is one, with what limits it; rates of several are nobody's")
  func sent() throws {
    let head =
      "VideoSendStream stats: 5, {input_fps: 30.0, encode_fps: 29, target_bps: 900, cpu_adapted_res: true, bw_adapted_res: false}"
    let one = try #require(
      reports(head + " {ssrc: 9, type: media, width: 640, key: 1, delta: 4, cum_loss: 2}"))
    #expect(one.count == 1 && one[0].contains(#""framesPerSecond":29,"targetBitrate":900"#))
    #expect(one[0].contains(#""qualityLimitationReason":"cpu""#) && one[0].contains(#""framesSent":5"#))
    let two = try #require(
      reports(
        head
          + " {ssrc: 9, type: media, key: 1, delta: 4} {ssrc: 10, type: rtx (for: 9)} {ssrc: 11, key: 1, delta: 1}"
      ))
    #expect(two.count == 2 && !two[0].contains("framesPerSecond"))
  }

  @Test("intervals are libwebrtc's, times the log's; a restarted clock is followed")
  func clock() {
    var streams = LoggedStreams()
    func time(_ clock: Int, _ wall: Double?) -> String? {
      Array("VideoReceiveStream stats: \(clock), {ssrc: 7}".utf8).withUnsafeBufferPointer { bytes in
        streams.reports(in: bytes, timeMs: { wall })?.first.map { String(decoding: $0, as: UTF8.self) }
      }
    }
    #expect(time(1000, 1_795_168_800_000)?.contains(#""timestamp":1795168800000"#) == true)
    #expect(time(11_000, 1_795_168_810_900)?.contains(#""timestamp":1795168810000"#) == true)
    #expect(time(21_000, nil)?.contains(#""timestamp":1795168820000"#) == true)
    #expect(time(50, 1_795_168_900_000)?.contains(#""timestamp":1795168900000"#) == true)
  }

  @Test(
    "what is no such line, or cannot be read, is none",
    arguments: [
      "", "VideoReceiveStream stats:", "VideoReceiveStream stats: 1e999, {ssrc: 1}",
      "VideoReceiveStream stats: -4, {ssrc: 1}", "VideoReceiveStream stats: 5, ssrc: 1",
      "VideoReceiveStream stats: 5, {width: 640}", "VideoReceiveStream stats: , {ssrc: 1",
      "VideoSendStream stats: 5, {ssrc: 3}",
    ])
  func none(line: String) { #expect(reports(line) == nil) }

  @Test("hostile lines do no harm")
  func hostile() throws {
    let big = (0..<100_000).map { "m\($0): 1" }.joined(separator: ", ")
    #expect(reports("VideoReceiveStream stats: 5, {ssrc: 1, \(big)}") == nil)
    #expect(reports("VideoReceiveStream stats: 5, " + String(repeating: "{", count: 60_000)) == nil)
    let odd = try #require(
      reports(
        "VideoReceiveStream stats: 5, {ssrc: 1, width: 1e308, height: nan, a\"b: 3, nack: 0x1F, fps: inf}"))
    #expect(odd.count == 1 && validates(odd[0]) && !odd[0].contains("frameWidth"))
  }

  private func validates(_ json: String) -> Bool {
    Array(json.utf8).withUnsafeBufferPointer { bytes in
      do throws(JSONError) {
        try validateJSON(bytes)
        return true
      } catch { return false }
    }
  }
}
