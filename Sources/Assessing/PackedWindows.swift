import CallModel
import IO

/// A double that may be unknown, in eight bytes.
@propertyWrapper
struct OrNaN: Sendable {
  private var value = Double.nan

  var wrappedValue: Double? {
    get { value.isNaN ? nil : value }
    set { value = newValue ?? .nan }
  }
}

/// A window in compact form, of which each reader unpacks what it needs.
struct PackedWindow: Sendable {
  var startMs: Double
  var endMs: Double
  @OrNaN var audioCQ: Double?
  @OrNaN var audioLQ: Double?
  @OrNaN var video: Double?
  @OrNaN var lossShare: Double?
  @OrNaN var freezeShare: Double?
  @OrNaN var height: Double?
  @OrNaN private var clientScore: Double?
  @OrNaN private var confidence: Double?
  @OrNaN private var concealedShare: Double?
  @OrNaN private var delayMs: Double?
  @OrNaN private var rttMs: Double?
  @OrNaN private var frameRate: Double?
  @OrNaN private var bitrateBps: Double?
  @OrNaN private var mouthToEarMs: Double?
  @OrNaN private var glassToGlassMs: Double?
  @OrNaN private var audioMinusVideoMs: Double?
  @OrNaN private var frameQuality: Double?
  private(set) var index: Int32
  /// 255 if there is none.
  private var packedScore = UInt8.max
  private var packedState: UInt8
  var changed: Bool
  private var hasPoints = false
  /// 0: unknown, 1: playout, 2: round trip.
  private var delaySource: UInt8 = 0
  private var points = SIMD16<UInt8>(repeating: .max)

  init(_ window: Window) {
    index = Int32(clamping: window.index)
    (startMs, endMs) = (window.startMs, window.endMs)
    packedState = UInt8(WindowState.inOrder.firstIndex(of: window.state) ?? 0)
    packedScore = window.score.map { UInt8(clamping: $0) } ?? .max
    changed = window.changed
    (audioCQ, audioLQ, video) = (window.audioCQ, window.audioLQ, window.video)
    (clientScore, confidence) = (window.clientScore, window.confidence)
    let inputs = window.inputs
    (lossShare, concealedShare, freezeShare) = (inputs.lossShare, inputs.concealedShare, inputs.freezeShare)
    (delayMs, rttMs) = (inputs.delayMs, inputs.rttMs)
    (frameRate, height, bitrateBps) = (inputs.frameRate, inputs.height, inputs.bitrateBps)
    (mouthToEarMs, glassToGlassMs) = (inputs.mouthToEarMs, inputs.glassToGlassMs)
    (audioMinusVideoMs, frameQuality) = (inputs.audioMinusVideoMs, inputs.frameQuality)
    delaySource = inputs.delaySource.map { $0 == .playout ? 1 : 2 } ?? 0
    guard let lost = window.pointsLost else { return }
    hasPoints = true
    for (place, cause) in Cause.inOrder.enumerated() {
      if let points = lost[cause] { self.points[place] = UInt8(clamping: points) }
    }
  }

  var score: Int? { packedScore == .max ? nil : Int(packedScore) }

  var state: WindowState { WindowState.inOrder[Int(packedState)] }

  var inputs: WindowInputs {
    var inputs = WindowInputs()
    (inputs.lossShare, inputs.concealedShare, inputs.freezeShare) = (lossShare, concealedShare, freezeShare)
    (inputs.delayMs, inputs.rttMs) = (delayMs, rttMs)
    (inputs.frameRate, inputs.height, inputs.bitrateBps) = (frameRate, height, bitrateBps)
    (inputs.mouthToEarMs, inputs.glassToGlassMs) = (mouthToEarMs, glassToGlassMs)
    (inputs.audioMinusVideoMs, inputs.frameQuality) = (audioMinusVideoMs, frameQuality)
    inputs.delaySource = delaySource == 0 ? nil : delaySource == 1 ? .playout : .roundTrip
    return inputs
  }

