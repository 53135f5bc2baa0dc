import CallModel
import Scoring
import Testing

/// What must hold for any input, tried on random ones: fewer for models that are kept for older databases only.
@Suite("Properties of every model of ours")
struct PropertyTests {
  private static func pairs(_ model: ScoreModel) -> Int {
    model.name == ScoreModel.standard.name ? 100_000 : 20_000
  }
  /// The standard model and those before it.
  static let ours = ScoreModel.all.filter { !$0.hasLabels }.map(\.name)

  @Test("Worse input never scores better", arguments: Self.ours)
  func monotone(name: String) throws {
    let model = try #require(ScoreModel.named(name))
    var dice = Dice(seed: 20)
    var violations = 0
    for _ in 0..<Self.pairs(model) {
      let better = dice.streams()
      var worse = better
      dice.worsen(&worse)
      guard let first = model.score(better), let second = model.score(worse) else { continue }
      if second.exact > first.exact + 1e-9 || second.score > first.score { violations += 1 }
    }
    #expect(violations == 0)
  }

  @Test(
    "Points lost add up to what is missing from 100, always",
    arguments: Self.ours)
  func attribution(name: String) throws {
    let model = try #require(ScoreModel.named(name))
    var dice = Dice(seed: 21)
    var wrong = 0
    for _ in 0..<Self.pairs(model) / 4 {
      guard let score = model.score(dice.streams()) else { continue }
      let exact = score.exactLost.values.reduce(0, +)
      if score.lost.values.reduce(0, +) != 100 - score.score { wrong += 1 }
      if score.lost.values.contains(where: { $0 < 0 }) { wrong += 1 }
      if abs(exact - (100 - score.exact)) > 1e-6 { wrong += 1 }
      if !(0...100).contains(score.score) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test("What nobody hears costs nothing")
  func deadBands() throws {
    var audio = AudioImpairments(codec: "opus")
    audio.lateShare = 0.001
    audio.deceleratedShare = 0.003
    audio.acceleratedShare = 0.002
    audio.delayMs = 100
    var stream = StreamFigures(kind: .audio)
    stream.audio = audio
    #expect(try #require(ScoreModel.callqa2.score([stream])).exact == 100)
  }

  @Test("Speech stretched by 7 % is about as bad as a quarter of it concealed")
  func stretch() throws {
    var stretched = StreamFigures(kind: .audio)
    stretched.audio = AudioImpairments(codec: "opus")
    stretched.audio?.acceleratedShare = 0.07
    let score = try #require(ScoreModel.callqa2.score([stretched]))
    #expect(score.score == 21)
    #expect(score.lost[.jitter] == 79)
    #expect(try #require(ScoreModel.callqa1.score([stretched])).score == 100)
  }

  @Test("Which cause stretching belongs to moves points, never the score", arguments: Self.ours)
  func split(name: String) throws {
    let model = try #require(ScoreModel.named(name))
    var dice = Dice(seed: 22)
    for _ in 0..<Self.pairs(model) / 20 {
      let streams = dice.streams()
      var other = streams
      if !other.isEmpty {
        other[0].audio?.stretchByLoss = dice.roll()
        other[0].audio?.stretchByBuffering = dice.roll()
      }
      let (one, two) = (model.score(streams), model.score(other))
      guard one?.exact == two?.exact, one?.score == two?.score else {
        Issue.record("\(String(describing: one)) and \(String(describing: two))")
        return
      }
    }
  }

  @Test("Whole points go to the largest remainder, ties in the order of causes")
  func wholeShares() {
    #expect(wholePoints([.loss: 1, .jitter: 1, .delay: 1], total: 10)[.loss] == 4)
    #expect(wholePoints([.freeze: 2.5, .delay: 2.5], total: 5)[.delay] == 3)
    #expect(wholePoints([.loss: .nan, .jitter: 3], total: 7)[.jitter] == 7)
    #expect(wholePoints([:], total: 0).values.allSatisfy { $0 == 0 })
  }
}

/// Random streams from a seed, so that a failure can be seen again.
struct Dice {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A number in 0..<1 (SplitMix64).
  mutating func roll() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
  }

  /// Mostly small, sometimes everything.
  private mutating func small() -> Double {
    let x = roll()
    return x * x * x
  }

  mutating func streams() -> [StreamFigures] {
    var streams: [StreamFigures] = []
    let kinds = Int(roll() * 3)
    if kinds != 1 {
      var audio = AudioImpairments(codec: ["opus", "PCMU", "G729", nil, "mystery"][Int(roll() * 5)])
      audio.lostShare = small()
      audio.lateShare = small() * (1 - audio.lostShare)
      audio.restoredShare = small()
      audio.salience = 2 * roll()
      audio.deceleratedShare = small()
      audio.acceleratedShare = small()
      audio.stretchByLoss = small()
      audio.stretchByBuffering = small()
      audio.delayMs = roll() < 0.2 ? nil : 3000 * small()
      var stream = StreamFigures(kind: .audio)
      stream.audio = audio
      streams.append(stream)
    }
    if kinds != 0 {
      var video = VideoImpairments()
      video.freezeShare = small()
      video.freezes = (roll() * 7).rounded()
      video.frameRate = 40 * roll()
      video.frameRateReference = 30 * roll()
      video.pixels = 1_000_000 * roll()
      video.pixelsReference = 1_000_000 * roll()
      video.lossShare = small()
      video.bps = 2_000_000 * roll()
      video.bpsReference = roll() < 0.5 ? nil : 2_000_000 * roll()
      video.delayMs = 3000 * small()
      video.dead = roll() < 0.01
      var stream = StreamFigures(kind: .video)
      stream.video = video
      streams.append(stream)
    }
    return streams
  }

  /// Makes one figure of one stream worse.
  mutating func worsen(_ streams: inout [StreamFigures]) {
    guard !streams.isEmpty else { return }
    let place = Int(roll() * Double(streams.count))
    let more = roll()
    if var audio = streams[place].audio {
      switch Int(roll() * 7) {
      case 5: audio.salience += more
      case 0: audio.lostShare += more
      case 1: audio.lateShare += more
      case 2: audio.restoredShare += more
      case 3: audio.deceleratedShare += more
      case 4: audio.acceleratedShare += more
      default: audio.delayMs = (audio.delayMs ?? 0) + more * 1000
      }
      streams[place].audio = audio
    }
    if var video = streams[place].video {
      switch Int(roll() * 8) {
      case 0: video.freezeShare = (video.freezeShare ?? 0) + more
      case 1: video.freezes += 1
      case 2: video.frameRate = (video.frameRate ?? 0) * more
      case 3: video.pixels = (video.pixels ?? 0) * more
      case 4: video.lossShare = (video.lossShare ?? 0) + more
      case 5: video.bps = (video.bps ?? 0) * more
      case 6: video.delayMs = (video.delayMs ?? 0) + more * 1000
      default: video.dead = true
      }
      streams[place].video = video
    }
  }
}
