import Bytes
import CallModel

/// A series of a webrtc-internals dump: `{startTime, endTime, statsType?, values}`.
struct Series {
  /// Times of the first and last point, cut to milliseconds; NaN if missing.
  var startMs = Double.nan
  var endMs = Double.nan
  var typeName: UnsafeBufferPointer<UInt8>?
  /// The array of values: JSON inside a string, still escaped.
  var values = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  var hasEscapes = false

  /// Parses the next object.
  static func read(_ scanner: inout JSONScanner, _ clock: inout SeriesClock) throws(JSONError) -> Series {
    var series = Series()
    guard try scanner.peek() == .object else {
      try scanner.skip()
      return series
    }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      switch key {
      case "startTime" where kind == .string: series.startMs = clock.start(try scanner.string().bytes)
      case "endTime" where kind == .string: series.endMs = clock.end(try scanner.string().bytes)
      case "startTime" where kind == .number: series.startMs = try ReportTime.read(&scanner) ?? .nan
      case "endTime" where kind == .number: series.endMs = try ReportTime.read(&scanner) ?? .nan
      case "statsType" where kind == .string: series.typeName = try scanner.string().bytes
      case "values" where kind == .string:
        let text = try scanner.string()
        series.values = text.bytes
        series.hasEscapes = text.hasEscapes
      case "values" where kind == .array: series.values = try scanner.skip()
      default: try scanner.skip()
      }
    }
    return series
  }

  /// Passes the JSON of the values to a body. Throws `JSONError` with an offset within the values.
  func withValues<T>(_ body: (inout JSONScanner) throws(JSONError) -> T) throws(JSONError) -> T {
    guard hasEscapes else {
      var scanner = JSONScanner(values)
      return try body(&scanner)
    }
    let decoded = JSONText(escaped: values).decoded()
    let result: Result<T, JSONError> = decoded.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      do throws(JSONError) {
        return .success(try body(&scanner))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The first value and the number of values, if all are written the same.
  ///
  /// Ids, kinds and types are constant, so most text series need only this comparison.
  var constant: (first: Series, count: Int)? {
    guard values.count > 2, values.first == UInt8(ascii: "["), values.last == UInt8(ascii: "]") else {
      return nil
    }
    let inner = UnsafeBufferPointer(rebasing: values[1..<(values.count - 1)])
    var first = self
    guard let comma = Self.endOfFirst(inner) else { return nil }
    if comma == inner.count {
      first.values = inner
      return (first, 1)
    }
    let period = comma + 1
    guard (inner.count + 1).isMultiple(of: period), inner.count > period else { return nil }
    let head = UnsafeBufferPointer(rebasing: inner[..<(inner.count - period)])
    guard equal(head, UnsafeBufferPointer(rebasing: inner[period...])) else { return nil }
    first.values = UnsafeBufferPointer(rebasing: inner[..<comma])
    return (first, (inner.count + 1) / period)
  }

  /// Offset of the comma after the first value, outside strings, whose quotes are escaped here; the end if there is
  /// only one value, nil if that is an object or a list.
  private static func endOfFirst(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var inString = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
        // `\"` is a quote of the inner JSON; `\\\"` is escaped there, too.
        if bytes[index + 1] == UInt8(ascii: "\"") { inString.toggle() }
        if bytes[index + 1] == UInt8(ascii: "\\") { index += 2 }
        index += 1
      } else if !inString {
        if byte == UInt8(ascii: ",") { return index }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { return nil }
      }
      index += 1
    }
    return bytes.count
  }
}

/// Parses the ISO times of series, caching the last one, as hundreds of consecutive series share them.
struct SeriesClock {
  private var startText: [UInt8] = []
  private var startMs = Double.nan
  private var endText: [UInt8] = []
  private var endMs = Double.nan

  mutating func start(_ text: UnsafeBufferPointer<UInt8>) -> Double {
    if !equal(startText, text) {
      startText = Array(text)
      startMs = ReportTime.written(startText) ?? .nan
    }
    return startMs
  }

  mutating func end(_ text: UnsafeBufferPointer<UInt8>) -> Double {
    if !equal(endText, text) {
      endText = Array(text)
      endMs = ReportTime.written(endText) ?? .nan
    }
    return endMs
  }
}

extension Series {
  /// Appends the values as numbers, NaN for invalid and implausible ones. Returns the implausible ones.
  @discardableResult
  func numbers(
    _ action: MemberMapping, into pool: inout [Double]
  ) throws(JSONError) -> RejectedValues {
    var unaccepted = RejectedValues()
    try withValues { scanner throws(JSONError) in
      try scanner.beginArray()
      while try scanner.nextElement() {
        var value = Double.nan
        if scanner.digitAhead() == true {
          value = try scanner.number()
        } else {
          switch try scanner.peek() {
          case .number: value = try scanner.number()
          case .bool: value = try scanner.bool() ? 1 : 0
          case .string:
            if let figure = figureInText(try scanner.string().decoded()) {
              value = figure
              if value.isNaN { unaccepted.addText() }
            }
          default: try scanner.skip()
          }
        }
        if let figure = Figure.accepted(value, action) {
          pool.append(figure * action.factor)
        } else {
          pool.append(.nan)
          unaccepted.add(value)
        }
      }
    }
    return unaccepted
  }

