import Bytes
import CallModel

/// A report of a connection, identified by its id from one snapshot to the next.
final class Report {
  let id: [UInt8]
  /// The same, for comparisons.
  private let idText: UnsafeMutableBufferPointer<UInt8>
  /// Index of its template among those of the source.
  let templatePlace: Int
  /// The type's name as written, and the type.
  @exclusivity(unchecked) private(set) var typeName = CachedBytes()
  private(set) var type = ReportType.unknown
  /// Milliseconds since the epoch; NaN until reported.
  @exclusivity(unchecked) var timeMs = Double.nan
  /// If the times of reports are frozen, the time in the previous snapshot.
  var frozenMs = Double.nan
  /// Its figures of a stream, accessed in place: samples are large, and accessing a property copies them.
  let figures = UnsafeMutablePointer<Sample>.allocate(capacity: 1)
  var view: SampleView { SampleView(figures) }
  var sample: Sample {
    get { figures.pointee }
    set { figures.pointee = newValue }
  }
  /// Members that are in no table, as the inside of a JSON object.
  var extra = ByteWriter()
  /// Known members without a column.
  let kept = KeptMembers()
  /// Whether those of its template are among them.
  private var hasSteadyMembers = false
  /// Number of the last snapshot with this report.
  @exclusivity(unchecked) var snapshot = 0
  /// Whether a fact (not a figure) changed in this snapshot.
  @exclusivity(unchecked) var isChanged = false
  /// Its owner number in the template for its last contents; 0 if other contents were read since.
  @exclusivity(unchecked) var templateOwner = 0

  // Accessed often, and never from two places at once: exclusivity checks would cost time for nothing.
  private let texts = UnsafeMutablePointer<CachedBytes>.allocate(capacity: TextField.allCases.count)
  @exclusivity(unchecked) private var numbers: [Double] = Array(
    repeating: .nan, count: NumberField.allCases.count)

  // Joins, recomputed when a fact changes.
  var stream: StreamState?
  var remote: Report?
  /// The playout device or media source of the stream.
  var device: Report?
  var track: Report?
  /// Of a remote report: time of the RTCP packet that was already used.
  var usedTimeMs = Double.nan
  /// Its contents then.
  var usedReport: FarEndReport?
  /// Of a nominated pair: bytes carried by the previous snapshot.
  var carriedBefore = 0.0
  /// Whether its jitter is in units of the RTP clock (aiortc, mediasoup).
  var hasClockUnits = false
  /// Whether it has member names that only mediasoup uses.
  @exclusivity(unchecked) var hasMediasoupNames = false
  /// Whether it refers to a remote report with an empty id: its writer prints unknown members.
  private(set) var hasEmptyReference = false
  /// Whether the source marked the report as deleted.
  var isGone = false
  /// Whether its time is that of an RTCP packet from the far end, not that of the poll.
  var isOfFarEnd: Bool { type == .remoteInbound || type == .remoteOutbound }
  /// Whether the object read last had a timestamp, even if it was 0.
  var hasOwnTime = false
  /// Whether that timestamp was not 0, which in deltas means the common one.
  var hasTimeOfItsOwn = false

  /// Whether the object read last, a remote report, contains counters of the local stream.
  @exclusivity(unchecked) var holdsStream = false
  /// Whether it was read out of a remote report that it was merged with: then the type, the time and common members are
  /// not its own.
  @exclusivity(unchecked) private(set) var isMerged = false

  init(id: [UInt8], templatePlace: Int) {
    self.id = id
    self.templatePlace = templatePlace
    idText = .allocate(capacity: id.count)
    _ = idText.initialize(fromContentsOf: id)
    figures.initialize(to: Sample(timeMs: 0))
    for index in 0..<TextField.allCases.count { (texts + index).initialize(to: CachedBytes()) }
  }

  deinit {
    texts.deinitialize(count: TextField.allCases.count)
    texts.deallocate()
    idText.deallocate()
    figures.deallocate()
  }

  /// Whether it has this id.
  @inline(__always)
  func isNamed(_ id: UnsafeBufferPointer<UInt8>) -> Bool { equal(UnsafeBufferPointer(idText), id) }

  /// Sets the type by its name, clearing the contents of another type. False if it is unchanged.
  func become(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if typeName.equals(name) { return false }
    let type = id.withUnsafeBufferPointer { ReportType(name: name, id: $0) }
    if type != self.type { forget() }
    self.type = type
    isMerged = false
    typeName.set(name)
    isChanged = true
    return true
  }

  /// Sets the type for a report read out of a remote report. False if it is unchanged.
  func become(partOf farEnd: Report) -> Bool {
    let type: ReportType = farEnd.type == .remoteOutbound ? .inbound : .outbound
    if isMerged, self.type == type { return false }
    if type != self.type { forget() }
    self.type = type
    isMerged = true
    typeName.set(farEnd.typeName.bytes)
    return true
  }

  /// Clears everything except the id.
  func forget() {
    sample = Sample(timeMs: 0)
    forgetMembers()
    for index in 0..<TextField.allCases.count { texts[index].forget() }
    for index in numbers.indices { numbers[index] = .nan }
    templateOwner = 0
    hasMediasoupNames = false
    forgetJoins()
  }

