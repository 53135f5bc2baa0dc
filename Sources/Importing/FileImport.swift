import Bytes
import CallModel
import CallStore
import Captures
import EventLogs
import GetStats
import IO
import Packets
import SQLite

/// Imports one file: digest, format, records, status.
struct FileImport {
  /// Looks up known files; it need not see uncommitted data.
  let known: Store
  /// Receives the records.
  let queue: SourceQueue
  let request: ImportRequest
  let manifests: Manifests
  /// A file that is already being read.
  let first: FirstFile?

  /// Reads the file, and reports its status on any thread once it is in the database.
  ///
  /// Throws only the errors of the store.
  func importFile(_ file: FoundFile, completion: @escaping Completion) throws {
    if let unreadable = file.unreadable {
      return try remember(
        file, digest: nil, format: nil, unreadable.error, as: unreadable.met ?? .refused,
        completion: completion)
    }
    do {
      let input = try SpooledInput(file.place)
      defer { input.remove() }
      // A large file with a size that no known file has is new: it is hashed while it is read.
      if file.bytes >= ReadAhead.smallest, file.tap == nil {
        let begun = first?.take(at: input.path)
        if try !known.hasSource(bytes: Int(file.bytes)) {
          let ahead = try begun ?? ReadAhead(request.open(input.path, hashing: true))
          return try importNew(file, ahead, digest: .late(ahead), at: input.path, completion: completion)
        }
      }
      let digest = try CaptureTaps.digest(sha256(ofFile: input.path), of: file.tap)
      if let known = try known.taken(sha256: digest) { return completion(unchanged(file, known)) }
      let bytes = try request.open(input.path, hashing: false)
      try importNew(
        file, file.tap.map { PcapngTap(bytes, interface: $0) } ?? bytes, digest: .known(digest),
        at: input.path, completion: completion)
    } catch let error as StoreError {
      throw error
    } catch {
      let error = SourceError.of(error)
      let isNone = error.code == .empty && !file.named && FileWalker.isCompanion(file.name)
      try remember(
        file, digest: nil, format: nil, error, as: isNone ? .skipped : .refused, completion: completion)
    }
  }

  typealias Completion = @Sendable (ImportedFile) -> Void

  /// The digest of a file: known in advance, or computed while reading.
  private enum Digest {
    case known(String)
    case late(ReadAhead)

    func value() throws -> String? {
      switch self {
      case .known(let digest): digest
      case .late(let ahead): try ahead.sha256()
      }
    }

    /// The digest if it is known; rejected files are not read to the end for it.
    var valueIfKnown: String? { if case .known(let digest) = self { digest } else { nil } }
  }

  private func importNew(
    _ file: FoundFile, _ bytes: any ByteSource, digest: Digest, at path: RawPath,
    completion: @escaping Completion
  ) throws {
    var source = Self.lines(Self.text(HeadedSource(bytes)))
    var nuls: NULFreeBytes?
    let format: SourceFormat
    do {
      var sniffed = try request.format.map(Sniffed.format) ?? Sniffer.sniff(source, file)
      if case .unknown(let error) = sniffed, error.code == .notAFormat, NULFreeBytes.isRow(in: source.head) {
        let text = NULFreeBytes(source)
        (source, nuls) = (HeadedSource(text), text)
        sniffed = try Sniffer.sniff(source, file)
      }
      switch sniffed {
      case .format(let found): format = found
      case .unknown(let error):
        return try remember(
          file, digest: digest.valueIfKnown, format: nil, error, as: file.named ? .refused : .skipped,
          completion: completion)
      }
    } catch {
      return try remember(
        file, digest: digest.valueIfKnown, format: nil, SourceError.of(error), as: .refused,
        completion: completion)
    }
    let grown = try AppendedFile(path, file, run: header(file, digest: nil, format: nil).run, in: known)
    try take(file, source, nuls, format: format, digest: digest, grown: grown, completion: completion)
  }

  /// Converts UTF-16 to UTF-8; other text is unchanged.
  private static func text(_ source: HeadedSource) -> HeadedSource {
    UTF16Bytes(source, head: source.head).map { HeadedSource($0) } ?? source
  }

  /// Converts other separators, or the quoting of a table, to lines.
  private static func lines(_ source: HeadedSource) -> HeadedSource {
    (JSONSequence.lines(source) ?? JSONColumn.lines(source)).map { HeadedSource($0) } ?? source
  }

