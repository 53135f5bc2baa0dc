import CallModel
import Testing

@Suite("A time without sound between reports that are far apart")
struct SparseReportTests {
  /// A time without sound, in seconds; `every` so often the end is asked.
  struct Quiet: CustomTestStringConvertible {
    var from: Double
    var to: Double
    var every: Double
    var testDescription: String { "\(from)-\(to) s, every \(every) s" }

    static let all = [5.0, 10].flatMap { every in
      [8.0, 14].flatMap { length in
        stride(from: 12.1, to: 12.1 + every, by: 1.7).map { Quiet(from: $0, to: $0 + length, every: every) }
      }
    }

    /// Those in which an end that is asked so seldom is asked well before they are over.
    static let asked = all.filter { $0.to - $0.from > 10 }

    /// How many windows it may cost: one in which little is missing costs nearly as much as an empty one.
    var windows: ClosedRange<Double> { (to - from) / 5 * 0.65...(to - from) / 5 + 1.3 }

    /// How long it had lasted by then.
    func missing(at time: Double) -> Double { min(max(0, time - from), to - from) }
    /// The last time of sound until then.
    func last(at time: Double) -> Double { time > from && time < to ? from : time }
  }

  /// Sound that stops. What the sender says of itself comes every 4 s, as long as it can come.
  private func sound(
    _ quiet: Quiet, until end: Double = 50, sent: ((Double) -> Double)? = nil, reportsStop: Bool = true
  ) -> Trace {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: end, every: quiet.every) { time, values in
      let missing = quiet.missing(at: time)
      values[.packets] = ((time - missing) * 50).rounded(.down) + 1
      values[.lastPacketMs] = Trace.start + quiet.last(at: time) * 1000 - 5
      (values[.concealedSamples], values[.silentConcealedSamples]) = (
        missing * 48_000, max(0, missing - 0.12) * 48_000
      )
      guard let sent else { return }
      var report = (time / 4).rounded(.down) * 4 - 0.3
      while reportsStop, report > quiet.from, report < quiet.to { report -= 4 }
      guard report > time - quiet.every, report > 0 else { return }
      values[.farPackets] = sent(report).rounded(.down)
      values[.farPacketsMs] = Trace.start + report * 1000
    }
    return trace
  }

  /// Points that loss took, in whole windows.
  private func lost(_ trace: Trace) -> Double {
    trace.windows().reduce(0) { $0 + Double($1.pointsLost?[.loss] ?? 0) } / 100
  }

  @Test("Sound that was sent and did not come is lost, whatever else came meanwhile", arguments: Quiet.all)
  func lostSound(_ quiet: Quiet) {
    var trace = sound(quiet, sent: { $0 * 50 })
    for time in stride(from: quiet.every, through: 50, by: quiet.every) {
      trace.path(at: time - 0.002, bytes: time * 1000)
    }
    #expect(quiet.windows.contains(lost(trace)), "\(lost(trace))")
  }

  @Test("A sender that reports that it sent none lost nothing", arguments: Quiet.asked)
  func unsentSound(_ quiet: Quiet) {
    let trace = sound(quiet, sent: { ($0 - quiet.missing(at: $0)) * 50 }, reportsStop: false)
    #expect(lost(trace) < 0.05)
  }

  @Test("When the last packet came over the path tells whether it was alive", arguments: Quiet.asked)
  func lastOnPath(_ quiet: Quiet) {
    for isAlive in [true, false] {
      var trace = sound(quiet)
      for time in stride(from: quiet.every, through: 50, by: quiet.every) {
        let bytes = (isAlive ? time : time - quiet.missing(at: time)) * 1000
        trace.path(at: time - 0.002, bytes: bytes, last: isAlive ? time - 0.1 : quiet.last(at: time - 0.1))
      }
      let points = lost(trace)
      #expect(isAlive ? points < 0.05 : quiet.windows.contains(points), "alive: \(isAlive), \(points)")
    }
  }

  @Test("The first report of the far end may have come at any time before it was seen")
  func firstReport() {
    let quiet = Quiet(from: 18.1, to: 26.1, every: 10)
    var trace = sound(quiet)
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 10.0, through: 50, by: 10) {
      trace.report(
        outbound, at: time, time > 15 ? [.packets: time * 50, .rttMs: 40, .jitterMs: 2] : [.packets: 1])
    }
    #expect(quiet.windows.contains(lost(trace)), "\(lost(trace))")
  }

  @Test(
    "With a silence that lasts to the end no media comes back: whatever was heard in it speaks for a pause")
  func toTheEnd() {
    let quiet = Quiet(from: 16.1, to: 100, every: 5)
    for isAlive in [true, false] {
      var trace = sound(quiet, until: 25)
      for time in stride(from: 5.0, through: 25, by: 5) {
        trace.path(at: time - 0.002, bytes: (isAlive ? time : time - quiet.missing(at: time)) * 1000)
      }
      #expect(isAlive ? lost(trace) == 0 : lost(trace) > 1, "alive: \(isAlive)")
    }
  }

  @Test("The same comes out as windows settle")
  func settled() {
    for from in [151.0, 154.4, 158.9] {
      let quiet = Quiet(from: from, to: from + 8, every: 10)
      let trace = sound(quiet, until: 400, sent: { $0 * 50 })
      let pieces = trace.pieces(asTheySettle: true)
      #expect(pieces.settled.count > 40)
      #expect(pieces.settled + pieces.rest == trace.windows())
    }
  }
}
