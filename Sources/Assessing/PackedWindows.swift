import CallModel
import IO

/// The windows of one end in compact form, for calls that last for days: 184 bytes each, and a fifth of that after some
/// hours.
struct PackedWindows: Sequence, Sendable {
  private struct Packed {
    var start = 0.0
    var end = 0.0
    /// NaN if unknown.
    var audioCQ = Double.nan
    var audioLQ = Double.nan
    var video = Double.nan
    var clientScore = Double.nan
    var confidence = Double.nan
    var lossShare = Double.nan
    var concealedShare = Double.nan
    var delayMs = Double.nan
    var rttMs = Double.nan
    var freezeShare = Double.nan
    var frameRate = Double.nan
    var height = Double.nan
    var bitrateBps = Double.nan
    var mouthToEarMs = Double.nan
    var glassToGlassMs = Double.nan
    var audioMinusVideoMs = Double.nan
    var frameQuality = Double.nan
    var index: Int32 = 0
    /// 255 if there is none.
    var score = UInt8.max
    var state: UInt8 = 0
    var changed = false
    var hasPoints = false
    /// 0: unknown, 1: playout, 2: round trip.
    var delaySource: UInt8 = 0
    var points = SIMD16<UInt8>(repeating: .max)
  }

  /// A block of windows: plain, or compressed once there are many.
  private enum Piece: Sendable {
    case plain([Packed])
    case packed(DeflatedBytes)

    /// The same in compressed form, if that is smaller.
    var smaller: Piece {
      guard case .plain(let rows) = self,
        let packed = rows.withUnsafeBytes({ DeflatedBytes($0, width: MemoryLayout<Packed>.stride) })
      else { return self }
      return .packed(packed)
    }

    var rows: [Packed] {
      switch self {
      case .plain(let rows): return rows
      case .packed(let bytes):
        return [Packed](unsafeUninitializedCapacity: bytes.count / MemoryLayout<Packed>.stride) {
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
  private var last: [Packed] = []
  private static let piece = 1024
  /// Number of full blocks that stay uncompressed: 4096 windows are almost six hours.
  private static let plainPieces = 4
  private var labels: [Int32: String] = [:]

  var isEmpty: Bool { last.isEmpty }

  /// Approximate size in memory, counted as if nothing were compressed.
  var bytes: Int { (pieces.count * Self.piece + last.count) * MemoryLayout<Packed>.stride }

  mutating func append(contentsOf windows: [Window]) {
    for window in windows { append(window) }
  }

  mutating func append(_ window: Window) {
    var row = Packed()
    row.index = Int32(clamping: window.index)
    (row.start, row.end) = (window.startMs, window.endMs)
    row.state = UInt8(WindowState.inOrder.firstIndex(of: window.state) ?? 0)
    row.score = window.score.map { UInt8(clamping: $0) } ?? .max
    row.changed = window.changed
    row.audioCQ = window.audioCQ ?? .nan
    row.audioLQ = window.audioLQ ?? .nan
    row.video = window.video ?? .nan
    row.clientScore = window.clientScore ?? .nan
    row.confidence = window.confidence ?? .nan
    let inputs = window.inputs
    row.lossShare = inputs.lossShare ?? .nan
    row.concealedShare = inputs.concealedShare ?? .nan
    row.delayMs = inputs.delayMs ?? .nan
    row.rttMs = inputs.rttMs ?? .nan
    row.freezeShare = inputs.freezeShare ?? .nan
    row.frameRate = inputs.frameRate ?? .nan
    row.height = inputs.height ?? .nan
    row.bitrateBps = inputs.bitrateBps ?? .nan
    row.mouthToEarMs = inputs.mouthToEarMs ?? .nan
    row.glassToGlassMs = inputs.glassToGlassMs ?? .nan
    row.audioMinusVideoMs = inputs.audioMinusVideoMs ?? .nan
    row.frameQuality = inputs.frameQuality ?? .nan
    row.delaySource = inputs.delaySource.map { $0 == .playout ? 1 : 2 } ?? 0
    row.hasPoints = window.pointsLost != nil
    for (place, cause) in Cause.inOrder.enumerated() {
      if let points = window.pointsLost?[cause] { row.points[place] = UInt8(clamping: points) }
    }
    labels[row.index] = window.label
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
    private var rows: [Packed] = []
    private var piece = 0
    private var place = 0

    fileprivate init(_ windows: PackedWindows) { self.windows = windows }

    mutating func next() -> Window? {
      while place == rows.count {
        guard piece <= windows.pieces.count else { return nil }
        rows = piece < windows.pieces.count ? windows.pieces[piece].rows : windows.last
        (piece, place) = (piece + 1, 0)
      }
      place += 1
      return windows.window(rows[place - 1])
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }

  private func window(_ row: Packed) -> Window {
    var window = Window(
      index: Int(row.index), startMs: row.start, endMs: row.end,
      state: WindowState.inOrder[Int(row.state)])
    window.score = row.score == .max ? nil : Int(row.score)
    window.changed = row.changed
    func known(_ value: Double) -> Double? { value.isNaN ? nil : value }
    window.audioCQ = known(row.audioCQ)
    window.audioLQ = known(row.audioLQ)
    window.video = known(row.video)
    window.clientScore = known(row.clientScore)
    window.confidence = known(row.confidence)
    window.inputs.lossShare = known(row.lossShare)
    window.inputs.concealedShare = known(row.concealedShare)
    window.inputs.delayMs = known(row.delayMs)
    window.inputs.rttMs = known(row.rttMs)
    window.inputs.freezeShare = known(row.freezeShare)
    window.inputs.frameRate = known(row.frameRate)
    window.inputs.height = known(row.height)
    window.inputs.bitrateBps = known(row.bitrateBps)
    window.inputs.mouthToEarMs = known(row.mouthToEarMs)
    window.inputs.glassToGlassMs = known(row.glassToGlassMs)
    window.inputs.audioMinusVideoMs = known(row.audioMinusVideoMs)
    window.inputs.frameQuality = known(row.frameQuality)
    window.inputs.delaySource = row.delaySource == 0 ? nil : row.delaySource == 1 ? .playout : .roundTrip
    window.label = labels[row.index]
    if row.hasPoints {
      var points: ByCause<Int> = [:]
      for (place, cause) in Cause.inOrder.enumerated() where row.points[place] != .max {
        points[cause] = Int(row.points[place])
      }
      window.pointsLost = points
    }
    return window
  }
}
