import CallModel
import Testing

@testable import Packets
@testable import Playout

@Suite("Senders that have nothing to say")
struct SilenceTests {
  typealias C = CaptureBuilder

  /// Three seconds of talk and five of silence by turns, packets in `lost` left out; `quiet` is what is sent in silence, every
  /// two seconds.
  private func talk(
    type: Int, size: Int, quiet: (type: Int, size: Int)?, lost: (Int) -> Bool = { _ in false }
  ) throws -> [Sample] {
    var builder = C()
    var number = 0
    for n in 0..<2000 {
      let place = n % 400
      var packet: (type: Int, size: Int)?
      if place < 150 { packet = (type, size) } else if place % 100 == 50 { packet = quiet }
      guard let packet else { continue }
      number += 1
      if lost(number) { continue }
      let rtp = C.rtp(
        type: packet.type, sequence: number, timestamp: 160 * n, marker: place == 0, payload: packet.size)
      builder.addUDP(rtp, atMs: 20 * Double(n))
    }
    let read = try Recorder.read(builder.pcap())
    return try #require(read.samples.values.first)
  }

  private func heard(_ samples: [Sample]) throws -> (made: Double, silent: Double, all: Double) {
    let last = try #require(samples.last)
    let silent = try #require(last[.silentConcealedSamples])
    return (try #require(last[.concealedSamples]) - silent, silent, try #require(last[.totalSamples]))
  }

  @Test(
    "where numbers go on, silence is nothing concealed: comfort noise, noise behind frames, or nothing at all"
  )
  func silence() throws {
    for (name, type, size, quiet) in [
      ("comfort noise", 0, 160, (13, 1)), ("G.729 B", 18, 20, (18, 2)), ("G.723.1 A", 4, 24, (4, 4)),
      ("G.729 B and a tag", 18, 24, (18, 6)), ("G.723.1 A and a tag", 4, 30, (4, 14)),
      ("nothing", 8, 160, nil),
    ] as [(String, Int, Int, (Int, Int)?)] {
      let (made, silent, all) = try heard(talk(type: type, size: size, quiet: quiet.map { ($0.0, $0.1) }))
      // Of the first silence without a word nobody knows, until concealed sound has faded.
      #expect(made <= (quiet == nil ? 0.02 : 0.002) * all, "\(name): \(made) of \(all)")
      #expect(quiet == nil ? silent > 0.5 * all : silent == 0, "\(name): \(silent) of \(all)")
    }
  }

  /// What the whole of a stream is said to have concealed, s, and how much of that in pauses, of ten seconds at 48 kHz: nothing
  /// comes from the third second to the sixth. `late`: what was sent meanwhile comes all at once then.
  private func hole(late: Bool, lost: Bool = false) throws -> (made: Double, paused: Double) {
    var builder = C()
    for n in 0..<500 {
      let isHole = (150..<300).contains(n)
      if isHole && !late { continue }
      let number = n >= 300 && !late && !lost ? n - 150 : n
      let rtp = C.rtp(type: 111, sequence: number, timestamp: 960 * n, payload: 90)
      builder.addUDP(rtp, atMs: isHole ? 5990 + Double(n) / 100 : 20 * Double(n))
    }
    builder.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(builder.pcap())
    let last = try #require(read.samples.values.first?.last)
    let extra = read.streams.first?.totals.extra ?? "{}"
    let paused = memberText("paused_concealed", of: extra).flatMap(Double.init) ?? 0
    return (try #require(last[.concealedSamples]) / 48_000, paused / 48_000)
  }

  @Test("what is concealed while a sender has nothing to say is told apart, that of a stall or a loss is not")
  func pausedConcealment() throws {
    let pause = try hole(late: false)
    #expect(pause.made > 2.5 && (pause.made - 0.2...pause.made).contains(pause.paused), "\(pause)")
    for fault in [try hole(late: true), try hole(late: false, lost: true)] {
      #expect(fault.made > 2 && fault.paused < 0.05, "\(fault)")
    }
  }

  @Test(
    "what is lost while somebody talks is concealed, however small packets are",
    arguments: [(18, 20), (0, 160)])
  func loss(type: Int, size: Int) throws {
    let (made, _, all) = try heard(
      talk(type: type, size: size, quiet: (type == 18 ? 18 : 13, type == 18 ? 2 : 1), lost: { $0 % 20 == 7 }))
    // A twentieth of the packets, which are three eighths of the time.
    #expect((0.7...1.5).contains(made / (all * 3 / 8 / 20)), "\(made) of \(all)")
  }

  @Test("words that are lost after a pause are missing, however the pause was announced")
  func lostAfterPause() throws {
    var builder = C()
    var number = 0
    for n in 0..<800 where !(300..<400).contains(n) || n == 300 {
      number += 1
      // A pause of two seconds, and the three seconds after it lost as a whole.
      if (400..<550).contains(n) { continue }
      let isNoise = n == 300
      builder.addUDP(
        C.rtp(type: isNoise ? 13 : 0, sequence: number, timestamp: 160 * n, payload: isNoise ? 1 : 160),
        atMs: 20 * Double(n))
    }
    let (made, _, _) = try heard(try #require(try Recorder.read(builder.pcap()).samples.values.first))
    #expect((0.9...1.1).contains(made / (150 * 160)), "\(made)")
  }

  @Test("a key that is pressed stands in place of sound")
  func keys() throws {
    var builder = C()
    for n in 0..<1000 {
      let place = n % 100
      // 400 ms of a key every two seconds, all of it under the time at which it was pressed.
      let packet =
        place < 20
        ? C.rtp(type: 101, sequence: n, timestamp: 160 * (n - place), marker: place == 0, payload: 4)
        : C.rtp(type: 0, sequence: n, timestamp: 160 * n)
      builder.addUDP(packet, atMs: 20 * Double(n))
    }
    let (made, silent, all) = try heard(try #require(try Recorder.read(builder.pcap()).samples.values.first))
    #expect(made + silent < 0.01 * all, "\(made) and \(silent) of \(all)")
  }

  @Test("the mark of a codec")
  func marks() {
    let g729 = ComfortNoiseMark(PayloadFormat.assigned(18), clockRate: 8000)
    #expect(g729.sign(2, largest: 20) == .certain && g729.sign(22, largest: 30) == .certain)
    #expect(g729.sign(18, largest: 36) == .certain && g729.sign(26, largest: 36) == .none)
    let g723 = ComfortNoiseMark(PayloadFormat.assigned(4), clockRate: 8000)
    #expect(g723.sign(8, largest: 28) == .certain && g723.sign(24, largest: 28) == .none)
    let opus = ComfortNoiseMark(nil, clockRate: 48_000)
    #expect(opus.sign(13, largest: 13) == .likely && opus.sign(60, largest: 90) == .none)
    #expect(opus.sign(1, largest: 90) == .certain)
    let unknown = ComfortNoiseMark(nil, clockRate: 8000)
    #expect(unknown.sign(7, largest: 7) == .certain && unknown.sign(14, largest: 14) == .none)
    #expect(unknown.sign(16, largest: 32) == .likely)
    #expect(ComfortNoiseMark(PayloadFormat.assigned(0), clockRate: 8000) == .none)
    let evs = ComfortNoiseMark(PayloadFormat("EVS", 16_000, .audio), clockRate: 16_000)
    #expect(evs.sign(6, largest: 61) == .certain && evs.sign(7, largest: 18) == .certain)
    #expect(evs.sign(33, largest: 33) == .none)
  }

  @Test(
    "redundant audio of a browser ends in what is small beside the frame before, and rests",
    arguments: [0, 9])
  func blocks(lostOf each: Int) throws {
    var builder = CallBuilder.webRTC()
    builder.frames = Array(builder.frames.prefix(11))
    // A word of 240 ms every half second, as Chromium sends it with discontinuous transmission.
    for n in 0..<240 {
      let (word, place) = (n / 12, n % 12)
      if each > 0, n % each == 4 { continue }
      let rtp = C.rtp(
        type: 63, sequence: n, timestamp: 24_000 * word + 960 * place, marker: place == 0,
        payload: place == 11 ? 33 : 100 - 5 * place)
      builder.addUDP(rtp, atMs: 1400 + 500 * Double(word) + 20 * Double(place))
    }
    let samples = try #require(try Recorder.read(builder.pcap()).samples.values.first)
    let (made, silent, all) = try heard(samples)
    #expect(made + silent < (each == 0 ? 0.02 : 0.1) * all, "\(made) and \(silent) of \(all)")
  }

  @Test("small packets that go on without a pause are sound, until a pause follows one of them all the same")
  func runs() {
    var signs = PauseDetector(nil, clockRate: 48_000)
    func said(_ count: Int) -> Set<ComfortNoiseMark.SilenceHint> {
      Set((0..<count).map { _ in signs.take(15, isNoise: false, rested: false) })
    }
    #expect(said(25) == [.likely] && said(100) == [.none])
    #expect(signs.take(15, isNoise: false, rested: true) == .likely)
    #expect(said(100) == [.likely])
  }

  /// Ten seconds of packets that nobody describes, of which every tenth is lost, or which stand still for 300 ms once a second; large
  /// ones for three seconds, small ones from then on. What was concealed, ms.
  private func concealed(ticks: Int, ms: Double, large: Int, small: Int, isLossy: Bool) throws -> Double {
    var builder = C()
    for n in 0..<Int(10_000 / ms) {
      let timeMs = ms * Double(n)
      if isLossy, n % 10 == 7 { continue }
      let stallMs = isLossy ? 0 : max(0, 300 - timeMs.truncatingRemainder(dividingBy: 1000))
      let size = timeMs < 3000 ? large : small
      builder.addUDP(
        C.rtp(type: 97, sequence: n, timestamp: ticks * n, payload: size), atMs: timeMs + stallMs)
    }
    let (made, silent, all) = try heard(try #require(try Recorder.read(builder.pcap()).samples.values.first))
    return (made + silent) / all * 10_000
  }

  @Test(
    "sound of a low bit rate is no silence: what is lost of it or comes late is concealed",
    arguments: [(160, 20.0, 32, 14), (320, 20, 61, 18), (960, 20, 15, 15), (480, 10, 20, 20)])
  func lowRate(ticks: Int, ms: Double, large: Int, small: Int) throws {
    #expect(try concealed(ticks: ticks, ms: ms, large: large, small: small, isLossy: true) > 700)
    let stalls = try concealed(ticks: ticks, ms: ms, large: large, small: small, isLossy: false)
    let ofLarge = try concealed(ticks: ticks, ms: ms, large: 100, small: 100, isLossy: false)
    #expect(abs(stalls - ofLarge) < 100, "\(stalls) and \(ofLarge)")
  }

  @Test("keys pressed under SRTP, which nothing describes, are neither lost nor late sound")
  func hiddenKeys() throws {
    var builder = C()
    var number = 0
    for n in 0..<1000 {
      // Every two seconds a key of 160 ms, of which each packet has the time of the first, told three times in the end.
      let isKey = n % 100 >= 50 && n % 100 < 59
      for _ in 0..<(n % 100 == 58 ? 3 : 1) {
        number += 1
        let rtp = C.rtp(
          type: isKey ? 126 : 111, sequence: number, timestamp: 960 * (isKey ? n / 100 * 100 + 50 : n),
          payload: isKey ? 14 : 90)
        builder.addUDP(rtp, atMs: 20 * Double(n))
      }
    }
    let samples = try #require(try Recorder.read(builder.pcap()).samples.values.first)
    let last = try #require(samples.last)
    #expect(try #require(last[.jitterMs]) < 1)
    #expect(try #require(last[.concealedSamples]) < 0.01 * #require(last[.totalSamples]))
    #expect(try #require(last[.jitterBufferDelayMs]) / #require(last[.jitterBufferEmitted]) < 100)
  }

  @Test(
    "a sender that paused before without loss pauses at the end as well, and not for ever",
    arguments: [8, 28])
  func lastPause(seconds: Int) throws {
    var b = CaptureBuilder()
    for n in 0..<(1200 + 50 * seconds) {
      // Two pauses of four seconds, then sound for four, then nothing.
      let isSilent = n >= 1000 || (n / 200) % 2 == 1
      let number = n - 200 * min(2, n / 400)
      if !isSilent {
        b.addUDP(CaptureBuilder.rtp(sequence: number, timestamp: 160 * n, ssrc: 7), atMs: 20 * Double(n))
      }
      b.addUDP(
        CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: 8), atMs: 20 * Double(n) + 5, back: true)
    }
    let read = try Recorder.read(b.pcap())
    let stream = try #require(read.facts.first { $0.value.ssrc == 7 }?.key)
    let last = try #require(read.samples[stream]?.last)
    let silentMs = last.timeMs - (try #require(last[.lastPacketMs]))
    #expect((silentMs < 1000) == (seconds == 8))
  }

  @Test(
    "padding in a pause takes numbers, and neither it nor what is lost of it is sound", arguments: [0, 7])
  func paddingInPauses(lostOf: Int) throws {
    var builder = C()
    var heardLast = 0
    for n in 0..<2000 {
      // Six seconds of talk, six of pause: Opus sends every 400 ms then, and a sender that looks for more bandwidth padding
      // under the time of what it sent last.
      let pause = n % 600 - 300
      let isPadding = pause > 0 && pause % 20 != 0
      if isPadding && lostOf > 0 && n % lostOf == 3 { continue }
      if !isPadding { heardLast = n }
      let rtp = C.rtp(
        type: 111, sequence: n, timestamp: 960 * heardLast, payload: isPadding ? 234 : pause >= 0 ? 13 : 90,
        padded: isPadding)
      builder.addUDP(rtp, atMs: 20 * Double(n))
    }
    let (made, silent, all) = try heard(try #require(try Recorder.read(builder.pcap()).samples.values.first))
    #expect(made + silent < 0.01 * all, "\(made) and \(silent) of \(all)")
  }

  @Test("sound that is lost beside padding is missing")
  func soundAmongPadding() {
    var numbers = SequenceUnwrapper(before: 100)
    func missed(before number: UInt16, packets: Int64) -> Int64 {
      let (missed, follows) = numbers.take(number, jump: packets * 960, length: 960)
      #expect(follows == (missed == 0))
      return missed
    }
    #expect(missed(before: 100, packets: 0) == 0)
    // 101 is lost and 102 padding: the time has room for one packet of sound.
    numbers.skip(102)
    #expect(missed(before: 103, packets: 2) == 1)
    // No time is missing, so what was lost was padding.
    numbers.skip(106)
    #expect(missed(before: 107, packets: 1) == 0)
    // The sender paused, and of the numbers that came few were sound.
    for number in UInt16(108)...126 where number % 9 != 0 { numbers.skip(number) }
    #expect(missed(before: 127, packets: 20) == 0)
    #expect(missed(before: 130, packets: 3) == 2)
  }
}
