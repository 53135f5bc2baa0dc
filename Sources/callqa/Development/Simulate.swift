import ArgumentParser
import CallModel
import Glibc
import Rendering
import Reporting
import Simulating

/// `callqa simulate`: creates a simulated fleet for trying out reports and gates.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Fill a new database with a simulated fleet, or measure how gates behave.",
    usage: "callqa simulate [<options>]",
    discussion: """
      Conditions and their scatter are those of real recordings (bench/variances.sql); they are printed first. The last \
      night has a known regression: H264 calls of pexip lose 15 points.

      Example:
        callqa simulate --db fleet.sqlite --nights 15 --calls 20000 --seed 1
        callqa simulate --bars 200 --calls 20000 --gate reports/nightly/nightly.gate
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(help: ArgumentHelp("Nights to make.", valueName: "n"))
  var nights = 15

  @Option(help: ArgumentHelp("Calls a night.", valueName: "n"))
  var calls = 20_000

  @Option(help: ArgumentHelp("Seed: the same fleet for the same number.", valueName: "n"))
  var seed: UInt64 = 1

  @Flag(help: "No regression and no rig fault on the last night.")
  var quietNight = false

  @Option(
    help: ArgumentHelp(
      "Calls of a scenario (or all) in which the callee stops hearing the caller, on the last night; may be repeated.",
      valueName: "scenario=share"))
  var silent: [String] = []

  @Option(
    help: ArgumentHelp(
      "Calls of a scenario (or all) in which nobody speaks, as with voicemail, every night; may be repeated.",
      valueName: "scenario=share"))
  var unsent: [String] = []

  @Option(
    help: ArgumentHelp(
      "Calls that fail with a code, on the last night; may be repeated.", valueName: "code=share"))
  var fail: [String] = []

  @Option(
    help: ArgumentHelp(
      "Points that the calls of a scenario (or all) lose on the last night; may be repeated.",
      valueName: "scenario=points"))
  var regress: [String] = []

  @Option(
    help: ArgumentHelp(
      "Instead, judge this many quiet and changed nights by a gate file.", valueName: "seeds"))
  var bars: Int?

  @Option(name: .customLong("gate"), help: ArgumentHelp("The gate file for --bars.", valueName: "file"))
  var gateFile: String?

  func validate() throws {
    guard (1...54).contains(nights), (1...1_000_000).contains(calls), bars ?? 1 > 0 else {
      throw ValidationError("--nights is 1 to 54, --calls 1 to 1000000, --bars 1 or more.")
    }
    _ = try incidents()
  }

  func run() throws {
    let output = Output.standard()
    try output.write(
      "condition              score  spread  setup_ms   (setup scatters by a factor of e^\(Condition.setupSpread))\n"
    )
    for condition in Condition.measured {
      let name = condition.name + String(repeating: " ", count: max(1, 22 - condition.name.count))
      try output.write("\(name) \(condition.score)\t\(condition.spread)\t\(condition.setupMs)\n")
    }
    try bars.map { try measure($0, output) } ?? fill(output)
    try output.flush()
  }

  /// The incidents requested by the options.
  private func incidents() throws -> [FleetIncident] {
    let known = Set(FleetPlan(seed: seed).scenarioNames)
    func parts(_ text: String, _ option: String, _ range: ClosedRange<Double>) throws -> (String, Double) {
      guard let sign = text.lastIndex(of: "="), sign != text.startIndex,
        let number = Double(text[text.index(after: sign)...]), range.contains(number)
      else {
        throw ValidationError(
          "--\(option) takes NAME=NUMBER, from 0 to \(Int(range.upperBound)), not '\(text)'.")
      }
      return (String(text[..<sign]), number)
    }
    func scenario(_ name: String) throws -> String? {
      guard name != "all" else { return nil }
      guard known.contains(name) else {
        throw ValidationError(
          "there is no scenario '\(name)': \(known.sorted().joined(separator: ", ")), all.")
      }
      return name
    }
    var incidents: [FleetIncident] = []
    for text in silent {
      let (name, share) = try parts(text, "silent", 0...1)
      incidents.append(FleetIncident(.silent(share: share), scenario: try scenario(name)))
    }
    for text in unsent {
      let (name, share) = try parts(text, "unsent", 0...1)
      incidents.append(FleetIncident(.unsent(share: share), scenario: try scenario(name)))
    }
    for text in fail {
      let (code, share) = try parts(text, "fail", 0...1)
      incidents.append(FleetIncident(.fail(code: code, share: share)))
    }
    for text in regress {
      let (name, points) = try parts(text, "regress", 0...100)
      incidents.append(FleetIncident(.regress(points: points), scenario: try scenario(name)))
    }
    return incidents
  }

  private func fill(_ output: Output) throws {
    guard access(database.resolved, F_OK) != 0 else {
      throw Failure(
        .wrongCommandLine, "\(database.resolved) is there already; a fleet is simulated into a new database")
    }
    var plan = FleetPlan(seed: seed)
    (plan.nights, plan.callsPerNight) = (nights, calls)
    if quietNight { (plan.regression, plan.rigFaults) = (nil, 0) }
    plan.incidents = try incidents()
    var fleet = FleetStore(plan, try database.open(.write))
    try fleet.write()
    try output.write(
      "\(Plural.of(nights, "night")) of \(Plural.of(calls, "call")) in \(database.resolved)\n"
    )
  }

  private func measure(_ seeds: Int, _ output: Output) throws {
    let gates = try Reports.explained { try GateFile(path: gateFile ?? "reports/nightly/nightly.gate").gates }
    let bars = GateBars(gates: gates, seeds: seeds, callsPerNight: calls)
    let result = bars.run()
    try output.write(
      """
      \(seeds) seeds, \(calls) calls a night, 5 SDKs, 40 scenarios
      quiet nights: \(result.falseBlocks) with a false block, \(result.undecided) with a gate undecided
      nights on which one SDK lost \(bars.points) points: \(result.blocked) blocked it, on \(result.noticed) the change was significant,
      \(result.othersBlocked) blocked another SDK

      """)
  }
}
