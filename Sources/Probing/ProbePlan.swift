import CallModel
import FoundationEssentials
import IO

/// The calls to place: every scenario under every impairment, a number of times. Read from a JSON file.
public struct ProbePlan: Sendable, Equatable {
  /// The scenario: two pages of the probe, or pages of an application.
  public struct Scenario: Decodable, Equatable, Sendable {
    public var name: String
    /// Duration of the media before the hang-up, s.
    public var seconds: Double?
    /// Whether video is sent beside audio; true by default.
    public var video: Bool?
    /// Pages of an application, or the probe's own two; without them the latter.
    public var pages: [Page]?
    /// What the fake devices give, instead of the probe's own: a WAV file, and a Y4M or MJPEG file.
    public var microphone: String?
    public var camera: String?
    /// Connections go by a TURN server of the probe alone, over this transport.
    public var turn: Transport?

    /// A transport to a TURN server.
    public enum Transport: String, CaseIterable, Sendable, PlanWord {
      case udp, tcp
      static let noun = "transport"
    }
    public var expect: Expectation?

    var allPages: [Page] { pages ?? [Page(name: "caller"), Page(name: "callee")] }
    /// Whether the pages are the probe's own.
    var isOwn: Bool { allPages.allSatisfy { $0.url == nil } }
    var browsers: Set<BrowserKind> { Set(allPages.map(\.kind)) }
  }

  /// A page of a call.
  public struct Page: Decodable, Equatable, Sendable {
    /// The end's name in the log.
    public var name: String
    /// Without it the page is the probe's own.
    public var url: String?
    /// Chromium, if nothing is said.
    public var browser: BrowserKind?
    /// JavaScript that places or answers the call, once the page is loaded; may return a promise.
    public var start: String?
    /// JavaScript that ends it; without it the page is closed.
    public var hang_up: String?

    var kind: BrowserKind { browser ?? .chromium }
  }

  /// The impairments of the network, and when they change.
  public struct Network: Decodable, Equatable, Sendable {
    public var name: String
    public var both: Impairment?
    /// Packets to the first page.
    public var to_caller: Impairment?
    /// Packets from the first page.
    public var from_caller: Impairment?
    /// Changes during the call: each replaces all impairments before.
    public var changes: [Change]?
    public var expect: Expectation?
  }

  public struct Change: Decodable, Equatable, Sendable {
    /// Time since the first media packet, s.
    public var at_s: Double
    public var both: Impairment?
    public var to_caller: Impairment?
    public var from_caller: Impairment?
  }

  /// The expectations for a call; written to `run.json`, where gates read them.
  public struct Expectation: Codable, Equatable, Sendable {
    public var outcome: String?
    public var min_score: Double?
    public var max_setup_ms: Double?
  }

  /// One call to place.
  public struct Call: Sendable, Equatable {
    /// The call's id and folder: scenario, impairment and number.
    public var id: String
    public var scenario: Scenario
    public var network: Network
    public var seed: UInt64

    var seconds: Double { scenario.seconds ?? 20 }
    var isWithVideo: Bool { scenario.video ?? true }

    /// Whether the call is to be connected: unless it is expected to end otherwise.
    var mustConnect: Bool { expectation?.outcome ?? "completed" == "completed" }

    /// The members of the impairment's expectation take precedence over the scenario's.
    var expectation: Expectation? {
      guard let near = network.expect else { return scenario.expect }
      let far = scenario.expect
      return Expectation(
        outcome: near.outcome ?? far?.outcome, min_score: near.min_score ?? far?.min_score,
        max_setup_ms: near.max_setup_ms ?? far?.max_setup_ms)
    }
  }

  /// Name of the run; the command's `--run` takes precedence.
  public var run: String?
  public var calls: [Call]
  /// All that the pages are opened in.
  public var browsers: Set<BrowserKind> { Set(calls.flatMap(\.scenario.browsers)) }

  private struct File: Decodable {
    var run: String?
    var scenarios: [Scenario]?
    var impairments: [Network]?
    var repetitions: Int?
    var seed: UInt64?
  }

  /// The most calls in a plan, and the most pages in a call.
  static let maxCalls = 10_000
  private static let maxPages = 16

