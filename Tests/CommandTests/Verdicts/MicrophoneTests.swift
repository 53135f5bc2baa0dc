import Foundation
import Testing

@Suite("A dead microphone, from a dump")
struct MicrophoneTests {
  /// Reports of an end that sends and receives sound for 24 s; its own level falls to nothing after `deadAfter` seconds.
  private func dump(deadAfter: Int) -> String {
    (1...24).map { second in
      let time = 1_700_000_000_000 + second * 1000
      let energy = 0.01 * Double(min(second, deadAfter))
      return """
        {"ts":\(time),"pc":"caller","report":{"O":{"id":"O","timestamp":\(time),"type":"outbound-rtp","kind":"audio",\
        "ssrc":11,"mediaSourceId":"SA1","packetsSent":\(second * 50),"bytesSent":\(second * 4000)},"SA1":{"id":"SA1",\
        "timestamp":\(time),"type":"media-source","kind":"audio","audioLevel":\(second > deadAfter ? 0 : 0.1),\
        "totalAudioEnergy":\(energy),"totalSamplesDuration":\(second)},"I":{"id":"I","timestamp":\(time),\
        "type":"inbound-rtp","kind":"audio","ssrc":12,"packetsReceived":\(second * 50),"packetsLost":0,\
        "totalSamplesReceived":\(second * 48000),"concealedSamples":0,"totalAudioEnergy":\(Double(second) / 100),\
        "totalSamplesDuration":\(second)}}}
        """
    }
    .joined(separator: "\n")
  }

  @Test("Silence of 15 s at the microphone is found, a living one is not", arguments: [4, 24])
  func microphone(deadAfter: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-mic-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try dump(deadAfter: deadAfter).write(
      to: folder.appendingPathComponent("caller.stats.jsonl"), atomically: true, encoding: .utf8)
    try Tool.run("import", "caller.stats.jsonl", in: folder)
    let found = try Tool.run("findings", "--json", in: folder).objects()
    let silent = found.filter { $0["code"] as? String == "mic-silent" }
    #expect(silent.count == (deadAfter == 24 ? 0 : 1))
    if deadAfter == 4 {
      let start = try #require(silent.first?["start_ms"] as? Double)
      #expect(start == 1_700_000_004_000)
    }
  }
}
