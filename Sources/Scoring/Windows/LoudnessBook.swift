import CallModel
import Glibc

/// How loud the sound was where it was made up, against how loud it was altogether: what is made up in a pause of speech
/// is hardly heard.
struct LoudnessBook {
  /// Loudness as a power of the sound's power. Of single tones it is 0.3 (Stevens); a report is longer than a syllable and
  /// tells less of the one that was hit, the less the seldomer reports come. Of what agrees with PESQ-WB alike, 0.1 to
  /// 0.25, the least: a score must hardly depend on how often someone looked.
  static let exponent = 0.1
  /// Power below which nothing is any quieter, -40 dBFS: the noise of a room.
  static let floor = 1e-4
  /// Most that it can weigh.
  static let most = 5.0

  private var samples = 0.0
  private var concealed = 0.0
  private var loudSamples = 0.0
  private var loudConcealed = 0.0
  private var isUnknown = false

  /// Adds a share of a segment. Where no packets came it is quiet because of that, and tells nothing.
  mutating func add(_ segment: Segment, share: Double) {
    guard segment.hadPackets != false, share > 0, let played = segment.growth[.totalSamples],
      let made = segment.growth[.concealedSamples]
    else { return }
    guard let power = segment.power else {
      isUnknown = true
      return
    }
    let weight = pow(power + Self.floor, Self.exponent)
    samples += played * share
    concealed += made * share
    loudSamples += played * share * weight
    loudConcealed += made * share * weight
  }

  /// What all that was concealed weighs, as a multiple of its share; 1 where loudness is not known throughout.
  func salience(ofConcealed all: Double) -> Double {
    guard !isUnknown, concealed > 0, loudSamples > 0, all > 0 else { return 1 }
    let heard = min(Self.most, loudConcealed / loudSamples * samples / concealed)
    let part = min(1, concealed / all)
    return heard * part + 1 - part
  }
}
