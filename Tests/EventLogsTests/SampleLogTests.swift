import CallModel
import EventLogs
import Foundation
import SetupTime
import Testing

@Suite("The sample logs of five SDKs, with phases worked out by hand")
struct SampleLogTests {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "samples/sdk-logs")

  private func story(_ file: String, _ format: SourceFormat) throws -> Story {
    let bytes = try Data(contentsOf: folder.appending(path: file))
    #expect(
      try Array(bytes).withUnsafeBufferPointer { try EventLogReader.recognise($0, name: file) } == format)
    return try Story(format, String(decoding: bytes, as: UTF8.self))
  }

  @Test(
    "setup, ringing, post-dial delay, outcome",
    arguments: [
      ("cisco-rem/outgoing.jsonl", SourceFormat.runLog, 1400.0, 6500.0, 640.0, Outcome.completed),
      ("cisco-rem/incoming.logcat", .sdkText, 620, 4500, nil, .completed),
      ("kandy-link/outgoing.nslog", .sdkText, 4760, 4800, 4410, .completed),
      ("oracle-wsc/push-and-handover.jsonl", .runLog, 590, 4010, nil, .completed),
      ("pexip/client.jsonl", .runLog, 1040, nil, nil, .completed),
      ("rebtel/outgoing.jsonl", .runLog, 3900, 6000, 3900, .completed),
      ("rebtel/interrupted.jsonl", .runLog, 650, 4000, nil, .dropped),
      ("cisco-rem/no-capacity.jsonl", .runLog, nil, nil, nil, .failed),
      ("kandy-link/rejected.jsonl", .runLog, nil, 6000, 480, .rejected),
      ("oracle-wsc/busy.jsonl", .runLog, nil, nil, nil, .busy),
    ] as [(String, SourceFormat, Double?, Double?, Double?, Outcome)])
  func setup(
    file: String, format: SourceFormat, setup: Double?, ringing: Double?, postDial: Double?, outcome: Outcome
  ) throws {
    let story = try story(file, format)
    #expect(story.attempt?.setupMs == setup)
    #expect(story.lasted(.ringing) == ringing)
    #expect(story.attempt?.postDialDelayMs == postDial)
    #expect(story.attempt?.outcome == outcome)
    #expect(story.anomalies.isEmpty)
  }

  @Test("candidates were waited for, and no relay came")
  func gathering() throws {
    let story = try story("kandy-link/outgoing.nslog", .sdkText)
    #expect(story.lasted(.gathering) == 4012)
    #expect(story.attempt?.phases.first { $0.name == .gathering }?.cause?.contains("without a relay") == true)
    #expect(story.log.notes.contains { $0.contains("UTC+1") })
    #expect(story.events(.networkChanged).first?.untilMs == story.events(.networkChanged).last?.timeMs)
  }

  @Test("one call by two clocks: the difference is found and nothing is shifted")
  func clocks() throws {
    let client = try story("pexip/client.jsonl", .runLog)
    let stream = try story("pexip/events.log", .sse)
    let skew = try #require(clockSkew(of: stream.log.records, against: client.log.records))
    #expect(abs(skew.offsetMs + 43000) < 50)
    #expect(skew.matters)
    #expect(stream.attempt?.setupMs == nil, "a stream of the conference tells no setup")
    #expect(stream.events(.mediaDropout).first.map { ($0.untilMs ?? 0) - ($0.timeMs ?? 0) } == 4500)
    let shared = client.log.identities.intersection(stream.log.identities)
    #expect(shared.contains(.init(.session, "p-guest")))
    let everything = (client.log.records + stream.log.records).map(\.args).joined()
    #expect(!everything.contains("SAMPLE") && !everything.contains("U0FNUExF"))
  }
}
