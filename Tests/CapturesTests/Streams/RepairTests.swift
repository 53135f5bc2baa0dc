import CallModel
import Testing

@Suite("Retransmissions told from media")
struct RepairTests {
  typealias C = CaptureBuilder

  /// The times of frames, ms: about 30 a second, as a camera gives them.
  private static let frameMs = (0..<300).map { Double($0 * 33 + $0 % 3) }

  /// A call of a browser, or plain RTP that nothing describes.
  private func flow(encrypted: Bool) -> C {
    var b = CallBuilder.webRTC()
    b.frames = encrypted ? Array(b.frames.prefix(11)) : []
    return b
  }

  /// A picture of three packets a frame, numbers in `lost` not captured.
  private func addPicture(_ b: inout C, ssrc: Int, lost: (Int) -> Bool = { _ in false }) {
    for (n, ms) in Self.frameMs.enumerated() {
      for part in 0..<3 where !lost(3 * n + part) {
        let rtp = C.rtp(
          type: 96, sequence: 1 + 3 * n + part, timestamp: Int(ms) * 90, ssrc: ssrc, marker: part == 2,
          payload: 1000 - 7 * n % 13 - part)
        b.addUDP(rtp, atMs: 1400 + ms + Double(part) * 0.2)
      }
    }
  }

  /// The packets of given numbers again, 60 ms after they were sent.
  private func addRepeats(_ b: inout C, of numbers: [Int], afterMs: Double = 0, first: Int = 700) {
    for (again, number) in numbers.enumerated() {
      let (n, part) = (number / 3, number % 3)
      let rtp = C.rtp(
        type: 97, sequence: first + again, timestamp: Int(Self.frameMs[n]) * 90, ssrc: 0x7777,
        marker: part == 2, payload: 1000 - 7 * n % 13 - part + 2)
      b.addUDP(rtp, atMs: 1460 + afterMs + Self.frameMs[n] + Double(part))
    }
  }

  private func read(_ b: C) throws -> Recorder {
    var b = b
    b.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(b.pcap(), name: "callee.pcap")
  }

  @Test(
    "sound and picture that a server begins at number 1 and time 0 are both media, whichever comes first",
    arguments: [true, false], [0.0, 7.0])
  func begunAtZero(encrypted: Bool, soundLaterMs: Double) throws {
    var b = flow(encrypted: encrypted)
    addPicture(&b, ssrc: 0x5555, lost: { $0 % 41 == 20 })
    for n in 0..<500 where n % 37 != 30 {
      b.addUDP(
        C.rtp(type: 111, sequence: 1 + n, timestamp: 960 * n, ssrc: 0x6666, payload: 70 + n % 30),
        atMs: 1397 + soundLaterMs + 20 * Double(n))
    }
    let streams = try read(b).streams
    #expect(streams.count == 2)
    for (facts, totals) in streams {
      #expect(facts.kind == (facts.ssrc == 0x5555 ? .video : .audio))
      #expect(facts.rtxSsrc == nil && totals.rtx == nil)
    }
  }

  @Test("what repeats lost packets is no medium", arguments: [true, false])
  func lost(encrypted: Bool) throws {
    var b = flow(encrypted: encrypted)
    addPicture(&b, ssrc: 0x5555, lost: { $0 % 40 == 20 })
    addRepeats(&b, of: (0..<900).filter { $0 % 40 == 20 })
    let streams = try read(b).streams
    let picture = try #require(streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.facts.rtxSsrc == 0x7777 && picture.totals.rtx == 22)
  }

  @Test("nor is what repeats packets that passed here: they are lost further on", arguments: [true, false])
  func lostBeyond(encrypted: Bool) throws {
    var b = flow(encrypted: encrypted)
    addPicture(&b, ssrc: 0x5555)
    addRepeats(&b, of: (60..<900).filter { $0 % 40 == 20 })
    let streams = try read(b).streams
    let picture = try #require(streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.facts.rtxSsrc == 0x7777 && picture.totals.rtx == 21)
  }

  @Test(
    "nor what tries the width of the way with repeats of the first frames, more than there are of them",
    arguments: [true, false])
  func probing(encrypted: Bool) throws {
    var b = flow(encrypted: encrypted)
    addPicture(&b, ssrc: 0x5555)
    for again in 0..<5 {
      addRepeats(&b, of: Array(0..<9), afterMs: Double(again) * 3, first: 700 + 9 * again)
    }
    let read = try self.read(b)
    let picture = try #require(read.streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.facts.rtxSsrc == 0x7777 && picture.totals.rtx == 45)
    let key = try #require(read.facts.first { $0.value.ssrc == 0x7777 }?.key)
    #expect(read.samples[key] == nil)
  }

