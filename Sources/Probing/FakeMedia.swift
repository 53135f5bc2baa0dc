import CallModel
import Glibc

/// The input of the browser's fake microphone and camera: a voice of vowels and pauses, and a moving picture with its
/// frame number. Synthesised, so that no recording of a person is needed.
enum FakeMedia {
  static let width = 640
  static let height = 360
  static let framesPerSecond = 20

  /// Ten seconds of an artificial voice, 48 kHz mono, as a WAV file.
  ///
  /// A train of glottal pulses through three formants (vowels), in syllables of 180 ms with pauses between phrases;
  /// level and rhythm are those of speech (as described in ITU-T P.50), without words.
  static func voice() -> [UInt8] {
    let rate = 48_000.0
    let vowels: [[Double]] = [
      [700, 1220, 2600], [300, 2300, 3000], [500, 1000, 2400], [400, 2000, 2550], [320, 800, 2300],
    ]
    var random = SplitMix64(seed: 7)
    var samples: [Double] = []
    var phase = 0.0
    var resonances = [Formant(), Formant(), Formant()]
    while Double(samples.count) < 10 * rate {
      for syllable in 0..<7 {
        let vowel = vowels[Int(random.next() % UInt64(vowels.count))]
        let pitch = 110 + 40 * random.share() - 4 * Double(syllable)
        let length = Int(rate * (0.14 + 0.08 * random.share()))
        for (index, frequency) in vowel.enumerated() { resonances[index].tune(to: frequency, rate: rate) }
        for index in 0..<length {
          let at = Double(index) / Double(length)
          phase += pitch * (1 + 0.1 * at) / rate
          var pulse = 0.0
          if phase >= 1 {
            phase -= 1
            pulse = 1
          }
          let breath = (random.share() - 0.5) * 0.02
          let envelope = min(1, at * 6) * min(1, (1 - at) * 4)
          samples.append(resonances.indices.reduce(0) { $0 + resonances[$1].next(pulse + breath) } * envelope)
        }
      }
      samples += [Double](repeating: 0, count: Int(rate * (0.3 + 0.4 * random.share())))
    }
    samples.removeLast(samples.count - Int(10 * rate))
    let loudest = samples.reduce(1e-9) { max($0, abs($1)) }
    return wave(samples.map { Int16($0 / loudest * 16_000) }, rate: Int(rate))
  }

  /// Six seconds of video as YUV4MPEG2: a textured wall that pans, a block that crosses it, and the frame's number in
  /// 16 bits.
  static func picture() -> [UInt8] {
    var random = SplitMix64(seed: 11)
    let wall = width * 2
    var texture = [UInt8](repeating: 0, count: wall * height)
    var patches: [UInt8] = []
    for _ in 0..<(wall / 16 * height / 16 + wall) { patches.append(UInt8(60 + random.next() % 130)) }
    for y in 0..<height {
      for x in 0..<wall {
        texture[y * wall + x] = patches[(y / 16) * (wall / 16) + x / 16] &+ UInt8((x &* 7 ^ y &* 13) & 15)
      }
    }
    let frames = 6 * framesPerSecond
    var file = Array("YUV4MPEG2 W\(width) H\(height) F\(framesPerSecond):1 Ip A1:1 C420mpeg2\n".utf8)
    file.reserveCapacity(frames * (width * height * 3 / 2 + 6) + 100)
    let chroma = (0..<2).map { plane in
      (0..<(width / 2 * height / 2)).map { UInt8(110 + 20 * plane + ($0 / (width / 2)) % 32) }
    }
    for number in 0..<frames {
      file += Array("FRAME\n".utf8)
      let begin = file.count
      // Forwards and backwards, so that it loops without a jump.
      let pan = width * min(number, frames - number) * 2 / frames
      for y in 0..<height { file += texture[(y * wall + pan)..<(y * wall + pan + width)] }
      let left = number * (width - 80) / frames
      for y in 140..<220 {
        for x in left..<(left + 80) { file[begin + y * width + x] = 230 }
      }
      for bit in 0..<16 {
        let level: UInt8 = number >> bit & 1 == 1 ? 235 : 16
        for y in 0..<16 {
          for x in (bit * 16)..<(bit * 16 + 16) { file[begin + y * width + x] = level }
        }
      }
      file += chroma[0]
      file += chroma[1]
    }
    return file
  }

  private static func wave(_ samples: [Int16], rate: Int) -> [UInt8] {
    func little(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file = Array("RIFF".utf8) + little(36 + samples.count * 2, 4) + Array("WAVEfmt ".utf8)
    file +=
      little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4) + little(rate * 2, 4) + little(2, 2)
      + little(16, 2)
    file += Array("data".utf8) + little(samples.count * 2, 4)
    for sample in samples { file += little(Int(sample), 2) }
    return file
  }

  /// A formant: a two-pole filter.
  private struct Formant {
    private var (a, b, gain) = (0.0, 0.0, 0.0)
    private var (last, before) = (0.0, 0.0)

    mutating func tune(to frequency: Double, rate: Double) {
      let radius = exp(-Double.pi * (60 + frequency / 20) / rate)
      a = 2 * radius * cos(2 * Double.pi * frequency / rate)
      b = -radius * radius
      gain = 1 - radius
    }

    mutating func next(_ input: Double) -> Double {
      let output = gain * input + a * last + b * before
      before = last
      last = output
      return output
    }
  }
}
