import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("One call is one page that nothing breaks out of")
struct CallPageTests {
  static func page(_ account: CallAccount, lanes: [TimelineLane] = []) throws -> String {
    String(
      decoding: CallPage(account, lanes: lanes, zone: .utc, resources: try PageResources()).bytes(),
      as: UTF8.self)
  }

  @Test("packets against statistics are a table that adds up, and reasons to unfold")
  func wire() throws {
    var end = SampleAccount.end("callee", [SampleAccount.window(0, [.loss: 10])])
    end.captureWindows = [SampleAccount.window(0, [.loss: 20, .delay: 5])]
    let page = try Self.page(SampleAccount.call(ends: [end]))
    let table = try #require(page.split(separator: "aria-label=\"Packets against statistics\"").last)
    for cell in [">statistics<", ">packets<", ">90<", ">75<", ">-10<", ">-20<", ">-5<"] {
      #expect(table.contains(cell), "\(cell)")
    }
    #expect(table.contains("Where they differ, and why"))
  }

  /// A call in which every text from outside is this one.
  static func filled(_ text: String) -> CallAccount {
    var finding = Finding(named: text, .error, evidence: Evidence(), text: text)
    finding.startMs = SampleAccount.startMs
    var end = SampleAccount.end(text, [SampleAccount.window(0, [.loss: 50])])
    end.userAgent = text
    end.person = text
    end.path = [PathStep(fromMs: SampleAccount.startMs, localType: text, remoteType: text, networkType: text)]
    end.streams = [
      StreamAccount(
        key: 1, source: .stats, chosen: true, direction: .inbound, kind: .audio, codec: text,
        ssrc: 1, screen: false,
        firstMs: nil, lastMs: nil,
        figures: ["packets": .integer(5), "codec": .text(text), "extra": .text(text)])
    ]
    var attempt = SetupAttempt(
      attempt: 1, direction: .outgoing, outcome: .completed, phases: [Phase(.ice, .measured)])
    attempt.phases[0].startMs = SampleAccount.startMs
    attempt.phases[0].durationMs = 5
    attempt.phases[0].cause = text
    end.attempts = [attempt]
    var json: [UInt8] = []
    JSONBytes.append(text, to: &json)
    let args = "{\"participant\":\(String(decoding: json, as: UTF8.self))}"
    var account = SampleAccount.call(
      text, ends: [end], findings: [AccountFinding(end: text, finding: finding)],
      events: [
        SampleAccount.event(.conferenceParticipantJoined, end: text, args: args),
        SampleAccount.event(.unknown, end: text),
      ])
    account.events[1].record.raw = text
    account.events[1].record.anomaly = text
    account.call.endReason = text
    account.call.endCode = text
    account.call.outcome = .dropped
    account.call.run = text
    account.call.scenario = text
    account.sources = [
      SourceFacts(
        key: 1, path: text, format: text, status: "partial", reason: text, skewMs: nil, rejected: 0,
        prunedMs: nil, notes: [text])
    ]
    return account
  }

  @Test("no text from outside becomes markup", arguments: SampleAccount.hostile)
  func hostile(_ text: String) throws {
    let page = try Self.page(Self.filled(text))
    let plain = try Self.page(Self.filled("plain"))
    // Elements of the program, and no other.
    for tag in ["<script", "</script", "<img", "<style", "<!--", "<svg", "onerror", "onload"] {
      let mine = page.components(of: tag)
      let expected = plain.components(of: tag)
      if tag.hasPrefix("<") { #expect(mine == expected, "\(tag)") }
    }
    #expect(!page.unicodeScalars.contains { [0x202E, 0x202C, 0x200F, 0x1B, 0, 7].contains($0.value) })
  }

  @Test("poor sound that is none of the worst scores is reported with its places")
  func poorSound() throws {
    var end = SampleAccount.end(
      "caller", (0..<30).map { SampleAccount.window($0, [.loss: $0 < 20 ? 25 : 0]) })
    for index in stride(from: 0, to: 30, by: 3) { end.windows[index].audioLQ = 50 }
    let page = try Self.page(SampleAccount.call(ends: [end]))
    #expect(page.contains("poor sound for 50 s in 10 places, the longest: "))
    #expect(page.contains("href=\"#t=15&amp;z=10-25\""), "the first four")
    let fine = try Self.page(
      SampleAccount.call(ends: [SampleAccount.end("caller", [SampleAccount.window(0)])]))
    #expect(!fine.contains("poor sound"))
  }

  @Test("a text of 10,000 characters is cut, not repeated in full everywhere")
  func long() throws {
    let page = try Self.page(Self.filled(String(repeating: "A", count: 10_000)))
    #expect(page.utf8.count < 230_000)
  }

  @Test("the policy lets the page's own script and style run, and nothing else")
  func policy() throws {
    let page = try Self.page(SampleAccount.call())
    #expect(page.contains("default-src &#39;none&#39;; script-src &#39;sha256-"))
    #expect(!page.contains("unsafe-inline"))
    #expect(!page.contains(" style=\""))
    #expect(
      !page.contains("http://")
        || page.components(of: "http://") == page.components(of: "http://www.w3.org/2000/svg"))
    #expect(!page.contains("https://"))
  }

