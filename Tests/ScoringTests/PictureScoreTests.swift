import CallModel
import Foundation
import Testing

@testable import Scoring

@Suite("The picture's score of the fourth version")
struct PictureScoreTests {
  /// A window of a recorded call, with what a second implementation of the formula makes of it (docs/metrics.md).
  private struct Vector: Decodable {
    struct Inputs: Decodable {
      var codec: String?
      var screen: Bool
      var age_s: Double
      var wait_share: Double
      var freeze_share: Double?
      var qp, bpp, pixels, pixels_seen, source_pixels, interval_ms, interval_ref_ms, stutter_ms: Double?
      var drift_ms, proc_range_ms, lost_share: Double?
    }
    var name: String
    var inputs: Inputs
    var video: Double
    var frame_quality: Double?
    var points: [String: Double]

    var impairments: VideoImpairments {
      var all = VideoImpairments()
      all.freezeShare = inputs.freeze_share
      all.pixels = inputs.pixels
      all.lossShare = inputs.lost_share
      var picture = PictureImpairments()
      picture.codec = inputs.codec
      picture.isScreen = inputs.screen
      picture.ageS = inputs.age_s
      picture.waitShare = inputs.wait_share
      picture.qp = inputs.qp
      picture.bitsPerPixel = inputs.bpp
      picture.pixelsSeen = inputs.pixels_seen
      picture.configuredPixels = inputs.source_pixels
      picture.intervalMs = inputs.interval_ms
      picture.usualIntervalMs = inputs.interval_ref_ms
      picture.intervalDeviationMs = inputs.stutter_ms
      picture.driftMs = inputs.drift_ms ?? inputs.proc_range_ms
      all.picture = picture
      return all
    }
  }

