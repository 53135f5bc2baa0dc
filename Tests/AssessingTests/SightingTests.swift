import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("Of several sightings of one stream that nearest to its receiver tells what was heard")
struct SightingTests {
  /// One sighting of what the other end sent to the caller, or the caller to the other end.
  private struct Seen {
    var to = "caller"
    var way: (from: String, to: String)
    var ssrc: UInt32?
    var lost = 0
    var startMs = 1000.0
    var lengthMs = 20_000.0
    var extra: String?
  }

  private static let ends = ["caller", "callee"]

  /// A call of 20 s as these files tell of it.
  private func call(_ files: [[Seen]], isEnded: Bool = true, oneDirection: String? = nil) throws -> Store {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    for (number, file) in files.enumerated() {
      let beganMs = file.map(\.startMs).min() ?? 1000
      let header = SourceHeader(path: "\(number)", sha256: "\(number)", format: .pcap, importedMs: 1)
      try queue.write(header, stored: { _ in }) { writer in
        for (number, end) in Self.ends.enumerated() {
          var facts = ConnectionFacts()
          facts.endpoint = end
          facts.identities = [Identity(.sip, "one")]
          try writer.connection(number, facts)
          try writer.event(EventRecord(timeMs: beganMs, event: .callEstablished, raw: ""), of: number)
          if isEnded {
            try writer.event(EventRecord(timeMs: 21_000, event: .callEnded, raw: ""), of: number)
          }
          if end == oneDirection {
            try writer.event(
              EventRecord(
                timeMs: 1000, event: .unknown, raw: "capture.one-direction", args: #"{"packets":900}"#),
              of: number)
          }
        }
        for (number, seen) in file.enumerated() {
          try write(seen, number, to: writer)
        }
        return SourceStatus(.imported)
      }
    }
    try queue.flush()
    try Assessor(store: store).assessStale()
    return store
  }

  private func write(_ seen: Seen, _ number: Int, to writer: SourceWriter) throws {
    var stream = StreamFacts()
    (stream.source, stream.direction, stream.kind) = (.capture, .inbound, .audio)
    stream.ssrc = seen.ssrc ?? (seen.to == "caller" ? 0x1234_5678 : 0x2345_6789)
    (stream.remote, stream.local) = (seen.way.from, seen.way.to)
    try writer.stream(number, of: Self.ends.firstIndex(of: seen.to) ?? 0, stream)
    var totals = StreamTotals()
    (totals.firstMs, totals.lastMs) = (seen.startMs, seen.startMs + seen.lengthMs)
    totals.expected = Int(seen.lengthMs / 20)
    totals.lost = seen.lost
    totals.packets = Int(seen.lengthMs / 20) - seen.lost
    totals.extra = seen.extra
    try writer.totals(totals, of: number)
  }

  /// The loss of what was chosen of the caller's sound.
  private func lost(_ store: Store) throws -> [Int64?] {
    try store.query(
      "SELECT lost FROM streams JOIN endpoints USING (endpoint_key) WHERE chosen AND endpoint = 'caller'"
    )
    .rows.map { $0.first?.integer }
  }

  private func findings(_ store: Store) throws -> [String] {
    try store.query(
      "SELECT endpoint || ' ' || code || ' ' || severity FROM findings JOIN endpoints USING (endpoint_key) ORDER BY 1"
    )
    .rows.compactMap { if case .text(let finding) = $0.first { finding } else { nil } }
  }

  private let direct = (from: "10.0.0.2:4000", to: "10.0.0.1:5000")
  private let back = (from: "10.0.0.1:5000", to: "10.0.0.2:4000")
  private let toRelay = (from: "10.0.0.2:4000", to: "10.0.0.9:30000")
  private let fromRelay = (from: "10.0.0.9:30002", to: "10.0.0.1:5000")

  @Test("two files of one stream, taken at its ends: the loss between them is heard, whichever comes first")
  func twoFiles() throws {
    let sender = [Seen(way: direct), Seen(to: "callee", way: back)]
    let receiver = [Seen(way: direct, lost: 66), Seen(to: "callee", way: back)]
    for files in [[sender, receiver], [receiver, sender]] {
      let store = try call(files)
      #expect(try lost(store) == [66])
      #expect(try findings(store) == [])
    }
  }

  @Test("a relay that passes on no more, or sends sound of its own making on, was heard all the same")
  func relays() throws {
    let ended = [Seen(way: toRelay), Seen(way: fromRelay, lost: 7, lengthMs: 9000)]
    #expect(try lost(call([ended])) == [7])
    let anew = [Seen(way: toRelay), Seen(way: fromRelay, ssrc: 0x3456_789A, lost: 9)]
    #expect(try lost(call([anew])) == [9])
    // Where it is sent back, or comes from another host, both are heard.
    let other = [Seen(way: direct), Seen(way: fromRelay, ssrc: 0x3456_789A, lost: 9)]
    #expect(try lost(call([other])).count == 2)
  }

  @Test("what the receiver reports, and how many routers were passed, tell which file is nearer")
  func evidence() throws {
    func reported(_ lost: Int) -> String { #"{"ttl":63,"receiver_reports":{"count":4,"lost":\#(lost)}}"# }
    // The file with more loss lost it itself.
    let missed = [
      [Seen(way: direct, lost: 10, extra: reported(10))], [Seen(way: direct, lost: 90, extra: reported(10))],
    ]
    #expect(try lost(call(missed)) == [10])
    let far = Seen(way: direct, lost: 3, extra: #"{"ttl":64}"#)
    let near = Seen(way: direct, lost: 2, extra: #"{"ttl":62}"#)
    #expect(try lost(call([[far], [near]])) == [2])
  }

  @Test("a file that begins amid the call does not take the place of one that has all of it")
  func part() throws {
    let part = Seen(way: direct, lost: 50, startMs: 15_000, lengthMs: 6000)
    #expect(try lost(call([[Seen(way: direct)], [part]])) == [0])
  }

  @Test("a stream that stopped before the nearer file did had stopped there")
  func stopped() throws {
    let near = [Seen(way: direct, lost: 5, lengthMs: 8000), Seen(to: "callee", way: back)]
    #expect(try lost(call([[Seen(way: direct)], near])) == [5])
    // No number is missing before it stopped, and both files were taken on one network.
    let whole = [Seen(way: direct, lengthMs: 8000), Seen(to: "callee", way: back)]
    for files in [[[Seen(way: direct)], whole], [whole, [Seen(way: direct)]]] {
      let rows = try call(files).query(
        "SELECT expected FROM streams JOIN endpoints USING (endpoint_key) WHERE chosen AND endpoint = 'caller'"
      ).rows
      #expect(rows.map { $0.first?.integer } == [400])
    }
  }

  @Test(
    "of two legs of a relay the one that goes on to the end is heard", arguments: ["10.0.0.9", "192.0.2.9"])
  func relay(otherSide: String) throws {
    let onward = (from: "\(otherSide):30002", to: fromRelay.to)
    let file = [
      Seen(way: toRelay, startMs: 1000), Seen(way: onward, lost: 87, startMs: 1000.2),
      Seen(to: "callee", way: (onward.to, onward.from)),
      Seen(to: "callee", way: (toRelay.to, toRelay.from), startMs: 1000.2),
    ]
    let store = try call([file])
    #expect(try lost(store) == [87])
    #expect(try findings(store) == [])
  }

  @Test("sound that came to a relay and no further was not heard, in one file or in two")
  func stoppedAtRelay() throws {
    let toCaller = [Seen(way: toRelay)]
    let toCallee = [
      Seen(to: "callee", way: (fromRelay.to, fromRelay.from)),
      Seen(to: "callee", way: (toRelay.to, toRelay.from)),
    ]
    for files in [[toCaller + toCallee], [toCaller, toCallee]] {
      let store = try call(files)
      #expect(try findings(store) == ["caller one-way-audio error"])
    }
    let rows = try call([toCaller + toCallee]).query("SELECT evidence ->> 'stopped_at' FROM findings").rows
    #expect(rows.first?.first == .text("10.0.0.9"))
  }

  @Test("what any file has came, though the file that speaks for the call has none of it")
  func anyFile() throws {
    let store = try call([[Seen(to: "callee", way: back)], [Seen(way: direct)]])
    #expect(try findings(store) == [])
  }

  @Test("a direction that nobody captured is no silence")
  func oneDirection() throws {
    let store = try call([[Seen(to: "callee", way: back)]], oneDirection: "caller")
    #expect(try findings(store) == ["caller capture-loss warning"])
  }

  @Test("who sends on for long after the last packet, to nobody who ever said goodbye, was dropped")
  func alone() throws {
    let file = [Seen(way: direct, lengthMs: 8000), Seen(to: "callee", way: back)]
    #expect(try findings(call([file], isEnded: false)) == ["caller dropped-mid-call error"])
    #expect(try findings(call([file])) == [])
    var paused = file
    paused[0].lengthMs = 16_000
    #expect(try findings(call([paused], isEnded: false)) == [])
  }

  @Test("loss beyond the capture is told by the receiver's reports, where the capture does not have it")
  func beyond() throws {
    let reports =
      #"{"receiver_reports":{"count":4,"lost":98},"lost_beyond":{"lost":90,"missing":0,"packets":900}}"#
    let callee = Seen(to: "callee", way: back)
    #expect(
      try findings(call([[Seen(way: direct, extra: reports), callee]])) == ["callee remote-loss warning"])
    #expect(try findings(call([[Seen(way: direct, lost: 97), callee]])) == [])
    let errors = #"{"returned":{"error":"host unreachable","count":9,"from_ms":1000,"until_ms":9000}}"#
    #expect(
      try findings(call([[Seen(way: direct, extra: errors), callee]])) == ["callee remote-loss warning"])
    // A relay that changes the codec passes reports on, and sends under another name.
    let renamed = [
      Seen(way: toRelay, extra: reports), Seen(way: fromRelay, ssrc: 0x3456_789A, lost: 98), callee,
    ]
    #expect(try findings(call([renamed])) == [])
  }
}
