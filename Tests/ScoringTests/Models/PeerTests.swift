import CallModel
import Scoring
import Testing

@Suite("Scores of others")
struct PeerTests {
  private func stream(loss: Double, trip: Double = 0, jitter: Double = 0, fec: Bool = false) -> StreamFigures
  {
    var stream = StreamFigures(kind: .audio)
    stream.lossShare = loss / 100
    stream.roundTripMs = trip
    stream.jitterMs = jitter
    stream.errorCorrection = fec
    stream.codec = "opus"
    return stream
  }

  private func score(_ name: String, _ streams: [StreamFigures]) throws -> CallScore? {
    try #require(ScoreModel.named(name)).score(streams)
  }

  @Test("LiveKit weighs loss by codec", arguments: [(1.0, 92, 95), (2, 84, 89), (5, 60, 73), (10, 30, 47)])
  func liveKit(loss: Double, without: Int, with: Int) throws {
    #expect(try score("livekit", [stream(loss: loss)])?.score == without)
    #expect(try score("livekit", [stream(loss: loss, fec: true)])?.score == with)
  }

  @Test("Pexip's levels", arguments: [(0.5, "Good"), (1, "OK"), (2.9, "OK"), (5, "Bad"), (10, "Terrible")])
  func pexip(loss: Double, level: String) throws {
    #expect(try #require(ScoreModel.named("pexip")).label([stream(loss: loss)]) == level)
  }

  @Test("rtcscore's missing bracket lets long delay score as well as none")
  func bracket() throws {
    var far = stream(loss: 0, trip: 700)
    (far.bufferMs, far.bps) = (60, 32_000)
    var near = far
    near.roundTripMs = 20
    let published = try #require(try score("rtcscore", [far])).exact
    let mended = try #require(try score("rtcscore-mended", [far])).exact
    #expect(published >= (try #require(try score("rtcscore", [near]))).exact)
    #expect(mended < published - 20)
  }

  @Test("Teams calls audio poor above 500 ms, 10 % or 30 ms")
  func cqd() throws {
    let cqd = try #require(ScoreModel.named("teams-cqd"))
    #expect(cqd.label([stream(loss: 9, trip: 480, jitter: 29)]) == "Good")
    #expect(cqd.label([stream(loss: 11)]) == "Poor")
    #expect(cqd.label([stream(loss: 0, jitter: 31)]) == "Poor")
  }

  @Test("Twilio's warnings, and no figure where an input is missing")
  func twilio() throws {
    let twilio = try #require(ScoreModel.named("twilio"))
    let label = try #require(twilio.label([stream(loss: 4, trip: 450, jitter: 35)]))
    #expect(label.hasSuffix("high-rtt high-jitter high-packet-loss low-mos"))
    var unknown = stream(loss: 1)
    unknown.roundTripMs = nil
    #expect(twilio.score([unknown]) == nil)
  }

  @Test("The short form: 10 ms of latency for nothing, 2.5 points a per cent")
  func pingPlotter() throws {
    let clean = try #require(try score("pingplotter", [stream(loss: 0)])).exact
    #expect(abs(clean - (meanOpinionScore(rating: 92.95) - 1) / 3.5 * 100) < 1e-9)
  }

  @Test("Every model keeps its sums and its range", arguments: ScoreModel.peers.map(\.name))
  func sums(name: String) throws {
    let model = try #require(ScoreModel.named(name))
    for loss in [0.0, 0.7, 3, 12, 40, 100] {
      for trip in [0.0, 120, 380, 900, 4000] {
        guard let score = model.score([stream(loss: loss, trip: trip, jitter: trip / 20)]) else { continue }
        #expect((0...100).contains(score.score))
        #expect(score.lost.values.reduce(0, +) == 100 - score.score)
      }
    }
  }
}
