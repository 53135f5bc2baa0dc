import ArgumentParser
import Glibc
import IO
import Probing

/// `callqa-probe PLAN`: places test calls.
struct Probe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "callqa-probe",
    abstract: "Places real calls with headless browsers, through a relay that impairs them.",
    discussion: """
      PLAN is a file of JSON: scenarios, impairments and repetitions (docs/probe.md). Logs, expectations and the relay's \
      own counts go to the folder of --out, ready for `callqa import OUT/calls`.

      Example:
        callqa-probe probe/four-calls.json --out out/probe
        callqa import out/probe/calls --db out/probe/callqa.sqlite

      Exit codes: 0 all calls were placed, 1 the machine spoiled some of them (rig faults), 2 wrong command line or plan, \
      3 no browser, or nothing can be written, 4 a test failed: a page, or a connection or media that did not come.
      """)

  @Argument(help: "The plan, a file of JSON.")
  var plan: String

  @Option(help: "Folder for what comes of it; its `calls` must be empty.")
  var out = "out/probe"

  @Option(name: .customLong("run"), help: "Name of the run (default: the plan's `run`, else `probe`).")
  var runName: String?

  @Option(help: "Chromium or Chrome (default: the first of chromium, google-chrome, chrome on the PATH).")
  var browser: String?

  @Option(help: "Firefox, for pages that name it (default: the first of firefox-esr, firefox on the PATH).")
  var firefox: String?

  @Flag(help: "Only print the calls that would be placed.")
  var dryRun = false

  func run() throws {
    do {
      guard let bytes = try? allBytes(of: InputFile(path: plan, largest: 16 << 20)) else {
        throw ProbeError("it cannot be read")
      }
      let calls = try ProbePlan(json: bytes)
      if dryRun {
        for call in calls.calls { print(call.id) }
        return
      }
      let named: [BrowserKind: (option: String, path: String?)] = [
        .chromium: ("--browser", browser), .firefox: ("--firefox", firefox),
      ]
      var programs: [BrowserKind: String] = [:]
      for kind in calls.browsers {
        programs[kind] = named[kind]?.path ?? Self.onPath(kind.programs)
        guard programs[kind] == nil else { continue }
        say(
          "there is no \(kind.name) on the PATH: install it (Debian: apt-get install \(kind.programs[0])) or name one "
            + "with \(named[kind]?.option ?? "")")
        throw ExitCode(3)
      }
      let name = runName ?? calls.run ?? "probe"
      ProbeInterruption.listen()
      let tally: ProbeTally
      do {
        tally = try ProbeRun(calls, name: name, folder: out, programs: programs) { Self.printLine($0) }
          .place()
      } catch let error as ProbeError {
        say(error.description)
        throw ExitCode(3)
      }
      if tally.spoiled > 0 {
        say(
          "\(tally.spoiled) of \(calls.calls.count) calls were spoiled by this machine, and are no verdict on the network"
        )
      }
      if tally.failed > 0 {
        say(
          "\(tally.failed) of \(calls.calls.count) calls failed: \(out)/placed.xml says why, \(out)/pages shows it"
        )
      }
      if let signal = ProbeInterruption.signal {
        say("interrupted: \(out) has what was known")
        throw ExitCode(128 + signal)
      }
      if tally.failed > 0 { throw ExitCode(4) }
      if tally.spoiled > 0 { throw ExitCode(1) }
    } catch let error as ProbeError {
      say("\(plan): \(error)")
      throw ExitCode(2)
    }
  }

  private func say(_ words: String) { Self.write("callqa-probe: \(words)\n", to: 2) }

  private static func printLine(_ line: String) { write(line + "\n", to: 1) }

  private static func write(_ text: String, to file: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
  }

  private static func onPath(_ names: [String]) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
    for name in names {
      for folder in folders.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
        return "\(folder)/\(name)"
      }
    }
    return nil
  }
}
