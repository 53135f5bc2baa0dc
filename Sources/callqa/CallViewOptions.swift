import ArgumentParser
import CallStore
import CallViews
import Glibc
import Rendering

/// Options for showing one call, shared by `call` and `show`.
struct CallViewOptions: ParsableArguments {
  @Flag(help: "One JSON object with every layer of the call.")
  var json = false

  @Flag(help: "Markdown for a ticket: the answer, findings with the places they rest on, setup, scores.")
  var markdown = false

  @Option(
    help: ArgumentHelp(
      "What held in a minute (14:03) or a second (14:03:10, or +0:42 from the start).", valueName: "time"))
  var at: String?

  @Flag(help: "Also the setup of every end, as a waterfall.")
  var setup = false

  @Flag(help: "Also what captures saw on the wire, and how it compares with the statistics.")
  var wire = false

  @Flag(help: "Also findings that are no errors.")
  var findings = false

  @Flag(help: "Also every event, candidates and unknown ones included.")
  var events = false

  @Flag(help: "Also the files it rests on, with what was noted of them.")
  var sources = false

  @Flag(help: "The whole view, with the events of note.")
  var all = false

  @Option(
    help: ArgumentHelp("Write one self-contained page instead; - is standard output.", valueName: "file"))
  var html: String?

  @Flag(help: "Open the page in a browser (a temporary file without --html).")
  var open = false

  @Option(help: ArgumentHelp("Write Chrome trace-event JSON instead, for Perfetto.", valueName: "file"))
  var trace: String?

  @Option(help: ArgumentHelp("Time zone, e.g. Europe/Berlin (default: local).", valueName: "zone"))
  var tz: String?

  @Flag(
    name: .customLong("hide-people"),
    help: "Other names in place of people and addresses, for what leaves this machine.")
  var hidesPeople = false

  @OptionGroup var permissions: ModeOptions

  func validate() throws {
    try Self.check(zone: tz)
    // Reject options that would be ignored.
    let kinds = [("--json", json), ("--at", at != nil), ("--markdown", markdown)].filter(\.1).map(\.0)
    guard kinds.count < 2 else {
      throw ValidationError("\(kinds.joined(separator: " and ")) exclude each other.")
    }
    let files = [("--html", html != nil), ("--trace", trace != nil), ("--open", open)].filter(\.1).map(\.0)
    if let kind = kinds.first, let file = files.first {
      throw ValidationError("\(kind) and \(file) exclude each other: ask for one after the other.")
    }
    guard html != "-" || trace != "-" else {
      throw ValidationError("--html and --trace cannot both be standard output.")
    }
    guard !(open && html == "-") else { throw ValidationError("--open needs a file, not standard output.") }
  }

  /// Whether the output is a page or a trace rather than text.
  var writesFiles: Bool { html != nil || open || trace != nil }

  /// Shows a call of the store. If `paths` is a single file and the call is only named after its folder, the call is
  /// shown under the name of the file.
  func show(_ key: Int64, in store: Store, given paths: [String] = []) throws {
    guard var account = try CallAccount(of: key, in: store) else {
      throw Failure(.storeFailed, "the call is no longer there")
    }
    if paths.count == 1, account.call.isNamedByFolder, let only = account.sources.first,
      account.sources.count == 1, only.name == paths[0].split(separator: "/").last.map(String.init)
    {
      account.call.id = only.name
    }
    permissions.apply()
    let mask = hidesPeople ? try PeopleMask(of: store, call: key) : nil
    func hiding(_ bytes: [UInt8]) -> [UInt8] { mask?.applied(to: bytes) ?? bytes }
    let zone = tz.flatMap(Zone.init(named:)) ?? .local()
    if !writesFiles {
      let output = Output.standard()
      try output.write(
        hiding(
          json
            ? try CallJSON(account, in: store).bytes()
            : markdown
              ? Array(try self.markdown(account, in: store, zone).utf8)
              : Array(try text(account, .of(zone: zone)).utf8)))
      try output.flush()
    }
    var files: [(path: String, bytes: () throws -> [UInt8])] = []
    if let trace { files.append((trace, { try CallTrace(account, in: store).bytes() })) }
    let page = html ?? (open ? Browser.temporaryPage() : nil)
    if let page {
      files.append(
        (
          page,
          {
            var page = try CallPage(account, in: store, zone: zone, resources: PageResources())
            page.packets = PacketExcerpts.read(for: account)
            return page.bytes()
          }
        ))
    }
    // Write files before standard output, so that a closed pipe does not prevent them.
    for file in files.filter({ $0.path != "-" }) + files.filter({ $0.path == "-" }) {
      try write(hiding(try file.bytes()), to: file.path)
    }
    if open, let page { try Browser.show(page) }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    guard path == "-" else { return try Reports.write(bytes, to: path) }
    let output = Output.standard()
    try output.write(bytes)
    try output.flush()
  }

  /// The sections shown if none is requested; empty means only the summary.
  var whole: CallText.Sections = []

  private enum CodingKeys: CodingKey {
    case json, markdown, at, setup, wire, findings, events, sources, all, html, open, trace, tz, hidesPeople
    case permissions
  }

  /// Throws if `--tz` is not a known time zone.
  static func check(zone: String?) throws {
    guard zone.map({ Zone(named: $0) != nil }) ?? true else {
      throw ValidationError(
        "--tz knows no time zone '\(zone ?? "")': use a name such as Europe/Berlin or UTC.")
    }
  }

  private func markdown(_ account: CallAccount, in store: Store, _ zone: Zone) throws -> String {
    let places = try EvidencePlace.places(ofCall: account.call.key, in: store)
    return CallMarkdown(account, places: places, zone: zone).text
  }

  private func text(_ account: CallAccount, _ terminal: TerminalFacts) throws -> String {
    if let at {
      guard let span = CallMoment.span(at, in: account, zone: terminal.zone) else {
        throw ValidationError("--at: cannot read the time '\(at)': write 14:03, 14:03:10 or +0:42.")
      }
      return terminal.displayable(MomentView(account, during: span, for: terminal).text)
    }
    var view = CallText(account, for: terminal)
    view.sections = sections
    return terminal.displayable(view.text)
  }

  private var sections: CallText.Sections {
    var sections: CallText.Sections = all ? .all : whole
    for (isWanted, part) in [
      (setup, CallText.Sections.setup), (wire, .wire), (findings, .findings), (events, .everyEvent),
      (sources, .sources),
    ] where isWanted { sections.insert(part) }
    return sections
  }
}

/// Opens pages in the user's browser.
enum Browser {
  /// Path for a page without an output path.
  static func temporaryPage() -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return "\(folder)/callqa-\(getpid()).html"
  }

  /// Opens a page with `$BROWSER`, else with the desktop's default. Throws if there is neither.
  static func show(_ path: String) throws {
    let named = getenv("BROWSER").map { String(cString: $0) }
    let candidates = [named, "xdg-open", "sensible-browser", "open"].compactMap { $0 }.filter { !$0.isEmpty }
    for command in candidates where launch(command, path) { return }
    throw Failure(.storeFailed, "no browser was found: set BROWSER, or open \(path) yourself")
  }

  private static func launch(_ command: String, _ path: String) -> Bool {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(command), strdup(path), nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    return posix_spawnp(&process, command, nil, nil, &arguments, environ) == 0
  }
}