  var pointsLost: ByCause<Int>? {
    guard hasPoints else { return nil }
    var lost: ByCause<Int> = [:]
    for (place, cause) in Cause.inOrder.enumerated() where points[place] != .max {
      lost[cause] = Int(points[place])
    }
    return lost
  }

  fileprivate func window(label: String?) -> Window {
    var window = Window(index: Int(index), startMs: startMs, endMs: endMs, state: state)
    (window.score, window.changed, window.label) = (score, changed, label)
    (window.audioCQ, window.audioLQ, window.video) = (audioCQ, audioLQ, video)
    (window.clientScore, window.confidence) = (clientScore, confidence)
    (window.inputs, window.pointsLost) = (inputs, pointsLost)
    return window
  }
}

/// The windows of one end in compact form, for calls that last for days: 184 bytes each, and a fifth of that after some
/// hours.
struct PackedWindows: Sequence, Sendable {
  /// A block of windows: plain, or compressed once there are many.
  private enum Piece: Sendable {
    case plain([PackedWindow])
    case packed(DeflatedBytes)

    /// The same in compressed form, if that is smaller.
    var smaller: Piece {
      guard case .plain(let rows) = self,
        let packed = rows.withUnsafeBytes({ DeflatedBytes($0, width: MemoryLayout<PackedWindow>.stride) })
      else { return self }
      return .packed(packed)
    }

    var rows: [PackedWindow] {
      switch self {
      case .plain(let rows): return rows
      case .packed(let bytes):
        return [PackedWindow](unsafeUninitializedCapacity: bytes.count / MemoryLayout<PackedWindow>.stride) {
          buffer, used in
          // Stop, as Swift does if an array cannot be allocated: windows must not be lost silently.
          guard bytes.inflate(into: UnsafeMutableRawBufferPointer(buffer)) else {
            preconditionFailure("zlib has no memory to unpack what it packed")
          }
          used = buffer.count
        }
      }
    }
  }

  /// Full blocks, and the one that windows are added to: a single array would be copied whenever it grows.
  private var pieces: [Piece] = []
  private var last: [PackedWindow] = []
  private static let piece = 1024
  /// Number of full blocks that stay uncompressed: 4096 windows are almost six hours.
  private static let plainPieces = 4
  private var labels: [Int32: String] = [:]

  var isEmpty: Bool { last.isEmpty }

  /// Approximate size in memory, counted as if nothing were compressed.
  var bytes: Int { (pieces.count * Self.piece + last.count) * MemoryLayout<PackedWindow>.stride }

  mutating func append(contentsOf windows: [Window]) {
    for window in windows { append(window) }
  }

  mutating func append(_ window: Window) {
    let row = PackedWindow(window)
    labels[row.index] = window.label
    append(row)
  }

  private mutating func append(_ row: PackedWindow) {
    if last.count == Self.piece {
      pieces.append(.plain(last))
      last.removeAll(keepingCapacity: true)
      // Most calls end before compression is worth the time.
      if pieces.count > Self.plainPieces {
        let oldest = pieces.count - 1 - Self.plainPieces
        pieces[oldest] = pieces[oldest].smaller
      }
    }
    last.append(row)
  }

  /// Iterates over the windows in order, with one block decompressed at a time.
  struct Iterator: IteratorProtocol {
    private let windows: PackedWindows
    private var rows: [PackedWindow] = []
    private var piece = 0
    private var place = 0

    fileprivate init(_ windows: PackedWindows) { self.windows = windows }

    mutating func next() -> PackedWindow? {
      while place == rows.count {
        guard piece <= windows.pieces.count else { return nil }
        rows = piece < windows.pieces.count ? windows.pieces[piece].rows : windows.last
        (piece, place) = (piece + 1, 0)
      }
      place += 1
      return rows[place - 1]
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }

  /// The windows in full.
  var unpacked: LazyMapSequence<PackedWindows, Window> { lazy.map(window) }

  /// One of these windows in full.
  func window(_ row: PackedWindow) -> Window { row.window(label: labels[row.index]) }

  /// Appends a window of others as it is.
  mutating func append(_ row: PackedWindow, of others: PackedWindows) {
    labels[row.index] = others.labels[row.index]
    append(row)
  }
}
