import Bytes
import CallModel

/// One report of a connection, as last heard: by its id, from one snapshot to the next.
final class Report {
  let id: [UInt8]
  /// The same, for a look at it.
  private let idText: UnsafeMutableBufferPointer<UInt8>
  /// Where its template is found among those of the source.
  let templatePlace: Int
  /// The name of the type as written, and what it means.
  @exclusivity(unchecked) private(set) var typeName = CachedBytes()
  private(set) var type = ReportType.unknown
  /// Milliseconds since the epoch; NaN until the report has said.
  @exclusivity(unchecked) var timeMs = Double.nan
  /// Where the times of reports stand still, that of the snapshot before.
  var frozenMs = Double.nan
  /// What it says of a stream, to be looked at and changed where it lies: samples are large, and a property is copied to be
  /// looked at.
  let figures = UnsafeMutablePointer<Sample>.allocate(capacity: 1)
  var view: SampleView { SampleView(figures) }
  var sample: Sample {
    get { figures.pointee }
    set { figures.pointee = newValue }
  }
  /// Members that are in no table, as the inside of a JSON object.
  var extra = ByteWriter()
  /// Members of a table that have no column.
  let kept = KeptMembers()
  /// Number of the snapshot that last held this report.
  @exclusivity(unchecked) var snapshot = 0
  /// Whether a fact (not a figure) changed in this snapshot.
  @exclusivity(unchecked) var isChanged = false
  /// Under which number its template has what was read last; 0 where something else was read since.
  @exclusivity(unchecked) var templateOwner = 0

  // Hot, and never touched from two places at once: not worth the check at each access.
  private let texts = UnsafeMutablePointer<CachedBytes>.allocate(capacity: TextField.allCases.count)
  @exclusivity(unchecked) private var numbers: [Double] = Array(
    repeating: .nan, count: NumberField.allCases.count)

  // Joins, worked out when a fact changes.
  var stream: StreamState?
  var remote: Report?
  /// What plays a sound, or what records it.
  var device: Report?
  var track: Report?
  /// Of a remote report: time of the RTCP packet that was already used.
  var usedTimeMs = Double.nan
  /// What it said then.
  var usedReport: FarEndReport?
  /// Of a nominated pair: what it had carried by the snapshot before.
  var carriedBefore = 0.0
  /// Whether its jitter is in units of the RTP clock (aiortc, mediasoup).
  var hasClockUnits = false
  /// Whether it has figures under names that only mediasoup gives them.
  @exclusivity(unchecked) var hasMediasoupNames = false
  /// Whether it refers to a report of the far end that has no id: whoever wrote it prints what it does not know.
  private(set) var hasEmptyReference = false
  /// Whether the source said that the report is no more.
  var isGone = false
  /// Whether its time is that of an RTCP packet from the far end, not that of the poll.
  var isOfFarEnd: Bool { type == .remoteInbound || type == .remoteOutbound }
  /// Whether the object read last had a timestamp of its own, if only a 0.
  var hasOwnTime = false
  /// Whether that timestamp said something: in deltas a 0 stands for the common one.
  var hasTimeOfItsOwn = false

  /// Whether the object read last, a report of the far end, holds counters of the stream here.
  @exclusivity(unchecked) var holdsStream = false
  /// Whether it was read out of a report of the far end that it was merged with: then the type's name, the time and what both
  /// have are not its own.
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

  /// Whether that is its id.
  @inline(__always)
  func isNamed(_ id: UnsafeBufferPointer<UInt8>) -> Bool { equal(UnsafeBufferPointer(idText), id) }

  /// Says by the type's name what the report is about; what was known of another type is forgotten. False if it was so before.
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

  /// Says that it is read out of a report of the far end, whatever that calls itself. False if it was so before.
  func become(partOf farEnd: Report) -> Bool {
    let type: ReportType = farEnd.type == .remoteOutbound ? .inbound : .outbound
    if isMerged, self.type == type { return false }
    if type != self.type { forget() }
    self.type = type
    isMerged = true
    typeName.set(farEnd.typeName.bytes)
    return true
  }

