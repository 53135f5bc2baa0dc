import FoundationEssentials
import Glibc

/// The result of one call of a plan.
struct ProbeResult {
  var call: ProbePlan.Call
  var beganMs: Double
  var endedMs: Double
  /// The names of its logs in its folder.
  var files: [String]
  var truth: RelayTruth
  var health: RigHealth
  /// The states of each end's connection.
  var states: [String: [String]]
  /// What makes it a failed test: what the pages did wrong, or a connection or media that did not come.
  var failures: [String] = []
  /// Screenshots and consoles of a failed test, by their names in `pages`.
  var evidence: [String] = []
  var console: [String] = []

  enum Kind: String { case placed, failed, spoiled }

  /// A machine without processor time makes pages fail too, so that comes first.
  var kind: Kind { !health.isHealthy ? .spoiled : failures.isEmpty ? .placed : .failed }
  var problems: [String] { kind == .spoiled ? health.faults + failures : failures }
}

/// How many calls of a plan were spoiled by the machine, and how many are failed tests.
public struct ProbeTally: Sendable, Equatable {
  public var spoiled = 0
  public var failed = 0
}

/// Places the calls of a plan one by one, and writes files for `callqa import`.
///
///     OUT/calls/run.json          the expectations for each call
///     OUT/calls/ID/NAME.jsonl     each end's run log
///     OUT/relay/ID.csv            the relay's counts per second
///     OUT/probe.json              the ground truth of each call, and the health of the machine
///     OUT/placed.xml              each call as a test, in JUnit XML
///     OUT/pages/ID-NAME.*         screenshot and console of each page of a failed test
///     OUT/rig-faults/ID           logs of calls spoiled by the machine, with a run.json of their own
public struct ProbeRun {
  private let plan: ProbePlan
  private let name: String
  private let folder: String
  private let programs: [BrowserKind: String]
  private let say: (String) -> Void

  /// Number of attempts for a call that is spoiled by the machine.
  private static let attempts = 2

  /// `name` of the run, `folder` for the output (created if missing), `programs`: the paths of the plan's
  /// browsers.
  public init(
    _ plan: ProbePlan, name: String, folder: String, programs: [BrowserKind: String],
    say: @escaping (String) -> Void
  ) {
    (self.plan, self.name, self.folder, self.programs, self.say) = (plan, name, folder, programs, say)
  }

  /// Places every call, until the program is to end. What is known is written after each of them. Throws a `ProbeError`
  /// if the browser does not start or files cannot be written.
  public func place() throws -> ProbeTally {
    for sub in ["", "/calls", "/relay"] { try make(folder + sub) }
    guard (try? FileManager.default.contentsOfDirectory(atPath: folder + "/calls"))?.isEmpty == true else {
      throw ProbeError("\(folder)/calls is not empty: name another folder with --out, or remove it")
    }
    for file in plan.calls.flatMap({ [$0.scenario.microphone, $0.scenario.camera] }).compactMap({ $0 })
    where access(file, R_OK) != 0 {
      throw ProbeError("\(file) cannot be read: \(String(cString: strerror(errno)))")
    }
    let scripts = try ProbedCall.Scripts()
    let media = folder + "/media"
    try make(media)
    defer { try? FileManager.default.removeItem(atPath: media) }
    try Probing.write(FakeMedia.voice(), to: media + "/voice.wav")
    try Probing.write(FakeMedia.picture(), to: media + "/picture.y4m")

    var results: [ProbeResult] = []
    func tally() -> ProbeTally {
      ProbeTally(
        spoiled: results.count { $0.kind == .spoiled }, failed: results.count { $0.kind == .failed })
    }
    try describe(results)
    for (index, call) in plan.calls.enumerated() {
      for attempt in 1...Self.attempts {
        // New browsers for each call, so that no state is left over.
        let place = folder + "/calls/" + call.id
        let result: ProbeResult
        do {
          let loop = BrowserLoop()
          var browsers: [BrowserKind: any Browser] = [:]
          defer { browsers.values.forEach { $0.close() } }
          for kind in call.scenario.browsers {
            browsers[kind] = try kind.start(
              BrowserPlace(
                program: programs[kind] ?? kind.programs[0], log: folder + "/browser.log", loop: loop,
                microphone: call.scenario.microphone ?? media + "/voice.wav",
                camera: call.scenario.camera ?? media + "/picture.y4m"))
          }
          try make(place)
          result = try ProbedCall(call, browsers: browsers, loop: loop, scripts: scripts).place(
            into: place, shown: folder + "/pages")
        } catch is ProbeInterrupted {
          // A call that was given up is no call.
          try? FileManager.default.removeItem(atPath: place)
          return tally()
        }
        say(line(of: result, index, attempt))
        if !result.health.isHealthy {
          try setAside(result, attempt)
          if attempt < Self.attempts { continue }
        }
        results.append(result)
        try Probing.write(Array(result.truth.csv.utf8), to: "\(folder)/relay/\(call.id).csv")
        break
      }
      try describe(results)
    }
    return tally()
  }

