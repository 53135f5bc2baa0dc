import Bytes
import CallModel
import Foundation
import Testing

@testable import Captures

@Suite("Calls through a relay that knows what it dropped")
struct RecordedCallTests {
  /// Sequence numbers of a stream as the relay met them, and those it let through, in the order sent.
  private struct Relayed {
    var all: [Int] = []
    var forwarded: Set<Int> = []
  }

  /// What the relay noted of the packets to the callee, by SSRC.
  private func relayed(_ call: String) throws -> [UInt32: Relayed] {
    let file = try InputFile(path: SharedFiles.calls.appendingPathComponent("\(call)/relay.csv.gz").path)
    var reader = LineReader(file)
    var streams: [UInt32: Relayed] = [:]
    var more = true
    while more {
      more = try reader.next { bytes, _, _ in
        let cells = String(decoding: bytes, as: UTF8.self).split(
          separator: ",", omittingEmptySubsequences: false)
        guard cells.count == 9, cells[1] == "ab", cells[2] == "R", let ssrc = UInt32(cells[4]),
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
    let file = try InputFile(path: SharedFiles.calls.appendingPathComponent("\(call)/\(end).pcap.gz").path)
    try CaptureReader.read(
      .pcap, from: file, into: recorder, options: ReaderOptions(fileName: "\(end).pcap.gz"))
    return recorder
  }

  @Test(
    "loss at the callee is what the relay dropped, to the packet",
    .enabled(if: SharedFiles.areThere, Comment(rawValue: SharedFiles.reason)),
    arguments: ["t02-loss3", "t07-burst8x10", "t14-cap300", "t21-outage8", "t28-audio-loss5"])
  func loss(call: String) throws {
    let truth = try relayed(call)
    let read = try capture(call, "callee")
    let inbound = read.streams.filter { $0.facts.direction == .inbound }
    #expect(inbound.count >= 1)
    for (facts, totals) in inbound {
      let stream = try #require(truth[facts.ssrc ?? 0])
      let first = try #require(stream.forwarded.min())
      let last = try #require(stream.forwarded.max())
      // Dropped on the way, or thrown away by the sender before it got there.
      #expect(totals.lost == last - first + 1 - stream.forwarded.count, "\(call) \(facts.ssrc ?? 0)")
    }
  }

  @Test(
    "a file's name and the ICE roles say which end is local, also where both answer at once",
    .enabled(if: SharedFiles.areThere, Comment(rawValue: SharedFiles.reason)),
    arguments: ["caller", "callee"])
  func sides(end: String) throws {
    let read = try capture("t27-audio-clean", end)
    let connection = try #require(read.connections.values.first)
    #expect(read.connections.count == 1 && connection.endpoint == end)
    #expect(connection.direction == (end == "caller" ? .outgoing : .incoming))
  }

  @Test(
    "the handshake that lost its answer is seen to be repeated",
    .enabled(if: SharedFiles.areThere, Comment(rawValue: SharedFiles.reason)))
  func handshake() throws {
    let read = try capture("t02-loss3", "callee")
    #expect(read.events.contains { $0.event == "dtls.retransmitted" && $0.raw == "ServerHello" })
    #expect(read.events.contains { $0.event == "media.first-packet" })
  }

  @Test(
    "concealment follows the browser's own count within a quarter where packets are lost",
    .enabled(if: SharedFiles.areThere, Comment(rawValue: SharedFiles.reason)),
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
