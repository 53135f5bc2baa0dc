import CallModel
import Foundation
import IO
import SharedRecordings
import Testing

@testable import Captures

@Suite("Calls through a relay that knows what it dropped")
struct RecordedCallTests {
  /// Sequence numbers of a stream as the relay met them, and those it let through, in the order sent.
  private struct Relayed {
    var all: [Int] = []
    var forwarded: Set<Int> = []
  }

  /// What the relay noted of the packets towards an end, by SSRC.
  private func relayed(_ call: String, to end: String = "callee") throws -> [UInt32: Relayed] {
    let file = try InputFile(path: SharedCaptures.calls.appendingPathComponent("\(call)/relay.csv.gz").path)
    let direction = end == "callee" ? "ab" : "ba"
    var reader = LineReader(file)
    var streams: [UInt32: Relayed] = [:]
    var more = true
    while more {
      more = try reader.next { bytes, _, _ in
        let cells = String(decoding: bytes, as: UTF8.self).split(
          separator: ",", omittingEmptySubsequences: false)
        guard cells.count == 9, cells[1] == direction, cells[2] == "R", let ssrc = UInt32(cells[4]),
          let sequence = Int(cells[5])
        else { return }
        // Extended by the last one, for numbers wrap.
        let last = streams[ssrc]?.all.last ?? sequence
        let number = last + Int(Int16(truncatingIfNeeded: sequence - last))
        streams[ssrc, default: Relayed()].all.append(number)
        if cells[7] == "F" { streams[ssrc, default: Relayed()].forwarded.insert(number) }
      }
    }
    return streams
  }

  private func capture(_ call: String, _ end: String) throws -> Recorder {
    let recorder = Recorder()
    let file = try InputFile(path: SharedCaptures.calls.appendingPathComponent("\(call)/\(end).pcap.gz").path)
    try CaptureReader.read(
      .pcap, from: file, into: recorder, options: ReaderOptions(fileName: "\(end).pcap.gz"))
    return recorder
  }

  /// Between the first and the last number that was captured: the relay may go on after the capture has stopped.
  @Test(
    "loss is what the relay dropped or the sender left out, to the packet, for every stream of every call",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: ["callee", "caller"])
  func loss(end: String) throws {
    var compared = 0
    for call in SharedCaptures.callNames {
      let truth = try relayed(call, to: end)
      let read = try capture(call, end)
      for (facts, totals) in read.streams where facts.direction == .inbound {
        let stream = try #require(truth[facts.ssrc ?? 0], "\(call)")
        let first = try #require(stream.forwarded.min())
        let last = first + (totals.expected ?? 0) - 1
        let missing = last - first + 1 - stream.forwarded.filter { $0 <= last }.count
        #expect(totals.lost == missing, "\(call)/\(end) \(facts.ssrc ?? 0) of \(stream.all.count)")
        // Behind a queue of seconds the relay was still sending when the capture of this call had stopped.
        let after = stream.forwarded.filter { $0 > last }.count
        #expect(
          after == 0 || call.hasPrefix("t15"), "\(call)/\(end) \(facts.ssrc ?? 0): \(after) after the capture"
        )
        compared += 1
      }
    }
    #expect(compared > 80)
  }

  @Test(
    "a file's name and the ICE roles say which end is local, also where both answer at once",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: ["caller", "callee"])
  func sides(end: String) throws {
    let read = try capture("t27-audio-clean", end)
    let connection = try #require(read.connections.values.first)
    #expect(read.connections.count == 1 && connection.endpoint == end)
    #expect(connection.direction == (end == "caller" ? .outgoing : .incoming))
  }

  @Test(
    "the handshake that lost its answer is seen to be repeated",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
  func handshake() throws {
    let read = try capture("t02-loss3", "callee")
    #expect(read.events.contains { $0.event == .dtlsRetransmitted && $0.raw == "ServerHello" })
    #expect(read.events.contains { $0.event == .mediaFirstPacket })
  }

  @Test(
    "concealment follows the browser's own count within a quarter where packets are lost",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: [
      ("t02-loss3", 25_885.0), ("t03-loss8", 58_096), ("t29-audio-loss20", 169_535),
      ("t32-audio-burst10x15", 67_689),
    ])
  func concealment(call: String, browser: Double) throws {
    let read = try capture(call, "callee")
    let audio = try #require(
      read.facts.first { $0.value.kind == .audio && $0.value.direction == .inbound }?.key)
    let concealed = try #require(read.samples[audio]?.last?[.concealedSamples])
    #expect(abs(concealed - browser) < 0.25 * browser)
  }
}
