import Glibc

extension Zone {
  /// Reads a zone from a compiled file of the tz database (RFC 8536); nil if the file is not one.
  package init?(file path: String, name: String) {
    guard let bytes = Self.contents(path) else { return nil }
    self.init(tzif: bytes, name: name)
  }

  /// Reads a zone from the bytes of such a file.
  package init?(tzif bytes: [UInt8], name: String) {
    guard let small = Block(bytes, from: 0, timeSize: 4) else { return nil }
    var block = small
    var rule: ZoneRule?
    if small.version >= 2 {
      guard let large = Block(bytes, from: small.end, timeSize: 8) else { return nil }
      block = large
      let footer = bytes[large.end...].dropFirst().prefix { $0 != 0x0A }
      rule = ZoneRule(String(decoding: footer, as: UTF8.self))
    }
    guard let first = block.offsets.first else { return nil }
    self.init(name: name, first: first, transitions: block.transitions, rule: rule)
  }

  /// A data block: transition times and the offsets that start at them.
  private struct Block {
    package let version: Int
    package let end: Int
    package let transitions: [(at: Int, offset: Int)]
    package let offsets: [Int]

    package init?(_ bytes: [UInt8], from start: Int, timeSize: Int) {
      guard bytes.count >= start + 44, Array(bytes[start..<start + 4]) == Array("TZif".utf8) else {
        return nil
      }
      func number(_ at: Int, _ size: Int) -> Int {
        var value: Int64 = bytes[at] >= 0x80 ? -1 : 0
        for byte in bytes[at..<at + size] { value = value << 8 | Int64(byte) }
        return Int(value)
      }
      let counts = (0..<6).map { number(start + 20 + $0 * 4, 4) }
      guard counts.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
      let (utc, standard, leaps, times, types, characters) = (
        counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
      )
      let timesAt = start + 44
      let indexAt = timesAt + times * timeSize
      let typesAt = indexAt + times
      let finish = typesAt + types * 6 + characters + leaps * (timeSize + 4) + standard + utc
      guard finish <= bytes.count else { return nil }
      let offsets = (0..<types).map { number(typesAt + $0 * 6, 4) }
      var transitions: [(at: Int, offset: Int)] = []
      for index in 0..<times {
        let type = Int(bytes[indexAt + index])
        guard type < types else { return nil }
        transitions.append((number(timesAt + index * timeSize, timeSize), offsets[type]))
      }
      version = Int(bytes[start + 4]) - 0x30
      end = finish
      self.transitions = transitions
      self.offsets = offsets
    }
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      guard got > 0 else { return got == 0 ? Array(bytes[..<filled]) : nil }
      filled += got
    }
    return nil
  }
}