  private func take(
    _ file: FoundFile, _ source: HeadedSource, _ nuls: NULFreeBytes?, format: SourceFormat, digest: Digest,
    grown: AppendedFile, completion: @escaping Completion
  ) throws {
    var refusal: SourceError?
    do {
      var header = header(file, digest: nil, format: format)
      grown.hand(to: &header)
      switch digest {
      case .known(let digest): header.sha256 = digest
      case .late(let ahead): header.lateDigest = { try ahead.sha256() }
      }
      try queue.write(header, stored: { completion(result(file, $0)) }) { writer in
        let pseudonyms = request.pseudonyms.map { PseudonymSink(writer, $0) }
        do {
          let sink = RedactingSink(pseudonyms ?? writer, format, keepsUnknown: request.keepsUnknown)
          for note in grown.notes { try sink.note(note) }
          try read(format, from: source, into: sink, file: file)
          if let note = sink.noteOfLeftOut { try sink.note(note) }
          if let count = nuls?.leftOut, count > 0 { try sink.note(Self.note(ofNULs: count)) }
          if !writer.hasRecords, writer.rejected == 0 {
            try sink.note(
              "read to its end, and no call was recognised in it: no statistics, event or packet")
            writer.leaveOutNames()
          }
          if format == .sdkText, request.format == nil, !writer.hasRecords,
            let error = UnreadLogs.error(source.head)
          {
            refusal = error
            throw Refused()
          }
          if writer.hasOnlyPaths, !format.isCapture {
            try sink.note("no stream of media in it, only the path: of data channels no more is kept")
          }
        } catch let error as StoreError {
          throw error
        } catch {
          refusal = SourceError.of(error)
          // Records before the error are kept, and the status is partial; without records the file is rejected.
          guard !writer.isEmpty else { throw Refused() }
        }
        try pseudonyms?.finish()
        if format == .runLog, request.format == nil, writer.hasOnlyUnknownEvents,
          let error = JSONRefusal.ofFigures(source.head)
        {
          refusal = error
          throw Refused()
        }
        if writer.rejected > 0, !writer.hasRecords {
          refusal = refusal ?? SourceError(rejecting: writer.firstReject)
          throw Refused()
        }
        return verdict(writer, refusal)
      }
    } catch is Refused {
      var error = refusal ?? SourceError(.notAFormat, "nothing in it could be taken")
      if let insisted = request.format {
        // The user may have named the wrong format, or another file.
        error.reason = "read as \(insisted.rawValue) because of --as: \(error.reason)"
        if case .format(let found)? = try? Sniffer.sniff(source, file), found != insisted {
          error.reason += "; by its content it is \(found.rawValue): leave --as away"
        }
      }
      // Text logs are recognised only by words, which also occur elsewhere: without any record it was not a log.
      let isNoLog = format == .sdkText && !file.named
      try remember(
        file, digest: digest.value(), format: isNoLog ? nil : format, error,
        as: isNoLog ? .skipped : .refused, completion: completion)
    }
  }

  private struct Refused: Error {}

  private func verdict(_ writer: SourceWriter, _ error: SourceError?) -> SourceStatus {
    if let error { return SourceStatus(error, tookSome: true) }
    guard writer.rejected > 0 else { return .imported }
    return SourceStatus(SourceError(leaving: writer.rejected, first: writer.firstReject), tookSome: true)
  }

  private func header(_ file: FoundFile, digest: String?, format: SourceFormat?) -> SourceHeader {
    var header = SourceHeader(path: file.path, sha256: digest, format: format, importedMs: WallClock.nowMs)
    header.bytes = file.unreadable == nil ? Int(file.bytes) : nil
    let manifest = manifests.above(file.path)?.manifest
    header.run = request.run ?? manifest?.run
    header.call = request.call ?? manifests.call(of: file.path)?.call_id
    header.labels = jsonObject(manifest?.labels(under: request.labels) ?? request.labels)
    return header
  }

  /// Stores that a file was found and left out, for `sources`.
  private func remember(
    _ file: FoundFile, digest: String?, format: SourceFormat?, _ error: SourceError,
    as word: SourceStatus.Value, completion: @escaping Completion
  ) throws {
    var header = header(file, digest: digest, format: format)
    header.isLeft = true
    try queue.write(header, stored: { completion(result(file, $0)) }) { _ in
      SourceStatus(word, code: error.code, reason: error.reason, byte: error.byte, line: error.line)
    }
  }

  private func result(_ file: FoundFile, _ stored: StoredSource) -> ImportedFile {
    stored.unchanged ? unchanged(file, stored) : ImportedFile(path: file.path, stored)
  }

  private func unchanged(_ file: FoundFile, _ known: StoredSource) -> ImportedFile {
    var result = ImportedFile(path: file.path, known)
    // `sources` has one row per content, with its first path.
    if known.path != file.path, known.path != "-", file.path != "-" {
      result.notes.append("of the same content as a file at another place, which `callqa sources` names")
    }
    let run = header(file, digest: nil, format: nil).run
    if let run, known.run != run {
      result.notes.append("imported before, in \(known.run.map { "run \($0)" } ?? "no run"), and not moved")
    }
    return result
  }

}

