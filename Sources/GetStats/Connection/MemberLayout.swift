import Bytes

/// How the members of a report were written last time: nearly always the next one has the same names in the same order,
/// and comparing them as they stand, marks and all, is several times quicker than reading them and looking them up.
///
/// What is compared was read once, from just such a place, so that nothing is taken that reading would refuse.
struct MemberLayout: ~Copyable {
  /// Reports of more members, or with longer names, are read by their rest.
  private static let mostSteps = 128
  private static let mostBytes = 4096
  /// So many names may be missing before the order is taken for another one.
  private static let lookAhead = 4

  private struct Step {
    var start: Int32
    var length: Int32
    /// Whether it is the first member of an object: there no comma stands before it.
    var isFirst: Bool
    var action: Action
  }

  private var type = ReportType.unknown
  private let steps = UnsafeMutablePointer<Step>.allocate(capacity: mostSteps)
  private var count = 0
  private let text = UnsafeMutablePointer<UInt8>.allocate(capacity: mostBytes)
  private var used = 0
  /// The step that is expected next.
  private var next = 0

  deinit {
    steps.deallocate()
    text.deallocate()
  }

  /// Begins a report.
  mutating func begin(_ type: ReportType) {
    next = 0
    if type != self.type { forget() }
    self.type = type
  }

  /// Passes over the next member's name if it is the expected one, and says what to do with its value.
  @inline(__always)
  mutating func expected(_ scanner: inout JSONScanner) -> Action? {
    guard next < count else { return nil }
    let step = steps + next
    guard
      scanner.pass(
        text + Int(step.pointee.start), Int(step.pointee.length), asFirst: step.pointee.isFirst)
    else { return nil }
    next &+= 1
    return step.pointee.action
  }

  /// Takes note of a name that was not expected, as it was written from a place in the scanned bytes to where the scanner
  /// stands.
  mutating func learn(_ scanner: JSONScanner, from start: Int, isFirst: Bool, _ action: Action) {
    let written = UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.position])
    let ahead = next..<min(next + Self.lookAhead, count)
    if let place = ahead.first(where: { steps[$0].isFirst == isFirst && equal(bytes(of: $0), written) }) {
      next = place + 1
      return
    }
    if count == Self.mostSteps || used + written.count > Self.mostBytes { forget() }
    guard written.count <= Self.mostBytes else { return }
    _ = UnsafeMutableBufferPointer(start: text + used, count: written.count).update(from: written)
    for place in stride(from: count, to: next, by: -1) { steps[place] = steps[place - 1] }
    steps[next] = Step(
      start: Int32(used), length: Int32(written.count), isFirst: isFirst, action: action)
    used += written.count
    count += 1
    next += 1
  }

  /// The name that was passed over last.
  var name: JSONText {
    let written = bytes(of: next - 1)
    let quote = UInt8(ascii: "\"")
    guard let first = written.firstIndex(of: quote), let last = written.lastIndex(of: quote), first < last
    else { return JSONText(escaped: written) }
    return JSONText(escaped: UnsafeBufferPointer(rebasing: written[(first + 1)..<last]))
  }

  private func bytes(of place: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text + Int(steps[place].start), count: Int(steps[place].length))
  }

  private mutating func forget() {
    count = 0
    used = 0
    next = 0
  }
}

/// The layouts of a source's reports, each at a place that follows from the report: two reports that share one are read
/// as if there were none.
final class MemberLayouts {
  private static let places = 512
  private let layouts = UnsafeMutablePointer<UnsafeMutablePointer<MemberLayout>?>.allocate(capacity: places)

  init() { layouts.initialize(repeating: nil, count: Self.places) }

  deinit {
    for place in 0..<Self.places {
      layouts[place]?.deinitialize(count: 1)
      layouts[place]?.deallocate()
    }
    layouts.deallocate()
  }

  /// The layout of a report, begun; good for as long as these are.
  func layout(of report: Report) -> UnsafeMutablePointer<MemberLayout> {
    let place = report.layoutPlace & (Self.places - 1)
    let layout = layouts[place] ?? make(at: place)
    layout.pointee.begin(report.type)
    return layout
  }

  private func make(at place: Int) -> UnsafeMutablePointer<MemberLayout> {
    let layout = UnsafeMutablePointer<MemberLayout>.allocate(capacity: 1)
    layout.initialize(to: MemberLayout())
    layouts[place] = layout
    return layout
  }
}