  @Test("what is repeated before it is believed to be a stream is not taken for what repeats")
  func repeatedAtOnce() throws {
    var b = flow(encrypted: true)
    for n in 0..<200 {
      let ms = 1400 + 50 * Double(n)
      func add(_ type: Int, _ sequence: Int, ssrc: Int, extra: Int, after: Double) {
        let rtp = C.rtp(
          type: type, sequence: sequence, timestamp: 4500 * n, ssrc: ssrc, marker: true,
          payload: 800 + 7 * n % 90 + extra)
        b.addUDP(rtp, atMs: ms + after)
      }
      add(118, 1 + n, ssrc: 0x5555, extra: 0, after: 0)
      // Of three repeats a frame the second is lost.
      for again in [0, 2, 3] {
        add(119, 700 + 4 * n + again, ssrc: 0x7777, extra: 2, after: 20 + Double(again))
      }
    }
    let streams = try read(b).streams
    let picture = try #require(streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.totals.extra?.contains("rtx") != true)
    #expect(picture.facts.rtxSsrc == 0x7777, "more than there is of the picture, and nothing but repeats")
  }

  @Test("what repeats a first packet before a second one came repeats it all the same")
  func repeatedEarly() throws {
    var b = flow(encrypted: true)
    func add(_ type: Int, _ sequence: Int, ssrc: Int, frame: Int, extra: Int, atMs: Double) {
      let rtp = C.rtp(
        type: type, sequence: sequence, timestamp: 4500 * frame, ssrc: ssrc, marker: true,
        payload: 800 + 7 * frame % 90 + extra)
      b.addUDP(rtp, atMs: 1400 + atMs)
    }
    for n in 0..<100 { add(122, 1 + n, ssrc: 0x5555, frame: n, extra: 0, atMs: 50 * Double(n)) }
    for (n, ms) in [20.0, 25, 30, 35, 170, 171, 172, 173].enumerated() {
      add(119, 700 + n, ssrc: 0x7777, frame: 0, extra: 2, atMs: ms)
    }
    let picture = try #require(try read(b).streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.facts.rtxSsrc == 0x7777)
  }

  @Test("nor what repeats a frame of which nothing came")
  func wholeFrame() throws {
    var b = flow(encrypted: true)
    let gone = [150, 151, 152, 450, 451, 452]
    addPicture(&b, ssrc: 0x5555, lost: { gone.contains($0) })
    addRepeats(&b, of: gone)
    let streams = try read(b).streams
    let picture = try #require(streams.first { $0.facts.ssrc == 0x5555 })
    #expect(picture.facts.rtxSsrc == 0x7777 && picture.totals.rtx == 6)
  }

  /// Packets of a second SSRC beside the picture, eight every 150 ms under one timestamp; `marked` says whether frames end.
  private func addSecond(_ b: inout C, marked: Bool) {
    for n in 0..<320 {
      let (step, part) = (n / 8, n % 8)
      let rtp = C.rtp(
        type: 49, sequence: 5000 + n, timestamp: 13_500 * step, ssrc: 0x4949, marker: marked && part == 7,
        payload: 1190 - part)
      b.addUDP(rtp, atMs: 3000 + 150 * Double(step) + Double(part) * 0.1)
    }
  }

  @Test("what protects a picture in a stream of its own ends no frames, and is no second picture")
  func redundancy() throws {
    var b = flow(encrypted: true)
    addPicture(&b, ssrc: 0x5555, lost: { $0 % 40 == 20 })
    addSecond(&b, marked: false)
    let read = try self.read(b)
    let key = try #require(read.facts.first { $0.value.ssrc == 0x4949 }?.key)
    #expect(read.samples[key] == nil)
    #expect(read.totals[key]?.extra?.contains(#""role":"fec""#) == true)
  }

  @Test("a second picture that is smaller and ends its frames is one")
  func secondPicture() throws {
    var b = flow(encrypted: true)
    addPicture(&b, ssrc: 0x5555, lost: { $0 % 40 == 20 })
    addSecond(&b, marked: true)
    let read = try self.read(b)
    let key = try #require(read.facts.first { $0.value.ssrc == 0x4949 }?.key)
    #expect(read.facts[key]?.kind == .video && (read.samples[key]?.last?[.frames] ?? 0) > 30)
  }
}