  /// Reads a plan. Throws a `ProbeError` with the invalid member and the reason.
  public init(json: [UInt8]) throws {
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(json))
      let members = try JSONDecoder().decode(JSONValue.self, from: Data(json))
      if let problem = PlanMembers.problem(in: members) { throw ProbeError("not a plan: \(problem)") }
    } catch let error as DecodingError {
      throw ProbeError("not a plan: \(error.words)")
    }
    let scenarios = file.scenarios ?? [Scenario(name: "call")]
    let networks = file.impairments ?? [Network(name: "clean")]
    let repetitions = file.repetitions ?? 1
    guard !scenarios.isEmpty, !networks.isEmpty, (1...1000).contains(repetitions) else {
      throw ProbeError("not a plan: scenarios and impairments are not empty, repetitions are from 1 to 1000")
    }
    guard scenarios.count * networks.count * repetitions <= Self.maxCalls else {
      throw ProbeError("not a plan: more than \(Self.maxCalls) calls")
    }
    run = file.run
    calls = []
    for scenario in scenarios {
      try Self.check(scenario)
      for network in networks {
        try Self.check(network)
        for number in 1...repetitions {
          let seed = (file.seed ?? 1) &* 1_000_003 &+ UInt64(calls.count)
          let id = [scenario.name, network.name, repetitions > 1 ? String(number) : nil]
          calls.append(
            Call(
              id: id.compactMap { $0 }.joined(separator: "-"), scenario: scenario, network: network,
              seed: seed))
        }
      }
    }
    guard Set(calls.map(\.id)).count == calls.count else {
      throw ProbeError(
        "not a plan: two calls would have one name; give scenarios and impairments names of their own")
    }
  }

  private static func check(_ scenario: Scenario) throws {
    try check(name: scenario.name, of: "scenario")
    guard scenario.browsers.contains(.chromium) || scenario.microphone ?? scenario.camera == nil else {
      throw ProbeError(
        "scenario '\(scenario.name)': only Chromium takes `microphone` and `camera` from files")
    }
    try check(scenario.expect, of: scenario.name)
    guard (1...3600).contains(scenario.seconds ?? 20) else {
      throw ProbeError("scenario '\(scenario.name)': `seconds` is from 1 to 3600")
    }
    guard let pages = scenario.pages else { return }
    guard (1...Self.maxPages).contains(pages.count) else {
      throw ProbeError(
        "scenario '\(scenario.name)': 1 to \(Self.maxPages) pages, and there are \(pages.count)")
    }
    for page in pages {
      try check(name: page.name, of: "page")
      if scenario.isOwn {
        guard pages.count == 2, page.start == nil, page.hang_up == nil else {
          throw ProbeError(
            "scenario '\(scenario.name)': the probe's own pages, without `url`, are two, and start and hang up themselves"
          )
        }
      } else if page.url?.hasPrefix("http://") != true, page.url?.hasPrefix("https://") != true {
        throw ProbeError("scenario '\(scenario.name)': the page's url begins with http:// or https://")
      }
    }
    guard Set(pages.map(\.name)).count == pages.count else {
      throw ProbeError("scenario '\(scenario.name)': two pages have one name")
    }
  }

  private static func check(_ expectation: Expectation?, of name: String) throws {
    if let word = expectation?.outcome, Outcome(rawValue: word) == nil {
      let words = Outcome.allCases.map(\.rawValue)
      throw ProbeError(
        "`\(word)` is no outcome (`expect` of '\(name)'): \(PlanMembers.suggestion(for: word, among: words))")
    }
    guard (0...100).contains(expectation?.min_score ?? 0), expectation?.max_setup_ms ?? 0 >= 0 else {
      throw ProbeError("`expect` of '\(name)': `min_score` is from 0 to 100, `max_setup_ms` from 0")
    }
  }

  private static func check(_ network: Network) throws {
    try check(name: network.name, of: "impairment")
    try check(network.expect, of: network.name)
    var all = [network.both, network.to_caller, network.from_caller]
    var last = 0.0
    for change in network.changes ?? [] {
      guard change.at_s >= last, change.at_s <= 3600 else {
        throw ProbeError("impairment '\(network.name)': `at_s` grows from change to change, up to 3600")
      }
      last = change.at_s
      all += [change.both, change.to_caller, change.from_caller]
    }
    if let problem = all.lazy.compactMap({ $0?.problem }).first {
      throw ProbeError("impairment '\(network.name)': \(problem)")
    }
  }

  /// Names are used for folders and call ids.
  private static func check(name: String, of kind: String) throws {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, (1...60).contains(name.utf8.count) else {
      throw ProbeError("the \(kind) '\(name)': a name has letters, digits, - and _, up to 60")
    }
  }
}

extension ProbePlan.Network {
  /// The initial impairments, and every change.
  var phases: [ProbePlan.Change] {
    [ProbePlan.Change(at_s: 0, both: both, to_caller: to_caller, from_caller: from_caller)] + (changes ?? [])
  }
}

extension ProbePlan.Change {
  func impairment(of direction: Direction) -> Impairment {
    switch direction {
    case .toCaller: to_caller ?? both ?? Impairment()
    case .fromCaller: from_caller ?? both ?? Impairment()
    }
  }
}

/// Why calls could not be placed, for users.
public struct ProbeError: Error, CustomStringConvertible, Equatable {
  public var description: String
  public init(_ description: String) { self.description = description }
}