  /// Removes the members without a column.
  func forgetMembers() {
    if !extra.bytes.isEmpty { extra.removeAll() }
    kept.removeAll()
    hasSteadyMembers = false
  }

  /// Removes those of them that vary from report to report; those that do not are kept once.
  @inline(__always)
  func forgetVaryingMembers(_ keepSteady: (Report) -> Void) {
    if !extra.bytes.isEmpty { extra.removeAll() }
    if hasSteadyMembers { return kept.removeVarying() }
    kept.removeAll()
    keepSteady(self)
    kept.markSteady()
    hasSteadyMembers = true
  }

  /// Keeps a known member without a column.
  func keep(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if type.keptBehind != nil { kept.add(name, value) }
  }

  private func forgetJoins() {
    stream = nil
    remote = nil
    device = nil
    track = nil
  }

  /// Clears its joins, for another connection to recompute.
  func changeConnection() {
    forgetJoins()
    usedTimeMs = .nan
    usedReport = nil
    isChanged = true
  }

  /// A text member; nil if it is missing or empty.
  func text(_ field: TextField) -> String? {
    let bytes = texts[field.rawValue].bytes
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// A text member as bytes; empty if it is missing.
  func bytes(_ field: TextField) -> [UInt8] { Array(texts[field.rawValue].bytes) }

  func set(_ field: Int, _ text: UnsafeBufferPointer<UInt8>) {
    if text.isEmpty, field == TextField.remoteId.rawValue { hasEmptyReference = true }
    if texts[field].equals(text) { return }
    texts[field].set(text)
    if field != TextField.pairState.rawValue { isChanged = true }
  }

  /// A number; nil if it is missing.
  func number(_ field: NumberField) -> Double? {
    let value = numbers[field.rawValue]
    return value.isNaN ? nil : value
  }

  func set(_ field: Int, _ value: Double) {
    if numbers[field] == value { return }
    numbers[field] = value
    if NumberField.isFact(field) { isChanged = true }
  }

  /// Marks a number as unknown.
  func forget(number field: Int) {
    if !numbers[field].isNaN { set(field, .nan) }
  }

  /// An integer within bounds; nil otherwise.
  func integer<T: FixedWidthInteger>(_ field: NumberField, as: T.Type) -> T? {
    number(field).flatMap { T(exactly: $0) }
  }

  /// Audio or video: as reported, or from the codec's kind, or from members that only one of them has.
  var kind: MediaKind? {
    if let kind = text(.kind).flatMap(MediaKind.init(rawValue:)) { return kind }
    if view.has(.audioLevel) || view.has(.totalSamples) || view.has(.decodingNormal) { return .audio }
    if view.has(.frames) || view.has(.frameRate) || view.has(.width) { return .video }
    return nil
  }
}

/// The templates of a source's reports, at an index computed from the report; two reports may share a template, which
/// then holds the one read last.
final class ReportTemplates {
  private static let places = 512
  private let templates = UnsafeMutablePointer<UnsafeMutablePointer<ReportTemplate>?>.allocate(
    capacity: places)
  private var owners = 0

  init() { templates.initialize(repeating: nil, count: Self.places) }

  deinit {
    for place in 0..<Self.places {
      templates[place]?.deinitialize(count: 1)
      templates[place]?.deallocate()
    }
    templates.deallocate()
  }

  /// The template of a report; valid as long as this object.
  func template(of report: Report) -> UnsafeMutablePointer<ReportTemplate> {
    let place = report.templatePlace & (Self.places - 1)
    return templates[place] ?? make(at: place)
  }

  /// A new owner number.
  func newOwner() -> Int {
    owners += 1
    return owners
  }

  private func make(at place: Int) -> UnsafeMutablePointer<ReportTemplate> {
    let template = UnsafeMutablePointer<ReportTemplate>.allocate(capacity: 1)
    template.initialize(to: ReportTemplate())
    templates[place] = template
    return template
  }
}

/// The contents of the last remote report of a stream, to recognise the same report if it has no time of its own.
struct FarEndReport: Equatable {
  private let roundTripMs: Double?
  private let lost: Double?
  private let fractionLost: Double?
  private let jitterMs: Double?
  private let packets: Double?

  init(_ sample: SampleView) {
    roundTripMs = sample[.rttMs]
    lost = sample[.lost]
    fractionLost = sample[.fractionLost]
    jitterMs = sample[.jitterMs]
    packets = sample[.farPackets]
  }
}

/// Whether a remote report in a poll is new.
enum RemoteReportAge {
  /// Another report than before.
  case new
  /// The same report, according to its time.
  case old
  /// A report without a time with the same contents as the last: most likely the same.
  case repeated
}

extension Report {
  /// A remote report whose time is this close to the poll's has the time of the poll, ms: RTCP is nearly always older.
  private static let ownTimeMs = 5.0

  /// Records the contents of a remote report in a poll, and returns whether it is new.
  ///
  /// - Parameter timeMs: the report's own time by the poll's clock; nil if it has none.
  func age(timeMs: Double?, pollMs: Double) -> RemoteReportAge {
    if self.timeMs == usedTimeMs { return .old }
    usedTimeMs = self.timeMs
    let before = usedReport
    usedReport = FarEndReport(view)
    if let timeMs, abs(timeMs - pollMs) > Self.ownTimeMs { return .new }
    return before == usedReport ? .repeated : .new
  }
}