extension FileImport {
  /// Passes a source to the reader of its format, and lines in between to the reader of theirs.
  func read(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, file: FoundFile
  ) throws {
    var options = request.reading
    options.fileName = file.name
    options.assumeRTP = request.assumeRTP
    if let head = (source as? HeadedSource)?.head, !format.isCapture {
      options.reportClockUnitMs = head.withUnsafeBufferPointer(GetStatsReader.clockUnitMs)
    }
    guard FormatCatalogue.description(of: format)?.content == .lines else {
      return try readWhole(format, from: source, into: sink, options)
    }
    let text = NULFreeBytes(source)
    let counted = RecordCount(sink)
    let lines = LineBudget(
      text, counting: counted, most: options.linesWithoutRecords.addingClamped(Int(max(0, file.bytes))))
    try readWhole(format, from: lines, into: counted, options)
    if text.leftOut > 0 { try sink.note(Self.note(ofNULs: text.leftOut)) }
  }

  /// The note about removed NUL bytes.
  static func note(ofNULs count: Int) -> String {
    "\(count) NUL bytes in it were left out, as copytruncate or a loss of power leaves them: what was in their place is lost"
  }

  private func readWhole(
    _ format: SourceFormat, from source: any ByteSource, into sink: any RecordSink, _ options: ReaderOptions
  ) throws {
    switch format {
    case .getstatsLines, .runLog:
      var router = RunLogRouter(sink: sink, options: options)
      let lines = format == .runLog ? EventList.lines(source) : ReportTable.lines(source)
      try router.read(EventLogReader.inOrderOfTime(lines, noting: sink))
    case .getstatsJSON:
      let ends = LoggedEnds(limit: options.connectionsPerSource)
      var events = RunLogLineReader(sink: sink, options: options, ends: ends)
      try GetStatsReader.read(format, from: source, into: sink, options: options, ends: ends) {
        json, number, offset in
        if try events.line(json, number: number, offset: offset) { return true }
        guard let inner = WrappedLine.object(in: json) else { return false }
        return try events.line(inner, number: number, offset: offset)
      }
      try events.finish()
    case .googText, .sdkText:
      // Statistics and events may be mixed.
      var statistics = TextStatistics(sink: sink, options: options)
      try EventLogReader.read(
        .sdkText, from: source, into: sink, options: options,
        statistics: { try statistics.json($0, number: $1, offset: $2) },
        printed: { try statistics.line($0, number: $1, timeMs: $2) })
      try statistics.finish()
      if format == .googText, !statistics.hasPrinted {
        throw SourceError(.notAFormat, "the text holds no statistics entry")
      }
    case .har, .sipText:
      // Connections of SIP are counted from where those of other events never come.
      let sip = SIPMessages(sink: sink, options: options, firstConnection: RunLogLineReader.firstConnection)
      try EventLogReader.read(
        format, from: source, into: sink, options: options,
        signalling: { message in
          sip.take(
            message.text, from: message.from, to: message.to, timeMs: message.timeMs,
            line: message.line)
        })
      try sip.finish()
    case .pcap, .pcapng:
      try CaptureReader.read(format, from: source, into: sink, options: options)
    default:
      if EventLogReader.reads(format) {
        try EventLogReader.read(format, from: source, into: sink, options: options)
      } else {
        try GetStatsReader.read(format, from: source, into: sink, options: options)
      }
    }
  }
}

/// Finds earlier imports of a file that has grown: a log still being written, an interrupted download.
struct AppendedFile {
  /// Earlier versions that the file replaces, longest first.
  private(set) var replaces: [PreviousState] = []
  private var keeps: [PreviousState] = []
  /// Why earlier versions are kept, for users.
  private(set) var notes: [String] = []

  /// Finds sources with this path whose content is the beginning of the file. A source of another run is kept, as an
  /// unchanged file would be.
  init(_ path: RawPath, _ file: FoundFile, run: String?, in known: Store) throws {
    let shorter = try known.earlierStates(ofPath: file.path, shorterThan: Int(file.bytes))
    guard !shorter.isEmpty else { return }
    let digests = try sha256(ofFile: path, beginnings: Set(shorter.map(\.bytes)))
    for state in shorter where digests[state.bytes] == state.sha256 {
      if state.isPruned {
        keeps.append(state)
        notes.append("begins with what was imported before and pruned since: that part counts twice")
      } else if let run, run != state.run {
        keeps.append(state)
        let before = state.run.map { "run \($0)" } ?? "no run"
        notes.append("goes on with what was imported before, in \(before): what began there stays there")
      } else {
        replaces.append(state)
      }
    }
    if !replaces.isEmpty { notes.append("has grown since it was imported: what it was before is replaced") }
  }

  /// Copies what the new source inherits from them.
  func hand(to header: inout SourceHeader) {
    header.supersedes = replaces.map(\.sha256)
    header.continues = keeps.map(\.sha256)
    header.run = header.run ?? replaces.first?.run
    header.call = header.call ?? replaces.first?.call
  }
}