  /// Appends `qualityLimitationReason` as codes.
  func limitations(into pool: inout [Double]) throws(JSONError) {
    let (runs, count) = try texts()
    for (index, run) in runs.enumerated() {
      let end = index + 1 < runs.count ? runs[index + 1].from : count
      let reason: LimitedBy =
        switch String(decoding: run.text, as: UTF8.self) {
        case "none": .none
        case "cpu": .cpu
        case "bandwidth": .bandwidth
        default: .other
        }
      let code = run.text.isEmpty ? Double.nan : Double(reason.rawValue)
      pool.append(contentsOf: repeatElement(code, count: end - run.from))
    }
  }

  /// Appends one member of each object, such as a duration of `qualityLimitationDurations`, times a factor; returns
  /// implausible values, as `numbers` does.
  func members(
    _ name: StaticString, times factor: Double = 1, into pool: inout [Double]
  ) throws(JSONError) -> RejectedValues {
    var unaccepted = RejectedValues()
    try withValues { scanner throws(JSONError) in
      try scanner.beginArray()
      while try scanner.nextElement() {
        var value = Double.nan
        if try scanner.peek() == .object {
          try scanner.beginObject()
          while let key = try scanner.nextKey() {
            if key == name, try scanner.peek() == .number {
              let figure = try scanner.number()
              value = Figure.accepted(figure).map { $0 * factor } ?? .nan
              if value.isNaN { unaccepted.add(figure) }
            } else {
              try scanner.skip()
            }
          }
        } else {
          try scanner.skip()
        }
        pool.append(value)
      }
    }
    return unaccepted
  }

  /// The values as texts, one per change; empty for null.
  func texts() throws(JSONError) -> (runs: [(from: Int, text: [UInt8])], count: Int) {
    if let constant {
      let text = try constant.first.withValues { scanner throws(JSONError) in try Self.text(&scanner) }
      return ([(0, text)], constant.count)
    }
    return try withValues { scanner throws(JSONError) in
      var runs: [(from: Int, text: [UInt8])] = []
      var count = 0
      try scanner.beginArray()
      while try scanner.nextElement() {
        let text = try Self.text(&scanner)
        if runs.last?.text != text { runs.append((count, text)) }
        count += 1
      }
      return (runs, count)
    }
  }

  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> [UInt8] {
    switch try scanner.peek() {
    case .string: return try scanner.string().decoded()
    case .number: return Array(try scanner.skip())
    default:
      try scanner.skip()
      return []
    }
  }

  /// The values as JSON.
  func pieces() throws(JSONError) -> Pieces {
    if let constant {
      return try constant.first.withValues { scanner throws(JSONError) in
        Pieces(repeating: try scanner.skip(), count: constant.count)
      }
    }
    return try withValues { scanner throws(JSONError) in
      var pieces = Pieces()
      try scanner.beginArray()
      while try scanner.nextElement() { pieces.append(try scanner.skip()) }
      return pieces
    }
  }

  /// The number of values.
  func count() throws(JSONError) -> Int {
    if let constant { return constant.count }
    if hasEscapes {
      return try withValues { scanner throws(JSONError) in
        var count = 0
        try scanner.beginArray()
        while try scanner.nextElement() {
          try scanner.skip()
          count += 1
        }
        return count
      }
    }
    guard values.count > 2 else { return 0 }
    var commas = 0
    for byte in values where byte == UInt8(ascii: ",") { commas &+= 1 }
    return commas + 1
  }
}

/// Concatenated JSON values: a dump has hundreds of thousands of them, too many for an array each.
struct Pieces {
  private var bytes: [UInt8] = []
  /// The end offset of each; a single one if all values are equal.
  private var ends: [Int] = []
  private var repeats: Int?

  var count: Int { repeats ?? ends.count }

  /// Whether they are known to be equal.
  var areEqual: Bool { repeats != nil }

  init() {}

  init(repeating value: UnsafeBufferPointer<UInt8>, count: Int) {
    append(value)
    repeats = count
  }

  mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
    // Null is stored as empty.
    if !value.elementsEqual("null".utf8) { bytes.append(contentsOf: value) }
    ends.append(bytes.count)
  }

  /// Passes one of them to a body; nil if it is null.
  func with<T>(_ place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T? {
    let place = repeats == nil ? place : 0
    let start = place == 0 ? 0 : ends[place - 1]
    guard ends[place] > start else { return nil }
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<ends[place]])) }
  }
}
