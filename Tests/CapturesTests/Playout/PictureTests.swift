import Testing

@testable import Playout

@Suite("What a viewer saw of a captured picture")
struct PictureTests {
  private func frame(_ ms: Double, guessed: Bool = false) -> FreezeDetector.Frame {
    .init(shownMs: ms, delayMs: 0, wantedMs: 0, isGuessed: guessed)
  }

  @Test("a gap of over max(3 means, mean + 150 ms) is a freeze, of over 5 s a pause")
  func freezes() {
    var screen = FreezeDetector()
    for i in 0..<20 { screen.show(frame(Double(i) * 50)) }
    screen.show(frame(950 + 300))
    screen.show(frame(1300))
    screen.show(frame(1300 + 6000))
    screen.settle(upTo: .infinity)
    #expect(screen.frames == 23)
    #expect(screen.freezeCount == 1 && abs(screen.freezeMs - 300) < 17)
    #expect(screen.pauseCount == 1 && abs(screen.pauseMs - 6000) < 17)
  }

  @Test("frames that come at once are seen as one: they do not shorten the mean")
  func bursts() {
    var screen = FreezeDetector()
    for i in 0..<40 { for _ in 0..<4 { screen.show(frame(Double(i) * 100)) } }
    // Three means of gaps are 300 ms; were the burst's gaps counted, 175 ms would do.
    screen.show(frame(3900 + 240))
    screen.settle(upTo: .infinity)
    #expect(screen.frames == 161 && screen.freezeCount == 0)
  }

  @Test("who asks for a key frame has seen nothing for three seconds: doubtful frames are taken back")
  func requests() {
    var doubtful = FreezeDetector()
    var sure = FreezeDetector()
    for i in 0..<20 {
      doubtful.show(frame(Double(i) * 50))
      sure.show(frame(Double(i) * 50))
    }
    for i in 0..<4 {
      doubtful.show(frame(2000 + Double(i) * 100, guessed: i == 0))
      sure.show(frame(2000 + Double(i) * 100))
    }
    doubtful.keyFrameAsked(atMs: 3960)
    sure.keyFrameAsked(atMs: 3960)
    doubtful.settle(upTo: .infinity)
    sure.settle(upTo: .infinity)
    #expect(doubtful.frames == 20 && sure.frames == 24)
  }

  @Test("nothing is settled before it is due")
  func settling() {
    var screen = FreezeDetector()
    for i in 0..<10 { screen.show(frame(Double(i) * 50)) }
    screen.settle(upTo: 200)
    #expect(screen.frames == 5)
    screen.settle(upTo: 1000)
    #expect(screen.frames == 10)
  }

  /// Frames of `packets` packets each, a step of 3000 apart; numbers in `lost` do not come.
  private func times(
    frames: Int, packets: Int, redundancy: Int, lost: Set<Int64>, bytes: Int = 1000
  ) -> [Int64: Int64] {
    var assembly = VideoAssembly()
    var shown: [Int64: Int64] = [:]
    var number: Int64 = 0
    for i in 0..<frames {
      let timeNs = Int64(i) * 33_000_000
      for p in 0..<(packets + redundancy) {
        number += 1
        if lost.contains(number) { continue }
        assembly.take(
          number: number, at: Int64(i) * 3000, marker: p == packets - 1, bytes: bytes, timeNs: timeNs
        ) { shown[$0.at / 3000] = timeNs / 33_000_000 }
      }
    }
    return shown
  }

  @Test("a missing redundancy packet holds up nobody")
  func redundancy() {
    // Four packets and one of redundancy a frame: number 5 n is redundancy.
    let shown = times(frames: 60, packets: 4, redundancy: 1, lost: [150])
    #expect((0..<60).allSatisfy { shown[$0] == $0 })
  }

  @Test(
    "redundancy that comes after the second of two frames makes up for the first as well, where asking again takes long"
  )
  func redundancyOfTwo() {
    func shown(roundTripMs: Double, lost: Set<Int64>) -> [Int64] {
      var assembly = VideoAssembly()
      var shown: [Int64] = []
      var number: Int64 = 0
      for i in Int64(0)..<40 {
        let timeNs = i * 50_000_000
        if i == 30 { assembly.nacked(at: timeNs, roundTripMs: roundTripMs) }
        // Four packets a frame, and four more after each second one.
        for p in 0..<(i % 2 == 0 ? 4 : 8) {
          number += 1
          if lost.contains(number) { continue }
          assembly.take(number: number, at: i * 4500, marker: p == 3, bytes: 1000, timeNs: timeNs) {
            if timeNs / 50_000_000 < 36 { shown.append($0.at / 4500) }
          }
        }
      }
      return shown
    }
    // Frame 32 has the numbers 193 to 196, frame 33 those from 197 to 204.
    #expect(shown(roundTripMs: 300, lost: [194]) == Array(0..<36))
    #expect(shown(roundTripMs: 300, lost: [194, 198]) == Array(0..<36))
    #expect(shown(roundTripMs: 300, lost: [193, 194, 198]) == Array(0..<32), "more than it can make up for")
  }