  /// Makes the report one of which only the id is known.
  func forget() {
    sample = Sample(timeMs: 0)
    forgetMembers()
    for index in 0..<TextField.allCases.count { texts[index].forget() }
    for index in numbers.indices { numbers[index] = .nan }
    templateOwner = 0
    hasMediasoupNames = false
    forgetJoins()
  }

  /// Forgets the members that have no column.
  func forgetMembers() {
    if !extra.bytes.isEmpty { extra.removeAll() }
    kept.removeAll()
  }

  /// Keeps a member of a table that has no column.
  func keep(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if type.keptBehind != nil { kept.add(name, value) }
  }

  private func forgetJoins() {
    stream = nil
    remote = nil
    device = nil
    track = nil
  }

  /// Makes it one of which another connection is yet to find out what it belongs to.
  func changeConnection() {
    forgetJoins()
    usedTimeMs = .nan
    usedReport = nil
    isChanged = true
  }

  /// A text member, nil if it never came or is empty.
  func text(_ field: TextField) -> String? {
    let bytes = texts[field.rawValue].bytes
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// A text member as bytes, empty if it never came.
  func bytes(_ field: TextField) -> [UInt8] { Array(texts[field.rawValue].bytes) }

  func set(_ field: Int, _ text: UnsafeBufferPointer<UInt8>) {
    if text.isEmpty, field == TextField.remoteId.rawValue { hasEmptyReference = true }
    if texts[field].equals(text) { return }
    texts[field].set(text)
    if field != TextField.pairState.rawValue { isChanged = true }
  }

  /// A number, nil if it never came.
  func number(_ field: NumberField) -> Double? {
    let value = numbers[field.rawValue]
    return value.isNaN ? nil : value
  }

  func set(_ field: Int, _ value: Double) {
    if numbers[field] == value { return }
    numbers[field] = value
    if NumberField.isFact(field) { isChanged = true }
  }

  /// Says that a number is not known any more.
  func forget(number field: Int) {
    if !numbers[field].isNaN { set(field, .nan) }
  }

  /// A whole number within bounds, nil if there is none.
  func integer<T: FixedWidthInteger>(_ field: NumberField, as: T.Type) -> T? {
    number(field).flatMap { T(exactly: $0) }
  }

  /// Audio or video: as said, or by the codec's kind, or by the members that only one of them has.
  var kind: MediaKind? {
    if let kind = text(.kind).flatMap(MediaKind.init(rawValue:)) { return kind }
    if view.has(.audioLevel) || view.has(.totalSamples) || view.has(.decodingNormal) { return .audio }
    if view.has(.frames) || view.has(.frameRate) || view.has(.width) { return .video }
    return nil
  }
}

/// The templates of a source's reports, each at a place that follows from the report; of two reports that share one, it is
/// whose was read last.
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

  /// The template of a report; good for as long as these are.
  func template(of report: Report) -> UnsafeMutablePointer<ReportTemplate> {
    let place = report.templatePlace & (Self.places - 1)
    return templates[place] ?? make(at: place)
  }

  /// A number that no owner had.
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

/// What the far end's last report said of a stream, by which the same one is known again where it has no time of its own.
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

/// Whether what a poll holds of the far end came since the poll before it.
enum RemoteReportAge {
  /// Another report than before.
  case new
  /// The report of before, as its time says.
  case old
  /// One that says what the one before said, without a time of its own: most likely the same.
  case repeated
}

extension Report {
  /// A report of the far end that is no further than this from the poll, ms, has the poll's time: RTCP is older nearly always.
  private static let ownTimeMs = 5.0

  /// Takes note of what this report of the far end says in a poll of that time, and whether that is news.
  ///
  /// - Parameter timeMs: the report's own time by the poll's clock, nil where it has none.
  func age(timeMs: Double?, pollMs: Double) -> RemoteReportAge {
    if self.timeMs == usedTimeMs { return .old }
    usedTimeMs = self.timeMs
    let before = usedReport
    usedReport = FarEndReport(view)
    if let timeMs, abs(timeMs - pollMs) > Self.ownTimeMs { return .new }
    return before == usedReport ? .repeated : .new
  }
}
