import Bytes
import CallModel

extension Series {
  /// Adds the values as numbers, NaN for what is none and for what can be no figure. Gives those that can be none.
  @discardableResult
  func numbers(
    _ action: Action, into pool: inout [Double]
  ) throws(JSONError) -> Unaccepted {
    var unaccepted = Unaccepted()
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

  /// Adds `qualityLimitationReason` as codes.
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

  /// Adds one member of `qualityLimitationDurations` in milliseconds; gives what could be none, as `numbers` does.
  func durations(
    of reason: StaticString, into pool: inout [Double]
  ) throws(JSONError) -> Unaccepted {
    var unaccepted = Unaccepted()
    try withValues { scanner throws(JSONError) in
      try scanner.beginArray()
      while try scanner.nextElement() {
        var value = Double.nan
        if try scanner.peek() == .object {
          try scanner.beginObject()
          while let key = try scanner.nextKey() {
            if key == reason, try scanner.peek() == .number {
              let seconds = try scanner.number()
              value = Figure.accepted(seconds).map { $0 * 1000 } ?? .nan
              if value.isNaN { unaccepted.add(seconds) }
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

  /// The values as texts, each where it differs from the one before; empty for null.
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

  /// The values as they stand.
  func pieces() throws(JSONError) -> [[UInt8]] {
    try withValues { scanner throws(JSONError) in
      var values: [[UInt8]] = []
      try scanner.beginArray()
      while try scanner.nextElement() { values.append(Array(try scanner.skip())) }
      return values
    }
  }

  /// How many values there are.
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