  @Test("a missing packet of the picture does, where frames have no redundancy")
  func lostPacket() {
    let shown = times(frames: 60, packets: 4, redundancy: 0, lost: [121])
    #expect(shown[29] == 29 && shown[30] == nil && shown[40] == nil)
  }

  @Test(
    "where no request is seen it goes on after some three seconds, with what came then and not with what waited"
  )
  func blindKeyFrame() throws {
    let shown = times(frames: 200, packets: 4, redundancy: 0, lost: [121])
    let first = try #require(shown.keys.filter { $0 > 30 }.min())
    // 3.2 s are 97 frames; that they are over is seen with the packet after the last frame of them.
    #expect((30 + 96...30 + 99).contains(first))
    #expect((first..<200).allSatisfy { (shown[$0] ?? .max) <= $0 + 1 })
  }

  @Test("a frame that came again as a whole is shown before the ones after it are repaired")
  func repeatedWhole() {
    var assembly = VideoAssembly()
    var shown: [Int64] = []
    for number in Int64(1)...3 {
      assembly.take(
        number: number, at: number * 3000, marker: true, bytes: 900, timeNs: number * 33_000_000
      ) { shown.append($0.at / 3000) }
    }
    // Frame 4 is lost with its two packets, numbers 4 and 5; frame 5 lacks its first.
    assembly.take(number: 7, at: 15_000, marker: true, bytes: 900, timeNs: 165_000_000) {
      shown.append($0.at / 3000)
    }
    #expect(shown == [1, 2, 3])
    for (i, marker) in [false, true].enumerated() {
      assembly.takeRepeat(number: UInt16(i), at: 12_000, marker: marker, timeNs: 200_000_000) {
        shown.append($0.at / 3000)
      }
    }
    #expect(shown == [1, 2, 3, 4])
    assembly.takeRepeat(number: 2, at: 15_000, marker: false, timeNs: 210_000_000) {
      shown.append($0.at / 3000)
    }
    #expect(shown == [1, 2, 3, 4, 5])
  }

  @Test("a frame whose last packets came again ends where the next one begins")
  func endOfARepairedFrame() {
    var assembly = VideoAssembly()
    var shown: [Int64] = []
    var timeNs: Int64 = 0
    var repeats: UInt16 = 0
    func take(_ numbers: [Int64], of frame: Int64, marker: Int64? = nil) {
      for number in numbers {
        timeNs += 1_000_000
        assembly.take(
          number: number, at: frame * 3000, marker: number == marker, bytes: 1000, timeNs: timeNs
        ) { shown.append($0.at / 3000) }
      }
    }
    func takeRepeat(of frame: Int64, marker: Bool = false) {
      timeNs += 1_000_000
      assembly.takeRepeat(number: repeats, at: frame * 3000, marker: marker, timeNs: timeNs) {
        shown.append($0.at / 3000)
      }
      repeats += 1
    }
    // One packet came twice, and is taken for the last of the four that frame 2 lacks: 6, 10, 11 and 12.
    take([1, 2, 3, 4], of: 1, marker: 4)
    takeRepeat(of: 1)
    take([5, 7, 8, 9], of: 2)
    take([13, 14, 16], of: 3)
    for _ in 0..<3 { takeRepeat(of: 2) }
    takeRepeat(of: 2, marker: true)
    takeRepeat(of: 3)
    take([17, 18], of: 3, marker: 18)
    #expect(shown == [1, 2, 3])
  }

  @Test("a packet of four bytes is part of the picture: H.264 sends its parameter sets so")
  func parameterSets() throws {
    var b = CaptureBuilder()
    var sequence = 0
    for frame in 0..<250 {
      let slices = [700, 700, 700, 700, 300]
      let sizes = frame % 50 == 0 ? [2, 22, 4] + slices : [2] + slices
      for (i, size) in sizes.enumerated() {
        let rtp = CaptureBuilder.rtp(
          type: 96, sequence: sequence, timestamp: 3600 * frame, marker: i == sizes.count - 1, payload: size)
        b.addUDP(rtp, atMs: 40 * Double(frame) + 0.1 * Double(i))
        sequence += 1
      }
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.totals[0]?.lost == 0)
    let last = try #require(read.samples[0]?.last)
    #expect(try #require(last[.frames]) > 240)
    #expect(last[.freezeCount] == 0)
  }

  @Test("timestamps of an MPEG transport stream are no pictures: how many are shown is not known")
  func transportStream() throws {
    var b = CaptureBuilder()
    for n in 0..<400 {
      // A packet is sent when it is full, and a quiet picture fills few.
      let ms = 25 * Double(n) + 800 * Double(n / 100)
      b.addUDP(
        CaptureBuilder.rtp(type: 33, sequence: n, timestamp: Int(90 * ms), payload: 1316), atMs: ms)
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.facts[0]?.codec == "MP2T" && read.facts[0]?.kind == .video)
    let last = try #require(read.samples[0]?.last)
    #expect(last[.frames] == nil && last[.freezeCount] == nil && last[.framesReceived] == nil)
    #expect(last[.lost] == 0 && last[.packets] == 400)
  }

