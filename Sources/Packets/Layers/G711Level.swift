import Glibc

/// The level of unencrypted G.711.
enum G711 {
  /// The level of unencrypted G.711, −dBov: the root mean square of its samples (ITU-T G.711). Nil if its payload was
  /// truncated.
  static func level(of payload: Octets, from start: Int, to end: Int, isMuLaw: Bool) -> UInt8? {
    guard end > start, payload.count >= end else { return nil }
    let squares = isMuLaw ? muLaw : aLaw
    var sum = 0.0
    for place in start..<end { sum += squares[Int(payload.byte(place))] }
    let power = sum / Double(end - start)
    return power > 0 ? UInt8(min(127, max(0, -10 * log10(power)))) : 127
  }

  /// Squares of the decoded samples, full scale 1.
  private static let muLaw = (0..<256).map { code -> Double in
    let bits = ~UInt8(code)
    let magnitude = (Double(bits & 15) * 2 + 33) * pow(2, Double(bits >> 4 & 7)) - 33
    return pow(magnitude / 8031, 2)
  }
  private static let aLaw = (0..<256).map { code -> Double in
    let bits = UInt8(code) ^ 0x55
    let (segment, step) = (Double(bits >> 4 & 7), Double(bits & 15))
    let magnitude = segment == 0 ? step * 2 + 1 : (step * 2 + 33) * pow(2, segment - 1)
    return pow(magnitude / 4032, 2)
  }
}
