import CallModel
import Testing

@testable import Scoring

@Suite("Findings from members of getStats")
struct MemberFindingTests {
  /// A minute of one sent and one received stream of a kind, a report a second.
  private func findings(
    _ kind: MediaKind, _ fill: (_ second: Double, _ sent: inout Sample, _ received: inout Sample) -> Void
  )
    -> [String]
  {
    let facts = [StreamDirection.outbound, .inbound].map { direction in
      var facts = StreamFacts()
      (facts.direction, facts.kind, facts.source) = (direction, kind, .stats)
      return facts
    }
    var scan = FindingScan(streams: facts)
    for second in 0...60 {
      var (sent, received) = (
        Sample(timeMs: 1e12 + Double(second) * 1000), Sample(timeMs: 1e12 + Double(second) * 1000)
      )
      for packets in [50.0 * Double(second)] {
        sent.set(.packets, packets)
        received.set(.packets, packets)
      }
      fill(Double(second), &sent, &received)
      scan.add(sent, of: 0)
      scan.add(received, of: 1)
    }
    return scan.finish(FindingContext()).map(\.name)
  }

  @Test("echo is told while the far end speaks and hardly anything is taken off")
  func echo() {
    func codes(loss: Double, enhancement: Double, isHeard: Bool = true) -> [String] {
      findings(.audio) { second, sent, received in
        sent.set(.echoReturnLoss, loss)
        sent.set(.echoReturnLossEnhancement, enhancement)
        received.set(.totalAudioEnergy, isHeard ? second * 0.01 : 0)
      }
    }
    #expect(codes(loss: 3, enhancement: 2).contains("echo"))
    #expect(!codes(loss: 12, enhancement: 15).contains("echo"))
    #expect(!codes(loss: -30, enhancement: 0.18).contains("echo"), "a canceller that does not run says -30")
    #expect(!codes(loss: -100, enhancement: -100).contains("echo"))
    #expect(!codes(loss: 3, enhancement: 2, isHeard: false).contains("echo"), "nothing came that could echo")
  }

  @Test("a corrupted picture is told, and not where the detector says 1 for every frame")
  func corruption() {
    func codes(_ share: Double) -> [String] {
      findings(.video) { second, _, received in
        received.set(.corruptionSum, second * share)
        received.set(.corruptionMeasurements, second)
        received.set(.frames, second * 20)
      }
    }
    #expect(codes(0.4).contains("corrupted-picture"))
    #expect(!codes(0.05).contains("corrupted-picture") && !codes(1).contains("corrupted-picture"))
  }

  @Test(
    "a fallback to software is one from hardware",
    arguments: [
      ("ExternalDecoder (VaapiVideoDecoder)", "libvpx", true), ("c2.qti.avc.decoder", "FFmpeg", true),
      ("MediaCodec", "libvpx (fallback from: MediaCodec)", true), ("libvpx", "FFmpeg", false),
      ("unknown", "libvpx", false), ("libvpx", "VideoToolbox", false),
      ("SimulcastEncoderAdapter (libvpx, libvpx)", "libvpx", false),
    ])
  func fallback(from: String, to: String, expected: Bool) {
    #expect(CodecImplementation.isFallback(from: from, to: to) == expected)
    var context = FindingContext()
    context.events = [
      EventRecord(
        timeMs: 1e12, event: .mediaImplementationChanged, raw: "implementation",
        args: #"{"from":"\#(from)","to":"\#(to)","direction":"inbound"}"#)
    ]
    #expect(softwareFallbacks(context).map(\.name) == (expected ? ["software-fallback"] : []))
  }
}
