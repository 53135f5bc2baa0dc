import Glibc

/// The delay needed to hide the network's jitter from video (libwebrtc `jitter_estimator.cc`).
///
/// A Kalman filter with two states, ms per byte and ms, learns how frame size explains delay; the rest is noise. A
/// large frame takes time on the path, so the delay allows for the largest one.
struct FrameJitter {
  private var slope = 1.0 / 64_000
  private var offset = 0.0
  private var covariance = (aa: 1e-4, ab: 0.0, ba: 0.0, bb: 1e2)
  private var meanBytes = 500.0
  private var varianceBytes = 100.0
  private var largestBytes = 500.0
  private var previousBytes: Double?
  private var firstBytes = 0.0
  private var sizes = 0
  private var taken = 0
  private var noiseMs = 0.0
  private var noiseVariance = 4.0
  private var weight = 1.0
  private var heldMs = 0.0
  private var lastShownMs: Double?
  private var intervals: [Double] = []
  private var repairs = 0
  private var repairedMs = 0.0

  private static let startup = 5
  private static let warmUp = 30
  private static let sizeMemory = 0.97
  private static let largestMemory = 0.9999
  private static let maxWeight = 400.0
  /// Deviations of more than this many standard deviations, in time and size, are outliers.
  private static let maxDeviations = 15.0
  private static let maxSizeDeviations = 3.0
  private static let cappedAt = 3.5
  private static let noiseFactor = 2.33
  private static let noiseFreeMs = 30.0
  private static let systemMs = 10.0
  private static let maxMs = 10_000.0
  /// After this many repaired frames, part of the round trip is added to the delay, until none had to be repaired for a
  /// minute.
  private static let repairsNeeded = 3
  private static let roundTripPart = 0.9
  private static let maxRepairMs = 200.0
  private static let repairMemoryMs = 60_000.0
  /// Below five frames per second there is no delay, below ten less.
  private static let slowRates = (from: 5.0, to: 10.0)

  /// Adds a frame without retransmissions: how much longer its transit was than that of the previous frame, and when it
  /// was delivered.
  mutating func take(delayMs variation: Double, bytes: Double, atMs nowMs: Double) {
    guard bytes > 0 else { return }
    let change = bytes - (previousBytes ?? 0)
    learn(size: bytes)
    let isFirst = previousBytes == nil
    previousBytes = bytes
    if isFirst { return }
    let deviation = noiseVariance.squareRoot()
    let cap = Self.cappedAt * deviation + 0.5
    let delay = min(cap, max(-cap, variation))
    let unexplained = delay - (slope * change + offset)
    let isLarge = bytes > meanBytes + Self.maxSizeDeviations * varianceBytes.squareRoot()
    if abs(unexplained) < Self.maxDeviations * deviation || isLarge {
      learn(noise: unexplained, atMs: nowMs)
      // A frame directly behind a very large one says nothing of its own transit.
      if change > -0.25 * largestBytes { filter(delay, change) }
    } else {
      learn(noise: (unexplained < 0 ? -1 : 1) * Self.maxDeviations * deviation, atMs: nowMs)
    }
    if taken >= Self.warmUp { heldMs = estimateMs } else { taken += 1 }
  }

  /// Adds a frame with retransmissions: its delay is not jitter.
  mutating func takeRepaired(atMs nowMs: Double) {
    repairs += 1
    repairedMs = nowMs
  }

  /// The jitter delay, ms.
  mutating func ms(atMs nowMs: Double, roundTripMs: Double) -> Double {
    if nowMs - repairedMs > Self.repairMemoryMs { repairs = 0 }
    let repair = repairs >= Self.repairsNeeded ? min(Self.maxRepairMs, Self.roundTripPart * roundTripMs) : 0
    let wait = max(heldMs, estimateMs + Self.systemMs) + repair
    let rate = frameRate
    if rate == 0 || rate >= Self.slowRates.to { return wait }
    return max(0, rate - Self.slowRates.from) / (Self.slowRates.to - Self.slowRates.from) * wait
  }

  private var estimateMs: Double {
    let noise = max(1, Self.noiseFactor * noiseVariance.squareRoot() - Self.noiseFreeMs)
    return min(Self.maxMs, max(1, slope * (largestBytes - meanBytes) + noise))
  }

  private var frameRate: Double {
    let sum = intervals.reduce(0, +)
    return sum > 0 ? min(200, 1000 * Double(intervals.count) / sum) : 0
  }

  private mutating func learn(size bytes: Double) {
    if sizes < Self.startup {
      firstBytes += bytes
    } else if sizes == Self.startup {
      meanBytes = firstBytes / Double(Self.startup)
    }
    if sizes <= Self.startup { sizes += 1 }
    let mean = Self.sizeMemory * meanBytes + (1 - Self.sizeMemory) * bytes
    // A key frame is not representative.
    if bytes < meanBytes + 2 * varianceBytes.squareRoot() { meanBytes = mean }
    varianceBytes = max(
      1, Self.sizeMemory * varianceBytes + (1 - Self.sizeMemory) * (bytes - mean) * (bytes - mean))
    largestBytes = max(Self.largestMemory * largestBytes, bytes)
  }

  private mutating func learn(noise: Double, atMs nowMs: Double) {
    if let last = lastShownMs {
      intervals.append(nowMs - last)
      if intervals.count > 30 { intervals.removeFirst() }
    }
    lastShownMs = nowMs
    var kept = (weight - 1) / weight
    weight = min(Self.maxWeight, weight + 1)
    let rate = frameRate
    if rate > 0 {
      // Slow streams learn as fast as one with 30 frames per second.
      let scale = 30 / rate
      let part = min(1, weight / Double(Self.warmUp))
      kept = pow(kept, part * scale + 1 - part)
    }
    let distance = noise - noiseMs
    noiseMs = kept * noiseMs + (1 - kept) * noise
    noiseVariance = max(1, kept * noiseVariance + (1 - kept) * distance * distance)
  }

  /// A step of the Kalman filter; small size changes say little about the slope.
  private mutating func filter(_ delay: Double, _ change: Double) {
    covariance.aa += 2.5e-10
    covariance.bb += 1e-10
    let a = covariance.aa * change + covariance.ab
    let b = covariance.ba * change + covariance.bb
    let noise = max(1, (300 * exp(-abs(change) / largestBytes) + 1) * noiseVariance.squareRoot())
    let total = change * a + b + noise
    guard abs(total) > 1e-9 else { return }
    let gain = (a: a / total, b: b / total)
    let innovation = delay - (slope * change + offset)
    slope = max(1e-6, slope + gain.a * innovation)
    offset += gain.b * innovation
    let before = covariance
    covariance.aa = (1 - gain.a * change) * before.aa - gain.a * before.ba
    covariance.ab = (1 - gain.a * change) * before.ab - gain.a * before.bb
    covariance.ba = before.ba * (1 - gain.b) - gain.b * change * before.aa
    covariance.bb = before.bb * (1 - gain.b) - gain.b * change * before.ab
  }
}