  @Test("what is sent again of a frame that came makes up for nothing that another lacks")
  func probes() {
    var assembly = VideoAssembly()
    var shown: [Int64] = []
    var repeats: UInt16 = 0
    for frame in Int64(0)..<60 {
      let timeNs = frame * 33_000_000
      for part in Int64(0)..<4 where (frame, part) != (30, 1) {
        assembly.take(
          number: 4 * frame + part, at: frame * 3000, marker: part == 3, bytes: 1000, timeNs: timeNs
        ) { shown.append($0.at / 3000) }
      }
      // A sender that looks for more bandwidth repeats what it sent last.
      for part in 0..<4 where frame % 3 == 1 {
        assembly.takeRepeat(number: repeats, at: frame * 3000, marker: part == 3, timeNs: timeNs) {
          shown.append($0.at / 3000)
        }
        repeats += 1
      }
    }
    #expect(shown == Array(0..<30))
  }

  @Test("who asked for a key frame and asks no more has a picture, and had it when its frames came")
  func asksNoMore() throws {
    var assembly = VideoAssembly()
    var ready: [Int64: Int64] = [:]
    for frame in Int64(0)..<200 {
      let timeNs = frame * 33_000_000
      if frame == 40 { assembly.asked(at: timeNs - 1, roundTripMs: 0) }
      // A packet of frame 30 is lost for good, and one of the key frame that answers comes in a way that is not seen.
      for part in Int64(0)..<4 where (frame, part) != (30, 1) && (frame, part) != (40, 1) {
        assembly.take(
          number: 4 * frame + part, at: frame * 3000, marker: part == 3, bytes: 1000, timeNs: timeNs
        ) { ready[$0.at / 3000] = $0.readyNs / 33_000_000 }
      }
    }
    #expect((30...40).allSatisfy { ready[$0] == nil })
    #expect((41..<200).allSatisfy { ready[$0] == $0 })
  }

  /// A frame of a picture every two seconds, the last packet of each with elements of one byte in its header.
  private func slowPicture(_ elements: [(Int, Int)]) throws -> Recorder {
    var b = CallBuilder.webRTC()
    b.frames = Array(b.frames.prefix(11))
    for n in 0..<60 {
      let isLast = n % 4 == 3
      var rtp = CaptureBuilder.rtp(
        type: 96, sequence: n, timestamp: 180_000 * (n / 4), ssrc: 0xABCD_0123, marker: isLast, payload: 900)
      if isLast {
        var body = elements.flatMap { [UInt8($0.0 << 4), UInt8($0.1)] }
        body += [UInt8](repeating: 0, count: (4 - body.count & 3) & 3)
        rtp[0] |= 0x10
        rtp.insert(contentsOf: [0xBE, 0xDE] + CaptureBuilder.be16(body.count / 4) + body, at: 12)
      }
      b.addUDP(rtp, atMs: 1400 + 2000 * Double(n / 4) + Double(n % 4))
    }
    return try Recorder.read(b.pcap())
  }

  @Test("a screen is told by its sender, where that names content and rotation behind a frame")
  func screen() throws {
    #expect(try slowPicture([(6, 1), (13, 0)]).streams.first?.facts.screen == true)
    #expect(try slowPicture([(13, 1)]).streams.first?.facts.screen == nil, "a telephone held upright")
    #expect(
      try slowPicture([(6, 1), (4, 0x31)]).streams.first?.facts.screen == nil, "what 6 means is not known")
    #expect(try slowPicture([(6, 0), (13, 0)]).streams.first?.facts.screen == nil)
  }

  @Test("how often a picture was asked for again is counted, where only one can have been meant")
  func repeatRequests() throws {
    func asked(pictures: Int, isReported: Bool = true) throws -> [Double?] {
      var b = CallBuilder.webRTC()
      b.frames = Array(b.frames.prefix(11))
      for n in 0..<400 {
        for picture in 0..<pictures {
          b.addUDP(
            CaptureBuilder.rtp(
              type: 96, sequence: n, timestamp: 3000 * n, ssrc: 0xABCD_0100 + picture, marker: true,
              payload: 900),
            atMs: 1400 + 33 * Double(n))
        }
        guard isReported, n == 100 || n == 101 else { continue }
        // A generic NACK under a cipher: eight bytes are in the clear (RFC 3711).
        let nack: [UInt8] = [0x81, 205, 0, 3] + CaptureBuilder.be32(1) + [UInt8](repeating: 9, count: 22)
        b.addUDP(nack, atMs: 1401 + 33 * Double(n), back: true)
      }
      return try Recorder.read(b.pcap()).samples.values.map { $0.last?[.nack] }
    }
    #expect(try asked(pictures: 1) == [2])
    #expect(try asked(pictures: 2) == [nil, nil])
    #expect(try asked(pictures: 1, isReported: false) == [nil])
  }
}
