import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("Streams of an end in a line")
struct StreamWordsTests {
  private static func stream(_ ssrc: Int64, lost: Int64, concealed: Double, source: Int64 = 1)
    -> StreamAccount
  {
    StreamAccount(
      key: ssrc, source: .stats, chosen: true, direction: .inbound, kind: .audio, codec: "opus",
      ssrc: ssrc, screen: false, firstMs: nil, lastMs: nil,
      figures: [
        "packets": .integer(1000 - lost), "lost": .integer(lost), "concealed_share": .real(concealed),
        "source_id": .integer(source),
      ], parts: [StreamAccount.Part(key: ssrc, source: source)])
  }

  private static func end(_ streams: [StreamAccount]) -> EndAccount {
    var end = SampleAccount.end("caller", [])
    end.streams = streams
    return end
  }

  @Test("of several streams the worst is reported, with its name, and what holds of the others")
  func worst() {
    let streams = (1000..<1020).map {
      Self.stream($0, lost: $0 == 1007 ? 150 : 0, concealed: $0 == 1007 ? 0.12 : 0)
    }
    #expect(
      StreamWords.received(Self.end(streams), .audio)
        == "worst of 20 streams: SSRC 1007, opus, 15 % lost, 12 % concealed; the other 19: 0 % lost")
    #expect(StreamWords.received(Self.end([streams[7]]), .audio) == "opus, 15 % lost, 12 % concealed")
  }

  @Test("a codec that changed is reported with the one before")
  func codecs() {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    (stream.firstCodec, stream.codec) = ("opus", "PCMU")
    #expect(StreamWords.received(Self.end([stream]), .audio) == "opus, later PCMU, 0 % lost, 0 % concealed")
  }

  @Test("repeats of a stream's packets are no stream of their own")
  func repairs() {
    var streams = [1, 2].map { Self.stream($0, lost: $0 == 2 ? 100 : 0, concealed: 0) }
    streams[0].figures["rtx_ssrc"] = .integer(2)
    #expect(StreamWords.received(Self.end(streams), .audio) == "opus, 0 % lost, 0 % concealed")
    streams[1].direction = .outbound
    #expect(StreamWords.sent(Self.end(streams)) == "opus", "what is sent may bear any number")
  }

  @Test("redundancy in a stream of its own is called so")
  func redundancy() {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    (stream.direction, stream.source, stream.codec, stream.kind) = (.outbound, .capture, nil, nil)
    stream.figures["bitrate_mean_bps"] = .real(149_000)
    #expect(StreamWords.sent(Self.end([stream])) == "stream 149 kb/s")
    stream.figures["role"] = .text("fec")
    #expect(StreamWords.sent(Self.end([stream])) == "redundancy 149 kb/s")
  }

  @Test("a stream whose capture was cut into files is one, and its figures are those of all of it")
  func parts() throws {
    func part(_ number: Int64, lost: Int64, source: StreamSource) -> StreamAccount {
      var part = Self.stream(1, lost: lost, concealed: 0.1, source: number)
      part.source = source
      (part.firstMs, part.lastMs) = (Double(number) * 10_000, Double(number) * 10_000 + 9980)
      part.figures["concealed_samples"] = .integer(100 * number)
      part.figures["total_samples"] = .integer(1000)
      part.figures["jitter_mean_ms"] = .real(Double(number))
      return part
    }
    let captured = StreamAccount.whole([3, 1, 2].map { part($0, lost: $0 * 10, source: .capture) })
    #expect(
      StreamWords.received(Self.end(captured), .audio) == "opus, 2 % lost, 20 % concealed, jitter 2 ms")
    #expect(captured.first?.parts.map(\.source) == [1, 2, 3])
    #expect(Self.end(captured).mainSources == [1, 2, 3])
    let counted = StreamAccount.whole([1, 2].map { part($0, lost: 30 - $0 * 10, source: .stats) })
    #expect(counted.count == 1 && counted.first?.number("packets") == 990, "its counters went on")
    let apart = StreamAccount.whole([1, 9].map { part($0, lost: 0, source: .capture) })
    #expect(apart.count == 2, "a minute and more between them is no cut")
  }

  @Test("what came off the wire was not lost on it")
  func arrival() throws {
    var captured = Self.stream(1, lost: 0, concealed: 0)
    captured.source = .capture
    captured.chosen = false
    captured.figures["expected"] = .integer(1000)
    var end = SampleAccount.end("caller", [])
    end.streams = [Self.stream(1, lost: 33, concealed: 0), captured]
    let shares = EndTotals([]).shares(of: end, .audio)
    #expect(try #require(shares.lost) == 0.033 && shares.wire == 0)
    let words = try #require(WireWords(SampleAccount.call(ends: [end])).sentences.first)
    #expect(words.contains("the receiver counted 33 lost, which had reached it and were lost there"))
  }

  @Test(
    "what its sender's own capture misses as well was never sent", arguments: [(95, true), (20, false)])
  func neverSent(unsent: Int64, isKnown: Bool) {
    func captured(_ direction: StreamDirection, lost: Int64) -> StreamAccount {
      var stream = Self.stream(1, lost: lost, concealed: 0)
      (stream.source, stream.direction) = (.capture, direction)
      stream.figures["expected"] = .integer(1000)
      return stream
    }
    let windows = (0..<7).map { SampleAccount.window($0, [.loss: 40], loss: 0.1, audio: 50) }
    var callee = SampleAccount.end("callee", windows)
    callee.streams = [captured(.inbound, lost: 100)]
    var caller = SampleAccount.end("caller", [])
    caller.streams = [captured(.outbound, lost: unsent)]
    let account = SampleAccount.call(ends: [caller, callee])
    let place = ScoreCaveats(account).lossPlace(callee)
    #expect(place == (isKnown ? .neverSent : .inTransit))
    let words = ImpairedSpan.worst(windows).first?.words(at: callee.name, place: place) ?? ""
    #expect(
      words.contains(isKnown ? "(10 % never sent to the callee)" : "(10 % lost on the wire"), "\(words)")
  }

  @Test(
    "beside freezes stands the counter's time, and that of the score, which the sentences tell, where it differs"
  )
  func stillTime() {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    stream.kind = .video
    stream.figures["freeze_count"] = .integer(6)
    stream.figures["freeze_ms"] = .real(2900)
    var windows = (0..<2).map { SampleAccount.window($0, [.freeze: 60]) }
    for place in windows.indices { windows[place].inputs.freezeShare = 0.33 }
    var end = Self.end([stream])
    (end.windows, end.score) = (windows, ScoreFigures(windows))
    #expect(StreamWords.received(end, .video)?.contains("6 freezes (2.9 s; still for 3.3 s)") == true)
    let sentences = Narrative(SampleAccount.call(ends: [end])).sentences.joined()
    #expect(sentences.contains("picture stand still for 3.3 s"), "\(sentences)")
  }

  @Test("one time stands beside freezes where the counter and the score have the same")
  func sameTime() {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    stream.kind = .video
    stream.figures["freeze_count"] = .integer(2)
    stream.figures["freeze_ms"] = .real(3300)
    var windows = (0..<2).map { SampleAccount.window($0, [.freeze: 60]) }
    for place in windows.indices { windows[place].inputs.freezeShare = 0.33 }
    var end = Self.end([stream])
    end.windows = windows
    #expect(StreamWords.received(end, .video)?.contains("2 freezes (3.3 s)") == true)
  }

  @Test("freezes that no score is of, as those of a hold, are told apart")
  func unscoredFreezes() {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    stream.kind = .video
    stream.figures["freeze_count"] = .integer(5)
    stream.figures["freeze_ms"] = .real(8100)
    var windows = (0..<4).map { SampleAccount.window($0, state: $0 == 1 ? .unscored : .active) }
    windows[0].inputs.freezeShare = 0.12
    var end = Self.end([stream])
    end.windows = windows
    let words = StreamWords.received(end, .video) ?? ""
    #expect(words.contains("5 freezes (8.1 s; still for 600 ms of the time with a score)"), "\(words)")
  }

  @Test(
    "reports far apart are reported: windows between them share their mean",
    arguments: [(13, false), (5, true)])
  func sparseReports(samples: Int64, isMentioned: Bool) {
    var stream = Self.stream(1, lost: 0, concealed: 0)
    (stream.firstMs, stream.lastMs) = (SampleAccount.startMs, SampleAccount.startMs + 60_000)
    stream.figures["samples"] = .integer(samples)
    var end = Self.end([stream])
    end.windows = (0..<12).map { SampleAccount.window($0) }
    let account = SampleAccount.call(ends: [end])
    #expect(Unknowns(account).sentences.contains { $0.contains("they came 15 s apart") } == isMentioned)
    #expect(
      CallText(account, for: TerminalFacts(width: 200)).text.contains("the same between reports")
        == isMentioned)
  }

  @Test(
    "reports far apart in a part of the call are reported with how long that was, a hole now and then is not",
    arguments: [(60, 3), (60, 0), (10, 1)])
  func sparseInPart(apart: Int, gaps: Int) throws {
    var end = SampleAccount.end("caller", (0..<60).map { SampleAccount.window($0) })
    end.spans = (0..<gaps).map { index in
      let from = SampleAccount.startMs + 30_000 + Double(index * apart) * 1000
      return MediaSpan(.gap, nil, from: from, to: from + Double(apart) * 1000)
    }
    let account = SampleAccount.call(ends: [end])
    let sentence =
      "How it was at the caller from one report to the next for 3 min in all: there they came 60 s apart, and every "
      + "window between two of them has their mean."
    #expect(Unknowns(account).sentences.contains(sentence) == (gaps == 3))
    let text = CallText(account, for: TerminalFacts(width: 200)).text
    #expect(text.contains("5 s each, the same where reports came 60 s apart") == (gaps == 3), "\(text)")
  }

  @Test("what nobody counted of the sound that was concealed is said to be estimated")
  func estimated() throws {
    var stream = Self.stream(1, lost: 50, concealed: 0)
    stream.figures["concealed_share"] = nil
    var end = Self.end([stream])
    end.windows = (0..<4).map { index in
      var window = SampleAccount.window(index, [.loss: 30, .jitter: 10], loss: 0.05, audio: 60)
      window.inputs.concealedShare = 0.07
      return window
    }
    end.score = ScoreFigures(end.windows)
    let sentence = CallText(SampleAccount.call(ends: [end]), for: TerminalFacts(width: 100)).text
    let text = sentence.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in [
      "5 % was lost on the wire and an estimated 7 % concealed.",
      "an estimated 2 % of the sound came too late",
      "How much of the sound was concealed or came too late at the caller: the source does not count it",
    ] {
      #expect(text.contains(words), "\(text)")
    }
    for counter in ["concealed_samples", "jitter_ms speech_expand_rate", "decoding_plc"] {
      end.streams[0].figures["metrics"] = .text(counter)
      #expect(
        !CallText(SampleAccount.call(ends: [end]), for: TerminalFacts(width: 300)).text.contains("estimated"))
    }
  }

  @Test(
    "media of before its record is reported as unknown, and beside the score where it was a tenth or more",
    arguments: [(0, false, false), (1, true, false), (399, true, true)])
  func unrecordedHead(first: Int, isUnknown: Bool, isSignificant: Bool) {
    let windows = (first..<first + 200).map { SampleAccount.window($0) }
    let account = SampleAccount.call(ends: [SampleAccount.end("caller", windows)])
    let length = first == 1 ? "5 s" : "33 min 15 s"
    let sentence =
      "The quality at the caller for about its first \(length): media came already, and its record begins only then."
    #expect(Unknowns(account).sentences.contains(sentence) == isUnknown)
    let caveat = "The score of the caller leaves out about the first \(length): its record begins only then."
    #expect(Narrative(account).sentences.contains(caveat) == isSignificant)
  }

  @Test("a change of path is reported where a capture knows addresses alone")
  func moved() {
    var end = SampleAccount.end("caller", [])
    end.path = [PathStep(fromMs: 0, local: "192.0.2.1:1"), PathStep(fromMs: 1, local: "192.0.2.2:1")]
    #expect(PathWords.of(end) == nil, "two ways at once")
    end.path[1].isChange = true
    #expect(PathWords.of(end) == "changed path once")
  }

  @Test("an end's figures are those of one witness, and of the files in which its streams go on")
  func sources() {
    let streams = [
      Self.stream(1, lost: 0, concealed: 0, source: 1), Self.stream(2, lost: 0, concealed: 0, source: 1),
      Self.stream(2, lost: 0, concealed: 0, source: 4), Self.stream(3, lost: 0, concealed: 0, source: 7),
    ]
    #expect(Self.end(streams).mainSources == [1, 4])
    #expect(Self.end([]).mainSources == nil)
  }
}