  @Test("thinning keeps every peak, and the mean")
  func thinning() {
    var series = Series()
    for index in 0..<10_000 {
      series.append(Double(index) * 1000, index == 4321 ? 99 : index == 7777 ? -5 : 1)
    }
    let thin = series.thinned(to: 500)
    #expect(thin.points.count == 500)
    #expect(thin.points.compactMap(\.high).max() == 99)
    #expect(thin.points.compactMap(\.low).min() == -5)
    // Twenty samples a point, nineteen of them 1.
    let peak = thin.points.first { $0.high == 99 }
    #expect(peak?.low == 1 && peak?.mean == (99 + 19) / 20.0)
    #expect(thin.scaled(by: 10).points.first { $0.high == 990 }?.mean == 59)
  }

  @Test("series are short text that keeps what is unknown")
  func seriesText() {
    var series = Series()
    series.append(0, 1.25)
    series.append(1000, nil)
    series.append(2000, nil)
    series.append(2500, 3)
    #expect(SeriesText.times(series) == "0,100,150")
    #expect(SeriesText.values(series, decimals: 1) == "1.3,,3")
    var dense = Series()
    for value in [1.0, 2, 6, 4, 4, 4] { dense.append(Double(dense.points.count) * 1000, value) }
    #expect(SeriesText.values(dense.thinned(to: 2), decimals: 1) == "1:6:3,4")
  }

  @Test("a state lasts until what ends it, or to the end")
  func spans() {
    let events = [
      SampleAccount.event(.callHeld, atMs: 1000), SampleAccount.event(.callResumed, atMs: 4000),
      SampleAccount.event(.callMuted, end: "callee", atMs: 6000),
    ]
    let spans = Spans.of(
      SampleAccount.call(
        ends: [SampleAccount.end("caller", []), SampleAccount.end("callee", [])], events: events))
    #expect(spans.map(\.label) == ["on hold", "muted"])
    #expect(spans[0].untilMs == SampleAccount.startMs + 4000)
    #expect(spans[1].untilMs == nil)
  }

  @Test("a connection that was lost is back when it is connected again, whoever says it")
  func outages() {
    func at(_ name: EventName, _ ms: Double) -> AccountEvent {
      var event = SampleAccount.event(name, atMs: ms)
      event.record.sdk = "w3c"
      return event
    }
    let spans = Spans.of(
      SampleAccount.call(
        ends: [SampleAccount.end("caller", [])],
        events: [
          at(.iceDisconnected, 500), at(.iceConnected, 1000), at(.callEstablished, 1000),
          at(.iceDisconnected, 4000), at(.networkLost, 4001), at(.iceConnected, 6000),
          at(.callEstablished, 6002), at(.callEnded, 20_000),
        ]))
    #expect(spans.map(\.label) == ["ICE disconnected", "network lost"])
    #expect(spans.map(\.untilMs) == [SampleAccount.startMs + 6000, SampleAccount.startMs + 6000])
  }

  @Test("an element without content has no end tag, and a slider says from where to where it goes")
  func strict() throws {
    let account = Self.filled("a")
    let page = try Self.page(account)
    #expect(!page.contains("</meta>") && !page.contains("</input>"))
    #expect(
      page.contains(
        #"role="slider" aria-label="Moment of the call" aria-valuemin="0" aria-valuemax=""#
          + "\(CellText.fixed(PageData.spanS(account, zeroMs: account.zeroMs ?? 0), decimals: 2))\""))
  }
}

extension String {
  /// How often a text occurs.
  func components(of part: String) -> Int { self.ranges(of: part).count }
}