  private func line(of result: ProbeResult, _ index: Int, _ attempt: Int) -> String {
    let seconds = Int(((result.endedMs - result.beganMs) / 1000).rounded())
    let states = Set(result.states.values.joined())
    let word =
      states.contains("connected") ? "connected" : states.contains("failed") ? "failed" : "not connected"
    let counts = result.truth.totals.values
    let packets = counts.reduce(0) { $0 + $1.packets }
    let dropped = counts.reduce(0) { $0 + $1.lost + $1.queue_full + $1.blackhole }
    var line = "\(index + 1)/\(plan.calls.count)  \(result.call.id): \(word), \(seconds) s, "
    line += "the relay dropped \(dropped) of \(packets) packets"
    if !result.failures.isEmpty {
      line += "\n     failed: " + result.failures.joined(separator: "; ")
    }
    if !result.health.isHealthy {
      line += "\n     rig fault: " + result.health.faults.joined(separator: "; ")
      if attempt < Self.attempts { line += "\n     placed once more" }
    }
    return line
  }

  /// Logs of a call spoiled by the machine are kept, but not among those of the run.
  private func setAside(_ result: ProbeResult, _ attempt: Int) throws {
    let place = "\(folder)/rig-faults/\(result.call.id)-\(attempt)"
    try make(folder + "/rig-faults")
    guard rename("\(folder)/calls/\(result.call.id)", place) == 0 else {
      throw ProbeError("\(place) cannot be made: \(String(cString: strerror(errno)))")
    }
    let manifest: JSONValue = [
      "run": .string(name + "-rig-faults"),
      "labels": ["rig_fault": .string(result.health.faults.joined(separator: "; "))],
    ]
    try write(json: manifest, to: place + "/run.json")
  }

  private func describe(_ results: [ProbeResult]) throws {
    let healthy = results.filter(\.health.isHealthy)
    try write(
      json: Manifest(run: name, labels: ["source": "callqa-probe"], calls: healthy.map(Manifest.Call.init)),
      to: folder + "/calls/run.json")
    try write(json: results.map(CallAccount.init), to: folder + "/probe.json")
    let rest = plan.calls.dropFirst(results.count)
    try Probing.write(
      Array(PlacedJUnit.document(results, notPlaced: Array(rest)).utf8), to: folder + "/placed.xml")
  }

  private struct Manifest: Encodable {
    struct Call: Encodable {
      var call_id: String
      var sdk: String
      var scenario: String
      var files: [String]
      var expect: ProbePlan.Expectation?
      var labels: [String: String]

      init(_ result: ProbeResult) {
        call_id = result.call.id
        sdk = "webrtc"
        scenario = "\(result.call.scenario.name) \(result.call.network.name)"
        files = result.files.map { "\(result.call.id)/\($0)" }
        expect = result.call.expectation
        labels = ["impairment": result.call.network.name]
        if !result.failures.isEmpty { labels["failed_test"] = result.failures.joined(separator: "; ") }
      }
    }

    var run: String
    var labels: [String: String]
    var calls: [Call]
  }

  private struct CallAccount: Encodable {
    var call_id: String
    var began_ms: Double
    var ended_ms: Double
    var states: [String: [String]]
    var is_healthy: Bool
    var rig_faults: [String]
    var failures: [String]
    var relay: RelayTruth

    init(_ result: ProbeResult) {
      (call_id, began_ms, ended_ms) = (result.call.id, result.beganMs, result.endedMs)
      (states, is_healthy, rig_faults) = (result.states, result.health.isHealthy, result.health.faults)
      failures = result.failures
      relay = result.truth
    }
  }

  private func make(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw ProbeError("the folder \(path) cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  private func write(json value: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      throw ProbeError("\(path) cannot be written: a figure is no number")
    }
    try Probing.write([UInt8](data) + [10], to: path)
  }
}

/// Writes a file atomically: to a temporary file, which is then renamed. Throws a `ProbeError`.
func write(_ bytes: [UInt8], to path: String) throws {
  let beside = path + ".part"
  let file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw ProbeError("\(path) cannot be written: \(String(cString: strerror(errno)))") }
  var done = 0
  while done < bytes.count {
    let wrote = bytes.withUnsafeBytes {
      Glibc.write(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
    }
    guard wrote > 0 else {
      let why = String(cString: strerror(errno))
      close(file)
      unlink(beside)
      throw ProbeError("\(path) cannot be written: \(why)")
    }
    done += wrote
  }
  guard close(file) == 0, rename(beside, path) == 0 else {
    throw ProbeError("\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
