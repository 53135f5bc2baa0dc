import CallModel
import Foundation
import SharedRecordings
import Testing

@testable import Captures
@testable import Packets

@Suite("Columns with TShark's arithmetic")
struct WiresharkColumnTests {
  @Test(
    "equal TShark 4.0 to the printed digit, on every capture it reads",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: SharedCaptures.names)
  func equalTShark(name: String) throws {
    let expected = try TSharkLine.read(SharedCaptures.folder.appendingPathComponent(name + ".tshark.txt"))
    let read = try Recorder.read(try SharedCaptures.bytes(name), name: name)
    for (facts, totals) in read.streams {
      let outbound = facts.direction == .outbound
      let source = plain(outbound ? facts.local : facts.remote)
      let destination = plain(outbound ? facts.remote : facts.local)
      let candidates = expected.filter { $0.ssrc == facts.ssrc }
      // A stream that moved to other addresses has several lines at TShark: ours is their sum.
      if let line = candidates.first(where: { $0.source == source && $0.destination == destination }),
        line.packets == totals.wiresharkPackets
      {
        #expect(ours(facts, totals, source, destination) == line)
      } else {
        let moved = candidates.filter { $0.source == source || $0.destination == destination }
        #expect(moved.reduce(0) { $0 + $1.packets } == totals.wiresharkPackets, "\(candidates)")
        #expect(moved.reduce(0) { $0 + $1.lost } == totals.wiresharkLost)
      }
    }
  }

  @Test("leave out packets whose padding was cut off, as TShark does")
  func cutPadding() {
    func packet(captured: Int) -> RTPPacket? {
      var bytes: [UInt8] = [0xA0, 0, 0, 1, 0, 0, 0, 160, 0, 0, 0, 7] + Array(repeating: 0xD5, count: 160)
      bytes[bytes.count - 1] = 4
      return bytes.withUnsafeBytes { all in
        all.baseAddress.flatMap { RTPPacket(Octets($0, count: captured), wireLength: 172, timeNs: 0) }
      }
    }
    #expect(packet(captured: 172).map { WiresharkFigures.counts($0, isDescribed: false) } == true)
    for isDescribed in [false, true] {
      #expect(packet(captured: 60).map { WiresharkFigures.counts($0, isDescribed: isDescribed) } == false)
    }
  }

  @Test(
    "no stream invented and none missed",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: SharedCaptures.names)
  func sameStreams(name: String) throws {
    // TShark takes single encrypted datagrams for streams here.
    let negative = ["ndpi_telegram.pcap", "ndpi_zoom.pcap", "ndpi_snapchat_call.pcapng"]
    let expected = try TSharkLine.read(SharedCaptures.folder.appendingPathComponent(name + ".tshark.txt"))
    let read = try Recorder.read(try SharedCaptures.bytes(name), name: name)
    let found = Set(read.streams.compactMap { $0.facts.ssrc })
    #expect(found == (negative.contains(name) ? [] : Set(expected.map(\.ssrc))))
  }

  private func ours(
    _ facts: StreamFacts, _ totals: StreamTotals, _ source: String, _ destination: String
  ) -> TSharkLine {
    func printed(_ ms: Double?) -> String? { ms.map { String(format: "%.3f", $0) } }
    return TSharkLine(
      ssrc: facts.ssrc ?? 0, source: source, destination: destination, packets: totals.wiresharkPackets ?? 0,
      lost: totals.wiresharkLost ?? 0, meanJitter: printed(totals.wiresharkJitterMeanMs),
      maxJitter: printed(totals.wiresharkJitterMaxMs))
  }

  private func plain(_ address: String?) -> String {
    (address ?? "").replacingOccurrences(of: "[", with: "").replacingOccurrences(of: "]", with: "")
  }
}
