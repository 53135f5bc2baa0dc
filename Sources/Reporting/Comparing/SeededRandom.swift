import Bytes
import CallModel

/// Random numbers that are the same on every machine for the same seed (xoshiro256++, Blackman and Vigna 2018, seeded
/// by SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// A separate stream per seed and name, so that the draws of one comparison do not depend on the others.
  public init(seed: UInt64, stream: String = "") {
    var random = SplitMix64(seed: FNV1a.value(of: stream.utf8, from: seed))
    state = (random.next(), random.next(), random.next(), random.next())
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    let sum = state.0 &+ state.3
    let result = (sum &<< 23 | sum &>> 41) &+ state.0
    let shifted = state.1 &<< 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = state.3 &<< 45 | state.3 &>> 19
    return result
  }

  /// A number in 0..<bound, up to 2³² (Lemire's multiplication; the bias is below 2⁻³² for any bound met here). Bootstraps
  /// spend their time here; the operators with `&` are quick in debug builds too.
  public mutating func below(_ bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    return Int(((next() &>> 32) &* UInt64(bound)) &>> 32)
  }

  /// A number in 0..<1.
  public mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
