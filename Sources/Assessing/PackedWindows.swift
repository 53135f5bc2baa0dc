import Bytes
import CallModel

/// The windows of one end in little room, for calls that last for days: 144 bytes each, and beyond some hours a fifth of it.
struct PackedWindows: Sequence, Sendable {
  private struct Packed {
    var start = 0.0
    var end = 0.0
    /// NaN: unknown.
    var scores = InlineArray<5, Double>(repeating: .nan)
    var inputs = InlineArray<8, Double>(repeating: .nan)
    var index: Int32 = 0
    /// 255: none.
    var score = UInt8.max
    var state: UInt8 = 0
    var changed = false
    var hasPoints = false
    var points = SIMD8<UInt8>(repeating: .max)
  }

  /// Windows that belong together: as they are, or packed once there are more.
  private enum Piece: Sendable {
    case plain([Packed])
    case packed(DeflatedBytes)

    /// The same in less room, if it can be had.
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
          // Swift ends likewise where an array finds no memory; windows must not go missing in silence.
          guard bytes.inflate(into: UnsafeMutableRawBufferPointer(buffer)) else {
            preconditionFailure("zlib has no memory to unpack what it packed")
          }
          used = buffer.count
        }
      }
    }
  }

  /// What is full, and what windows are added to: one array would be copied whenever it grows.
  private var pieces: [Piece] = []
  private var last: [Packed] = []
  private static let piece = 1024
  /// Full pieces that stay as they are: 4096 windows are nearly six hours.
  private static let plainPieces = 4
  private var labels: [Int32: String] = [:]

  var isEmpty: Bool { last.isEmpty }

  /// About what they take in memory; what is packed as if it were not.
  var bytes: Int { (pieces.count * Self.piece + last.count) * MemoryLayout<Packed>.stride }

  mutating func append(contentsOf windows: [Window]) {
    for window in windows { append(window) }
  }

  mutating func append(_ window: Window) {
    var row = Packed()
    row.index = Int32(clamping: window.index)
    (row.start, row.end) = (window.startMs, window.endMs)
    row.state = UInt8(WindowState.allCases.firstIndex(of: window.state) ?? 0)
    row.score = window.score.map { UInt8(clamping: $0) } ?? .max
    row.changed = window.changed
    for (place, value) in [
      window.audioCQ, window.audioLQ, window.video, window.clientScore, window.confidence,
    ].enumerated() { row.scores[place] = value ?? .nan }
    let inputs = window.inputs
    for (place, value) in [
      inputs.lossShare, inputs.concealedShare, inputs.delayMs, inputs.rttMs, inputs.freezeShare,
      inputs.frameRate,
      inputs.height, inputs.bitrateBps,
    ].enumerated() { row.inputs[place] = value ?? .nan }
    row.hasPoints = window.pointsLost != nil
    for (place, cause) in Cause.allCases.enumerated() {
      if let points = window.pointsLost?[cause] { row.points[place] = UInt8(clamping: points) }
    }
    labels[row.index] = window.label
    if last.count == Self.piece {
      pieces.append(.plain(last))
      last.removeAll(keepingCapacity: true)
      // Most calls end before it is worth the time to pack and unpack them.
      if pieces.count > Self.plainPieces {
        let oldest = pieces.count - 1 - Self.plainPieces
        pieces[oldest] = pieces[oldest].smaller
      }
    }
    last.append(row)
  }

  func makeIterator() -> some IteratorProtocol<Window> {
    (pieces + [.plain(last)]).lazy.flatMap(\.rows).map(window).makeIterator()
  }

  private func window(_ row: Packed) -> Window {
    var window = Window(
      index: Int(row.index), startMs: row.start, endMs: row.end,
      state: WindowState.allCases[Int(row.state)])
    window.score = row.score == .max ? nil : Int(row.score)
    window.changed = row.changed
    func known(_ value: Double) -> Double? { value.isNaN ? nil : value }
    window.audioCQ = known(row.scores[0])
    window.audioLQ = known(row.scores[1])
    window.video = known(row.scores[2])
    window.clientScore = known(row.scores[3])
    window.confidence = known(row.scores[4])
    window.inputs.lossShare = known(row.inputs[0])
    window.inputs.concealedShare = known(row.inputs[1])
    window.inputs.delayMs = known(row.inputs[2])
    window.inputs.rttMs = known(row.inputs[3])
    window.inputs.freezeShare = known(row.inputs[4])
    window.inputs.frameRate = known(row.inputs[5])
    window.inputs.height = known(row.inputs[6])
    window.inputs.bitrateBps = known(row.inputs[7])
    window.label = labels[row.index]
    if row.hasPoints {
      var points: ByCause<Int> = [:]
      for (place, cause) in Cause.allCases.enumerated() where row.points[place] != .max {
        points[cause] = Int(row.points[place])
      }
      window.pointsLost = points
    }
    return window
  }
}
