import CallModel
import Foundation
import SetupTime
import Testing

/// Recorded calls beside the package, where they are present.
private let calls = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/calls")

private func recordings() -> [String] {
  let folders = (try? FileManager.default.contentsOfDirectory(atPath: calls.path())) ?? []
  return folders.sorted().flatMap { ["\($0)/caller", "\($0)/callee"] }
    .filter { FileManager.default.fileExists(atPath: calls.appending(path: $0 + ".events.jsonl.gz").path()) }
}

@Suite(
  "Recorded calls: the phases are what the events say",
  .enabled(if: !recordings().isEmpty, "needs the recorded calls in ../shared/calls"))
struct RecordedCallTests {
  struct Line {
    var time: Double
    var event: String
    var value: String
  }

  private func lines(_ recording: String) throws -> [Line] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-dc", calls.appending(path: recording + ".events.jsonl.gz").path()]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    return try data.split(separator: 0x0A).map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
      return Line(
        time: try #require(object["t"] as? Double), event: try #require(object["event"] as? String),
        value: object["value"] as? String ?? object["type"] as? String ?? "")
    }
  }

  // The reader's work in short: canonical names with the facts beside them.
  private func events(_ lines: [Line], _ recording: String) -> [EventRecord] {
    lines.flatMap { line in
      W3CEvents.meanings(
        of: line.event, value: line.event.contains("Desc") ? "type: \(line.value)," : line.value
      )
      .map { EventRecord(timeMs: line.time, event: $0.event, raw: line.event, sdk: "w3c") }
    }
  }

  @Test("within a millisecond", arguments: recordings())
  func phases(recording: String) throws {
    let lines = try lines(recording)
    let attempt = try #require(setupAttempts(of: events(lines, recording)).first)
    func at(_ event: String, _ value: String? = nil, from: Double = 0) -> Double? {
      lines.first { $0.event == event && (value == nil || $0.value == value) && $0.time >= from }?.time
    }
    let checking = [
      at("iceconnectionstatechange", "checking"), at("connectionstatechange", "connecting"),
    ].compactMap { $0 }.min()
    let ice = at("iceconnectionstatechange", "connected")
    let dtls = at("connectionstatechange", "connected")
    expect(
      attempt, .gathering, at("icegatheringstatechange", "gathering"),
      at("icegatheringstatechange", "complete"))
    expect(attempt, .capture, at("getUserMedia"), at("getUserMediaSuccess"))
    if recording.hasSuffix("caller") {
      #expect(attempt.direction == .outgoing)
      expect(attempt, .signalling, at("setLocalDescriptionOnSuccess"), at("setRemoteDescription", "answer"))
    } else {
      #expect(attempt.direction == .incoming)
    }
    guard let ice, let dtls else { return }
    expect(attempt, .ice, checking, ice)
    expect(attempt, .dtls, ice, dtls)
    expect(attempt, .firstPacket, dtls, at("trackunmute", from: dtls))
    expect(attempt, .firstFrame, dtls, at("firstFrameRendered", from: dtls))
    expect(attempt, .firstAudio, dtls, at("firstAudio", from: dtls))
    #expect(attempt.setupMs == at("create").map { dtls - $0 })
    #expect(attempt.outcome == .completed)
  }

  private func expect(_ attempt: SetupAttempt, _ name: PhaseName, _ from: Double?, _ to: Double?) {
    guard let from, let to else {
      #expect(attempt.state(name) != .measured, "\(name)")
      return
    }
    #expect(abs((attempt.lasted(name) ?? .infinity) - (to - from)) < 1, "\(name)")
  }

  @Test("the slow setup was slow in ICE and DTLS")
  func slowSetup() throws {
    let attempt = try #require(
      setupAttempts(of: events(lines("t26-slow-setup/caller"), "t26-slow-setup/caller")).first)
    #expect(attempt.lasted(.dtls)?.rounded() == 2405)
    #expect(attempt.lasted(.ice)?.rounded() == 1201)
  }

  @Test("the black hole failed at ICE, and nothing after it happened", arguments: ["caller", "callee"])
  func blackhole(end: String) throws {
    let attempt = try #require(
      setupAttempts(of: events(lines("t25-fail-blackhole/\(end)"), "t25-fail-blackhole/\(end)")).first)
    #expect(attempt.outcome == .failed)
    #expect(attempt.phase(.ice)?.cause?.contains("failed here") == true)
    for name in [PhaseName.dtls, .firstPacket, .firstFrame, .firstAudio] {
      #expect(attempt.state(name) == .absent, "\(name)")
    }
  }
}
