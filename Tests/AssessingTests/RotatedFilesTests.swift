import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("A stream that goes on in the next file is one stream")
struct RotatedFilesTests {
  /// One file of a capture: sound at 50 packets a second, every tenth of which is lost from `lossFrom` on.
  private struct File {
    var from: Int
    var to: Int
    var lossFrom = Int.max
    var clockMs = 0.0
  }

  private func store(_ files: [File]) throws -> Store {
    let call = try EndsOfOneCall()
    for (number, file) in files.enumerated() {
      try call.write("caller", path: "\(number)", format: .pcap) { writer in
        var stream = StreamFacts()
        (stream.source, stream.direction, stream.kind, stream.ssrc) = (
          .capture, .inbound, .audio, 0x1234_5678
        )
        stream.codec = "opus"
        try writer.stream(0, of: 0, stream)
        let start = 1_000_000 + file.clockMs
        for second in file.from...file.to {
          let passed = Double(second - file.from)
          let lost = Double(max(0, second - max(file.from, file.lossFrom))) * 5
          var sample = Sample(timeMs: start + Double(second) * 1000)
          sample.set(.packets, passed * 50 - lost)
          sample.set(.lost, lost)
          try writer.sample(sample, of: 0, extra: nil)
        }
        var totals = StreamTotals()
        (totals.firstMs, totals.lastMs) = (start + Double(file.from) * 1000, start + Double(file.to) * 1000)
        totals.packets = (file.to - file.from) * 50
        try writer.totals(totals, of: 0)
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return store
  }

  private func spans(_ store: Store) throws -> (windows: Int64?, chosen: Int64?) {
    let windows = try store.query("SELECT count(*) FROM windows WHERE state = 'active'").rows.first?.first?
      .integer
    let chosen = try store.query("SELECT count(*) FROM streams WHERE chosen").rows.first?.first?.integer
    return (windows, chosen)
  }

  @Test("all of its parts are scored, whatever the order of the files")
  func parts() throws {
    let files = [File(from: 0, to: 19), File(from: 20, to: 39, lossFrom: 25), File(from: 40, to: 60)]
    for files in [files, files.reversed()] {
      let rotated = try store(files)
      #expect(try spans(rotated) == (12, 3))
      let poor = try rotated.query("SELECT count(*) FROM windows WHERE score < 80").rows.first?.first?.integer
      #expect(poor == 3)
    }
  }

  @Test("two witnesses of the same time are rivals, and so is one whose clock is wrong")
  func rivals() throws {
    #expect(try spans(store([File(from: 0, to: 60), File(from: 1, to: 59)])) == (12, 1))
    #expect(try spans(store([File(from: 0, to: 60), File(from: 0, to: 60, clockMs: 3_600_000)])).chosen == 1)
  }
}