  private static let vectors: [Vector] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Vectors/picture.json")
    return (try? JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test("gives what a second implementation gives, cause by cause, for forty windows")
  func vectors() throws {
    #expect(Self.vectors.count == 40)
    for vector in Self.vectors {
      let all = vector.impairments
      let score = PictureScore(all, try #require(all.picture), PictureConstants())
      #expect(abs(score.medium.conversing - vector.video) < 1e-3, "\(vector.name)")
      #expect((score.frameQuality == nil) == (vector.frame_quality == nil), "\(vector.name)")
      #expect(abs((score.frameQuality ?? 0) - (vector.frame_quality ?? 0)) < 1e-3, "\(vector.name)")
      for (name, points) in vector.points {
        let cause = try #require(Cause(rawValue: name))
        #expect(abs((score.medium.lost[cause] ?? 0) - points) < 1e-3, "\(vector.name): \(name)")
      }
    }
  }

  @Test("points add up to what is missing, and no harm ever makes a picture better")
  func monotone() throws {
    var random = SplitMix64(seed: 7)
    func pick(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * Double(random.next() >> 11) / Double(1 << 53)
    }
    for round in 0..<4000 {
      var all = VideoImpairments()
      all.freezeShare = pick(0...1)
      all.pixels = pick(20_000...900_000)
      all.lossShare = pick(0...0.3)
      var picture = PictureImpairments()
      picture.codec = ["VP8", "VP9", "AV1", "H264", nil][round % 5]
      picture.isScreen = round % 3 == 0
      picture.ageS = pick(0...10)
      picture.waitShare = pick(0...0.5)
      picture.qp = round % 4 == 0 ? nil : pick(0...255)
      picture.bitsPerPixel = pick(0.001...0.5)
      picture.pixelsSeen = pick(20_000...900_000)
      (picture.intervalMs, picture.usualIntervalMs) = (pick(20...300), pick(20...120))
      picture.intervalDeviationMs = pick(0...400)
      picture.driftMs = pick(0...3000)
      let before = PictureScore(all, picture, PictureConstants()).medium
      let lost = before.lost.values.reduce(0, +)
      #expect(abs(lost - (100 - before.conversing)) < 1e-6)
      switch round % 8 {
      case 0: all.freezeShare = min(1, (all.freezeShare ?? 0) + 0.1)
      case 1: all.pixels = (all.pixels ?? 0) * 0.8
      case 2: picture.waitShare += 0.1
      case 3: picture.qp = picture.qp.map { $0 + 5 }
      case 4: picture.bitsPerPixel = (picture.bitsPerPixel ?? 0) * 0.7
      case 5: picture.intervalDeviationMs = (picture.intervalDeviationMs ?? 0) + 20
      case 6: picture.driftMs = (picture.driftMs ?? 0) + 100
      default: picture.ageS = (picture.ageS ?? 0) * 0.5
      }
      let after = PictureScore(all, picture, PictureConstants()).medium
      #expect(after.conversing <= before.conversing + 1e-9, "\(round % 8)")
    }
  }

  @Test("nothing known of a picture costs nothing")
  func unknown() {
    let score = PictureScore(VideoImpairments(), PictureImpairments(), PictureConstants())
    #expect(score.medium.conversing == 100 && score.frameQuality == nil)
  }
}

@Suite("Delay and lip-sync by the timestamps of playout")
struct PlayoutDelayTests {
  /// Windows of one end that hears and sees with these delays, whose near round trip is `roundTripMs`.
  private func windows(
    soundMs: Double?, pictureMs: Double?, roundTripMs: Double, farClockMs: Double = 0
  ) -> [Window] {
    let facts = [MediaKind.audio, .video].enumerated().map { place, kind in
      var facts = StreamFacts()
      (facts.direction, facts.kind, facts.ssrc) = (.inbound, kind, UInt32(place + 1))
      return facts
    }
    var scorer = EndpointScorer(streams: facts)
    for second in 0...30 {
      let (now, count) = (1e12 + Double(second) * 1000, Double(second))
      var sound = Sample(timeMs: now)
      sound.set(.packets, count * 50)
      sound.set(.lost, 0)
      sound.set(.totalSamples, count * 48_000)
      sound.set(.concealedSamples, 0)
      sound.set(.jitterBufferDelayMs, count * 48_000 * 40)
      sound.set(.jitterBufferEmitted, count * 48_000)
      sound.set(.playoutDelayMs, count * 48_000 * 30)
      sound.set(.playoutSamples, count * 48_000)
      sound.set(.rttMs, roundTripMs)
      if let soundMs { sound.set(.estimatedPlayoutMs, now + farClockMs - soundMs - 30 + 12) }
      var picture = Sample(timeMs: now)
      picture.set(.packets, count * 100)
      picture.set(.lost, 0)
      picture.set(.frames, count * 20)
      picture.set(.width, 640)
      picture.set(.height, 360)
      if let pictureMs { picture.set(.estimatedPlayoutMs, now + farClockMs - pictureMs - 3) }
      // A sender report every 5 s took half of the round trip.
      if second % 5 == 2 {
        for index in [0, 1] {
          let sent = now + farClockMs - roundTripMs / 2
          if index == 0 {
            sound.set(.farPacketsMs, now)
            sound.set(.farReportMs, sent)
          } else {
            picture.set(.farPacketsMs, now)
            picture.set(.farReportMs, sent)
          }
        }
      }
      scorer.add(sound, of: 0)
      scorer.add(picture, of: 1)
    }
    return scorer.finish()
  }

  @Test(
    "behind a server that ends RTCP the delay is right by playout, and known only to the next hop without it")
  func behindServer() throws {
    let inputs = windows(soundMs: 300, pictureMs: 340, roundTripMs: 10)[3].inputs
    #expect(abs(try #require(inputs.mouthToEarMs) - 300) < 2)
    #expect(abs(try #require(inputs.glassToGlassMs) - 340) < 2)
    #expect(inputs.delaySource == .playout)
    let near = windows(soundMs: nil, pictureMs: nil, roundTripMs: 10)[3].inputs
    #expect(near.delaySource == .roundTrip && near.glassToGlassMs == nil)
    #expect(try #require(near.mouthToEarMs) < 120, "what lies behind the hop is not in it")
  }

  @Test("lip-sync needs no clock; the delays are right where the far end's clock is ahead by a minute")
  func clocks() throws {
    for lead in [0.0, 60_000, -60_000] {
      let inputs = windows(soundMs: 250, pictureMs: 150, roundTripMs: 60, farClockMs: lead)[4].inputs
      #expect(abs(try #require(inputs.audioMinusVideoMs) - 100) < 5, "\(lead)")
      #expect(abs((inputs.mouthToEarMs ?? 0) - 250) < 30, "\(lead)")
    }
  }
}

@Suite("Sound that comes apart from its picture")
struct LipSyncTests {
  private func windows(_ apart: [Double?]) -> [Window] {
    apart.enumerated().map { index, apart in
      var window = Window(
        index: index, startMs: Double(index) * 5000, endMs: Double(index + 1) * 5000, state: .active)
      window.inputs.audioMinusVideoMs = apart
      return window
    }
  }

  @Test("is told from the limits of BT.1359 on, and a warning where nobody accepts it")
  func limits() {
    #expect(LipSync.findings(windows([120, 120, 120, -40, -40])).isEmpty)
    #expect(LipSync.findings(windows([300, nil, 300])).isEmpty, "never for 10 s")
    let seen = LipSync.findings(windows([150, 150, 150]))
    #expect(seen.map(\.severity) == [.info] && seen.map(\.startMs) == [0] && seen.map(\.endMs) == [15_000])
    #expect(LipSync.findings(windows([10, 240, 260, 10])).map(\.severity) == [.warning])
    #expect(
      LipSync.findings(windows([-120, -120])).map(\.text).first?.contains("before its picture") == true)
  }
}
