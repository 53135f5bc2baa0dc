/// A limit of what is taken from files, kept in memory or shown. The code takes its numbers from here, and
/// `docs/limits.md` is generated from the lists.
public struct Limit: Sendable, CustomStringConvertible {
  enum Unit: Sendable { case count, bytes, seconds, times }

  public let value: Int
  private let unit: Unit
  /// What is limited.
  public let subject: String
  /// What happens beyond it.
  public let beyond: String
  /// Its name for `--raise`; nil if it is fixed.
  public let option: String?

  private init(
    _ value: Int, _ unit: Unit, _ subject: String, _ beyond: String, raise option: String? = nil
  ) {
    (self.value, self.unit) = (value, unit)
    (self.subject, self.beyond, self.option) = (subject, beyond, option)
  }

  /// The value with its unit: `32 MiB`, `1,000,000`, `250 times`.
  public var description: String {
    switch unit {
    case .count: Self.grouped(value)
    case .times: "\(value) times"
    case .seconds: value < 60 ? "\(value) s" : "\(value / 60) min"
    case .bytes:
      [(30, "GiB"), (20, "MiB"), (10, "KiB")].first { value >= 1 << $0.0 }.map { "\(value >> $0.0) \($0.1)" }
        ?? "\(value) bytes"
    }
  }

  private static func grouped(_ value: Int) -> String {
    value < 1000
      ? "\(value)" : grouped(value / 1000) + "," + String("\(1000 + value % 1000)".dropFirst())
  }
}

extension Limit {
  // MARK: What `--raise` raises

  private static let firstKept = "the first are kept"
  private static let sourceEnds = "the source ends"

  public static let line = Limit(
    32 << 20, .bytes, "a line of a log, a server-sent event; all parts of unfinished lines",
    "it is rejected with its place; parts stay parts", raise: "line")
  public static let textLine = Limit(
    1 << 20, .bytes, "one line of a plain-text log without statistics", "it is rejected with its place",
    raise: "text")
  public static let jsonValue = Limit(
    64 << 20, .bytes, "one value of a JSON document: a snapshot, an entry of a log", sourceEnds,
    raise: "value")
  public static let points = Limit(
    8 << 20, .count, "figures of one connection of a webrtc-internals dump", sourceEnds, raise: "points")
  public static let source = Limit(64 << 30, .bytes, "one source, unpacked", sourceEnds, raise: "source")
  public static let expansion = Limit(
    250, .times, "unpacked against packed size; \(freeExpansion) in any case", sourceEnds, raise: "expansion")
  public static let linesWithoutRecords = Limit(
    1_000_000, .count, "lines in a row without a record, and one for each byte of the file", sourceEnds,
    raise: "lines")
  public static let reports = Limit(
    10_000, .count,
    "reports in a snapshot; \(reportsOfSource) as many in a source; \(series) as many series of a connection in a dump",
    firstKept, raise: "reports")
  public static let streams = Limit(20_000, .count, "streams of a source", firstKept, raise: "streams")
  public static let connections = Limit(
    20_000, .count, "PeerConnections, ends of logged calls, calls of a capture", firstKept,
    raise: "connections")
  public static let figureEnds = Limit(
    400_000, .count, "ends of calls in a table of figures, and their streams", firstKept)
  public static let fragments = Limit(
    64, .count, "fragments of one IP datagram", "it stays in pieces", raise: "fragments")

  public static let freeExpansion = Limit(256 << 20, .bytes, "what any packed file may become", sourceEnds)
  public static let reportsOfSource = Limit(
    4, .times, "reports in a source, by those in a snapshot", firstKept)
  public static let series = Limit(40, .times, "series of a dump, by the reports in a snapshot", firstKept)

  /// Those with an option.
  public static let raised = [
    line, textLine, jsonValue, points, source, expansion, linesWithoutRecords, reports, streams, connections,
    fragments,
  ]

  // MARK: Reading

