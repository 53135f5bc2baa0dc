import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Stored data is read back unchanged")
struct RoundTripTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  @Test("every metric of a sample, with zero distinct from unknown")
  func everyMetric() throws {
    var full = Sample(timeMs: 1_795_226_145_199.229)
    for metric in Metric.allCases { full[metric] = Double(metric.rawValue) + 0.5 }
    let sparse = Sample(1_795_226_146_199.5, [.packets: 0])
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      try writer.sample(full, of: 0, extra: "{\"x\":1}")
      try writer.sample(sparse, of: 0, extra: nil)
      return .imported
    }
    let cursor = try store.samples(ofStream: 1)
    var sample = Sample(timeMs: 0)
    #expect(try cursor.next(into: &sample))
    #expect(sample.timeMs == full.timeMs)
    for metric in Metric.allCases { #expect(sample[metric] == full[metric], "\(metric)") }
    #expect(try cursor.next(into: &sample))
    #expect(sample[.packets] == 0)
    #expect(Metric.allCases.filter(sample.has) == [.packets])
    #expect(try !cursor.next(into: &sample))
    #expect(try store.value("SELECT extra FROM samples ORDER BY t_ms LIMIT 1") == .text("{\"x\":1}"))
    #expect(try store.value("SELECT lost FROM samples ORDER BY t_ms DESC LIMIT 1").isNull)
  }

  @Test(
    "a cursor that rests after each sample gives the same ones, within its bounds", arguments: [false, true])
  func resting(rests: Bool) throws {
    let times = stride(from: 1000.0, to: 2000, by: 100.5).map { $0 }
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for time in times { try writer.sample(Sample(time, [.packets: time]), of: 0, extra: nil) }
      return .imported
    }
    let cursor = try store.samples(ofStream: 1, from: times[2], to: times[7])
    var sample = Sample(timeMs: 0)
    var seen: [Double?] = []
    while try cursor.next(into: &sample) {
      seen.append(sample[.packets])
      if rests { cursor.rest(after: sample) }
    }
    #expect(seen == times[2...7].map { $0 })
  }

  @Test("counters are stored as integers")
  func wholeNumbers() throws {
    try store.write(.named("a"), writeSmallSource)
    #expect(try store.value("SELECT typeof(packets) FROM samples WHERE packets = 50") == .text("integer"))
  }

  @Test("totals of a capture, and facts given in pieces")
  func capture() throws {
    var facts = audio()
    facts.source = .capture
    var later = facts
    later.codec = nil
    later.clockRate = 48_000
    later.clockRateGuessed = true
    var totals = StreamTotals()
    totals.packets = 100
    totals.expected = 110
    totals.lost = 10
    totals.firstMs = 1000
    totals.lastMs = 3000
    totals.bytes = 2000
    totals.wiresharkJitterMeanMs = 1.25
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("a"))
      try writer.stream(0, of: 0, facts)
      try writer.stream(0, of: 0, later)
      try writer.totals(totals, of: 0)
      return .imported
    }
    let stream = try #require(try store.streams(ofCall: 1).values.first?.first)
    #expect(stream.facts.source == .capture)
    #expect(stream.facts.codec == "opus")
    #expect(stream.facts.clockRate == 48_000)
    #expect(stream.facts.clockRateGuessed == true)
    #expect(stream.totals.expected == 110)
    #expect(stream.totals.lost == 10)
    #expect(stream.totals.wiresharkJitterMeanMs == 1.25)
    #expect(stream.totals.duplicates == nil)
    #expect(try store.value("SELECT bitrate_mean_bps FROM streams") == .real(8000))
  }

  @Test("path, events and judgements of a call")
  func call() throws {
    try store.write(.named("a")) { writer in
      _ = try writeSmallSource(writer)
      for second in 0..<3 {
        var transport = TransportSample(timeMs: Double(second) * 1000)
        transport.local = second < 2 ? "10.0.0.1:5000" : "10.0.0.2:5000"
        transport.rttMs = second == 0 ? nil : 20
        try writer.transport(transport, of: 0)
      }
      var whole = EventRecord(
        timeMs: nil, event: .sessionRegistered, raw: "up", args: "{\"a\":\"\"}", line: 3)
      whole.anomaly = "out of order"
      try writer.event(whole, of: nil)
      return .imported
    }
    let (call, endpoint) = try store.onlyCall()
    #expect(try store.staleCalls() == [call])
    #expect(try store.endpoints(ofCall: call).map(\.name) == ["caller"])
    #expect(try store.streams(ofCall: call)[endpoint]?.count == 1)

    let feed = try store.transports(ofEndpoint: endpoint)
    var transports: [TransportSample] = []
    while let transport = try feed.next() { transports.append(transport) }
    #expect(transports.map(\.local) == ["10.0.0.1:5000", "10.0.0.1:5000", "10.0.0.2:5000"])
    #expect(transports.map(\.rttMs) == [nil, 20, 20])
    #expect(try store.count("paths") == 2)

    let events = try store.events(ofCall: call)
    #expect(events.map(\.record.event) == [.sessionRegistered, .iceConnected])
    #expect(events.map(\.endpoint) == [nil, endpoint])
    #expect(events.first?.record.anomaly == "out of order")

    var summary = CallSummary(outcome: .completed)
    summary.pointsLost = [.loss: 2.5, .delay: 0]
    try store.updateCall(call, summary)
    #expect(try store.staleCalls().isEmpty)
    #expect(try store.value("SELECT lost_loss FROM calls") == .real(2.5))
    #expect(try store.value("SELECT lost_jitter FROM calls").isNull)
  }

  @Test("an end has its last path and system, even without path samples")
  func endpointTraits() throws {
    try store.write(.named("a")) { writer in
      var facts = end("a", Identity(.ufragLocal, "abcd"))
      facts.userAgent = "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0"
      try writer.connection(0, facts)
      for (second, type) in [(0, "host"), (1, "relay"), (2, "host"), (3, nil)] {
        var transport = TransportSample(timeMs: Double(second) * 1000)
        transport.localType = type
        transport.networkType = second == 1 ? "cellular" : second == 2 ? "wifi" : nil
        transport.relayProtocol = type == "relay" ? "tcp" : nil
        try writer.transport(transport, of: 0)
      }
      return .imported
    }
    let traits =
      "SELECT os || ' ' || network_type || ' ' || candidate_type || coalesce(' ' || relay_protocol, '') FROM endpoints"
    #expect(try store.value(traits) == .text("Linux wifi host"))
    try store.write(.named("b")) { writer in
      var facts = end("a", Identity(.ufragLocal, "abcd"))
      facts.system = "Android 14"
      try writer.connection(0, facts)
      var transport = TransportSample(timeMs: 9000)
      (transport.localType, transport.relayProtocol) = ("relay", "tls")
      try writer.transport(transport, of: 0)
      return .imported
    }
    #expect(try store.value(traits) == .text("Android 14 wifi relay tls"))
    try store.connection.run("DELETE FROM path_samples")
    try Regrouper(connection: store.connection).sortIn(sources: [1, 2])
    #expect(try store.value(traits) == .text("Android 14 wifi relay tls"))
  }

  @Test("windows come back in their order, however many a statement takes", arguments: [0, 1, 7, 8, 9, 19])
  func windows(count: Int) throws {
    try store.write(.named("a"), writeSmallSource)
    let (_, endpoint) = try store.onlyCall()
    let windows = (0..<count).map { index in
      var window = Window(
        index: index, startMs: Double(index) * 5000, endMs: Double(index + 1) * 5000, state: .active)
      window.score = index
      window.inputs.rttMs = index.isMultiple(of: 3) ? nil : Double(index)
      return window
    }
    try store.replaceWindows([(.stats, windows)], ofEndpoint: endpoint, model: "m", judging: .stats)
    let stored = try store.windows(ofEndpoint: endpoint, model: "m")
    #expect(stored.map(\.window) == windows && stored.allSatisfy { $0.source == .stats })
  }

  @Test("windows, setup and findings replace earlier ones")
  func judgements() throws {
    try store.write(.named("a"), writeSmallSource)
    let (call, endpoint) = try store.onlyCall()
    var window = Window(index: 0, startMs: 0, endMs: 5000, state: .active)
    window.score = 90
    window.pointsLost = [.loss: 10]
    let silent = Window(index: 1, startMs: 5000, endMs: 10_000, state: .silent)
    var phase = Phase(.ice, .measured)
    phase.durationMs = 12
    let attempt = SetupAttempt(
      attempt: 1, direction: .outgoing, outcome: .completed, phases: [phase, Phase(.dtls, .unknown)])
    for source in [StreamSource.capture, .stats] {
      try store.replaceWindows(
        [(source, [window, silent])], ofEndpoint: endpoint, model: "m", judging: source)
      try store.replaceSetupAttempts([attempt], ofEndpoint: endpoint)
      let finding = Finding(.micSilent, .warning, evidence: Evidence(), text: "Nobody spoke.")
      try store.replaceFindings([finding], ofCall: call, endpoint: endpoint)
      try store.replaceFindings([finding], ofCall: call, endpoint: nil)
    }
    #expect(try store.count("windows") == 2)
    #expect(try store.value("SELECT count(*) FROM windows WHERE source = 'stats' AND chosen").integer == 2)
    #expect(try store.count("setups") == 1)
    #expect(try store.count("phases") == 2)
    #expect(try store.count("findings") == 2)
    #expect(try store.value("SELECT lost_delay FROM windows WHERE window_index = 0").isNull)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }
}