  private static let noLog = "it is no log; `--as sdk-text` takes it as one in any case"
  public static let searchedInFolder = Limit(
    512 << 10, .bytes, "beginning of a text in which its first event is searched for, of files in a folder",
    noLog)
  public static let searchedInNamed = Limit(
    16 << 20, .bytes, "the same, of files named on the command line", noLog)
  public static let openLines = Limit(
    1000, .count, "lines of a container's log that wait for their next part", "parts stay parts")
  public static let identities = Limit(10_000, .count, "identities of one connection", firstKept)
  public static let logIdentities = Limit(500, .count, "identities of one end of a log", firstKept)
  public static let waitingEvents = Limit(
    10_000, .count, "events that wait for their connection or time zone (permissions in a dump)", firstKept)
  public static let waitingEventBytes = Limit(32 << 20, .bytes, "the same", firstKept)
  public static let captureEvents = Limit(5000, .count, "events of one call in a capture", firstKept)
  public static let sipBody = Limit(
    128 << 10, .bytes, "body of a SIP message over TCP", "its beginning counts, the rest is passed over")
  public static let roundTrips = Limit(200_000, .count, "round trips of one call in a capture", firstKept)
  public static let reporters = Limit(
    20_000, .count, "senders of RTCP reports in a capture", "others' round trips are unknown")
  public static let arguments = Limit(200, .count, "arguments of one event", "it says how many were left out")
  public static let argument = Limit(64 << 10, .bytes, "one of them", "it says how long it was")
  public static let nesting = Limit(
    500, .count, "levels of the JSON of an event or a sample",
    "`[nested deeper]` is in the place of what is deeper")
  public static let archiveFiles = Limit(
    20_000, .count, "files of an archive", "the rest is refused: unpack it")
  public static let archive = Limit(8 << 30, .bytes, "their size", "the rest is refused: unpack it")
  public static let harEntries = Limit(500_000, .count, "requests and messages of a HAR", firstKept)
  public static let har = Limit(128 << 20, .bytes, "the same", firstKept)
  public static let openRequests = Limit(
    200, .count, "requests of a log that wait for their answers", "the first are taken as answered")
  public static let printedValues = Limit(1000, .count, "values of one printed goog-* entry", firstKept)
  public static let participants = Limit(
    20_000, .count, "participants of an event stream", "what changed is not shown for updates of the others")
  public static let callsOfParticipant = Limit(
    100, .count, "calls of one participant beside the conference's", "the end of a further one is its end")
  public static let dialled = Limit(
    100, .count, "participants of one gateway call that have not answered",
    "whether the others left is not shown")
  public static let connectionsOfCall = Limit(
    20_000, .count, "connections of one call", "the rest are calls of their own")
  public static let emptyWindows = Limit(
    17_280, .count, "windows of an end in which nothing was heard (a day)", "they are not written out")
  public static let rejects = Limit(
    1000, .count, "rejects, and notes, of a source one by one", "the others add to the count of their reason")
  public static let singleReports = Limit(
    16 << 20, .bytes, "reports that came one at a time and wait for others of their poll",
    "a note: the others are not joined")
  public static let queuedSamples = Limit(
    1024, .count, "samples that wait for the database", "reading waits for the disk")
  public static let queuedEvents = Limit(
    512, .count, "events that wait for the database", "reading waits for the disk")
  public static let queuedEventBytes = Limit(
    4 << 20, .bytes, "the same, or of small files stored together", "reading waits for the disk")
  public static let openEvents = Limit(
    2000, .count, "events that wait for their end", "the first go on without it")
  public static let eventsWithoutSDK = Limit(
    1000, .count, "events that wait for their SDK", "the first go on without it")
  public static let openEventBytes = Limit(
    8 << 20, .bytes, "events that wait for their end; for their SDK; for their call",
    "the first go on without it")
  public static let preludes = Limit(
    100, .count, "events of one end that wait for their call", "the first go on without it")
  public static let preludesOfLog = Limit(
    50_000, .count, "events of a log that wait for their call", "the first go on without it")
  public static let filesTogether = Limit(
    128, .count, "small files stored together, every half second", "they are stored")
  public static let recordsTogether = Limit(
    8192, .count, "records and events of small files stored together", "they are stored")
  public static let playoutWait = Limit(
    30, .seconds, "what is waited for in a playout, where a clock jumps", "the stream starts again")

  // MARK: Judging and showing

  public static let backgroundEvents = Limit(
    2000, .count, "first, and last, background events of a call that a judgement looks at",
    "all are kept and listed")
  public static let judgedEvents = Limit(
    50_000, .count, "first, and last, other events of a call that a judgement looks at",
    "all are kept and listed")
  public static let judgedArguments = Limit(
    2 << 10, .bytes, "arguments of an event, for a judgement (SDP whole)",
    "its last \(judgedMembers) members, \(judgedMember) each")
  public static let judgedMembers = Limit(40, .count, "members of such an event", "the last are taken")
  public static let judgedMember = Limit(256, .bytes, "one of them", "it is left out")
  private static let countedThere = "counted there; `callqa events` lists all"
  public static let pageEvents = Limit(
    500, .count, "events that a call's page lists without a selection", countedThere)
  public static let pageEventsOfKind = Limit(
    10, .count, "events of a kind, where there are more", countedThere)
  public static let pageEventsSelected = Limit(
    2000, .count, "events of all kinds, where there are more", countedThere)
  public static let findingsOfKind = Limit(
    8, .count, "findings of a kind at an end that are listed one by one",
    "how many, how long, the longest; `callqa findings` lists all")
  public static let patience = Limit(
    600, .seconds, "waiting for another process that writes", "exit 3, with the name of the database")
  public static let intervals = Limit(64 << 20, .bytes, "a file of `score --intervals`", "exit 2")
  public static let question = Limit(
    60, .seconds, "a question of your own (`callqa query`; 5 s for an assistant)",
    "exit 2; `--seconds` raises it")
  public static let questionValue = Limit(
    16 << 20, .bytes, "a value in such a question (512 KiB for an assistant)", "exit 2")
  public static let pseudonymKey = Limit(16, .bytes, "a key of pseudonyms, at least", "exit 2")

  /// Those without an option.
  public static let fixed = [
    figureEnds, searchedInFolder, searchedInNamed, openLines, identities, logIdentities, waitingEvents,
    waitingEventBytes,
    captureEvents, sipBody, roundTrips, reporters, arguments, argument, nesting, archiveFiles, archive,
    harEntries,
    har,
    openRequests, printedValues, participants,
    callsOfParticipant, dialled, connectionsOfCall, emptyWindows, rejects, singleReports, queuedSamples,
    queuedEvents, queuedEventBytes, openEvents, eventsWithoutSDK, openEventBytes, preludes, preludesOfLog,
    filesTogether, recordsTogether, playoutWait, backgroundEvents, judgedEvents, judgedArguments, pageEvents,
    pageEventsOfKind, pageEventsSelected, findingsOfKind, patience, intervals, question, questionValue,
    pseudonymKey,
  ]
}
