import CallModel
import Testing

@Suite("Down through the layers")
struct LayerTests {
  @Test(
    "every link type gives the same stream", arguments: [0, 1, 12, 101, 108, 113, 127, 228, 276] as [UInt32])
  func linkTypes(type: UInt32) throws {
    var builder = CaptureBuilder()
    builder.linkType = type
    builder.addVoice(count: 50)
    let totals = try #require(try Recorder.read(builder.pcap()).streams.first).totals
    #expect(totals.packets == 50 && totals.lost == 0)
  }

  @Test(
    "captures that editcap makes pcap of are refused by name; a text that begins so is not",
    arguments: [
      ("snoop\0\0\0\0\0\0\u{2}", "a snoop capture"),
      ("RTSS\u{1}\u{1}\u{1}\0", "a Microsoft Network Monitor 1.x capture"),
      ("GMBU\0\u{2}\u{1}\0", "a Microsoft Network Monitor 2.x capture"), ("snoop is a tool", nil),
      ("RTSS: started", nil), ("GMBU: started", nil),
    ])
  func otherMakers(head: String, name: String?) throws {
    let recorder = try Recorder.read(Array(head.utf8) + [UInt8](repeating: 0, count: 16))
    #expect(
      recorder.error?.reason == name.map { "\($0): convert it with editcap -F pcap" } ?? "not a capture")
  }

  @Test("VLAN tags, also two, are passed")
  func vlan() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 20)
    for i in builder.frames.indices {
      builder.frames[i].bytes.insert(contentsOf: [0x88, 0xA8, 0, 1, 0x81, 0, 0, 2], at: 12)
      builder.frames[i].wireLength += 8
    }
    #expect(try Recorder.read(builder.pcap()).streams.first?.totals.packets == 20)
  }

  @Test(
    "tunnels over UDP are passed: VXLAN, GTP-U with and without extension headers, Geneve with options, TZSP with tags",
    arguments: [
      (4789, [8, 0, 0, 0, 0, 0, 5, 0], true), (8472, [8, 0, 0, 0, 0, 0, 5, 0], true),
      (2152, [0x30, 0xFF, 0, 0, 0, 0, 0, 1], false),
      (2152, [0x34, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0x10, 9, 0xC0, 1, 0, 0, 0], false),
      (6081, [1, 0, 0x65, 0x58, 0, 0, 5, 0, 0, 0, 0, 0], true),
      (37_008, [1, 0, 0, 1, 10, 1, 7, 0, 1], true),
    ] as [(Int, [UInt8], Bool)])
  func tunnels(port: Int, header: [UInt8], hasEthernet: Bool) throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 20)
    var outer = CaptureBuilder()
    for n in builder.frames.indices {
      let frame = builder.frames[n].bytes
      let udp = CaptureBuilder.udp(header + frame[(hasEthernet ? 0 : 14)...], from: 30_000, to: port)
      outer.add(outer.ip(udp, proto: 17), atMs: 20 * Double(n))
    }
    let read = try Recorder.read(outer.pcap())
    #expect(read.streams.first?.totals.packets == 20)
    #expect(!read.notes.contains { $0.hasPrefix("no call") })
  }

  @Test(
    "GRE with ERSPAN inside is passed, its type III with a platform's sub-header as well",
    arguments: [
      (0x88BE, 8, 0), (0x22EB, 12, 0), (0x22EB, 20, 1),
    ])
  func mirrored(type: Int, size: Int, last: UInt8) throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 20)
    var outer = CaptureBuilder()
    for n in builder.frames.indices {
      var header = [UInt8](repeating: 0x20, count: size)
      if size >= 12 { header[11] = last }
      let gre = [0x10, 0] + CaptureBuilder.be16(type) + CaptureBuilder.be32(n) + header
      outer.add(outer.ip(gre + builder.frames[n].bytes, proto: 47), atMs: 20 * Double(n))
    }
    #expect(try Recorder.read(outer.pcap()).streams.first?.totals.packets == 20)
  }

  @Test("a capture without a call says what it holds instead")
  func nothing() throws {
    var builder = CaptureBuilder()
    for n in 0..<5 { builder.addUDP([0, 1, 2, 3, 4, 5, UInt8(n)], atMs: Double(n), to: 53) }
    for n in 5..<8 { builder.add(builder.ip([8, 0, 0, 0], proto: 1), atMs: Double(n)) }
    builder.add([0], atMs: 9)
    let notes = try Recorder.read(builder.pcap()).notes
    #expect(
      notes == [
        "no call in 9 packets: 5 are none of STUN, DTLS, RTP, RTCP and SIP; 3 are neither UDP nor TCP; 1 is not IP"
      ])
  }

  @Test("a snaplen that leaves the RTP header alone costs nothing but payload")
  func snaplen() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 50)
    let totals = try #require(try Recorder.read(builder.pcap(snaplen: 54)).streams.first).totals
    #expect(totals.packets == 50 && totals.bytes == 50 * 160)
  }

  @Test("fragments are put together, in whatever order")
  func fragments() throws {
    var builder = CaptureBuilder()
    for n in 0..<30 {
      let udp = CaptureBuilder.udp(
        CaptureBuilder.rtp(type: 0, sequence: n, timestamp: 160 * n, payload: 1000), from: 40_000, to: 50_000)
      var first = builder.ip(Array(udp[..<800]), proto: 17, fragment: 0x2000)
      var second = builder.ip(Array(udp[800...]), proto: 17, fragment: 100)
      second[4] = first[4]
      second[5] = first[5]
      if n % 2 == 0 { swap(&first, &second) }
      builder.add(first, atMs: 20 * Double(n))
      builder.add(second, atMs: 20 * Double(n) + 0.1)
    }
    let totals = try #require(try Recorder.read(builder.pcap()).streams.first).totals
    #expect(totals.packets == 30 && totals.bytes == 30_000)
  }

  @Test("fragments seen twice lack nothing, whichever order they come in; one that never comes is told of")
  func fragmentsTwice() throws {
    func read(_ order: [Int], apartMs: Double = 0.1) throws -> Recorder {
      var builder = CaptureBuilder()
      for n in 0..<30 {
        let rtp = CaptureBuilder.rtp(type: 0, sequence: n, timestamp: 160 * n, payload: 1000)
        let udp = CaptureBuilder.udp(rtp, from: 40_000, to: 50_000)
        let first = builder.ip(Array(udp[..<800]), proto: 17, fragment: 0x2000)
        var second = builder.ip(Array(udp[800...]), proto: 17, fragment: 100)
        second.replaceSubrange(4..<6, with: first[4..<6])
        for (i, piece) in order.enumerated() {
          builder.add(piece == 0 ? first : second, atMs: 50 * Double(n) + apartMs * Double(i))
        }
      }
      return try Recorder.read(builder.pcap())
    }
    for order in [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 1, 0]] {
      let read = try read(order)
      #expect(read.streams.first?.totals.packets == 30, "\(order)")
      #expect(!read.notes.contains { $0.contains("could not be reassembled") }, "\(order): \(read.notes)")
    }
    #expect(try read([0, 0]).notes.contains { $0.contains("30 datagrams in IP fragments could not be") })
    #expect(try read([0, 1, 1], apartMs: 15).notes.contains { $0.contains("30 datagrams") })
  }

  @Test("a pcapng with interfaces that libpcap refuses is read all the same, in order of time")
  func splitInterfaces() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 100)
    for i in builder.frames.indices { builder.frames[i].interface = i % 2 }
    let read = try Recorder.read(
      builder.pcapng(snaplens: [65_535, 1000], dropped: 12), name: "two.pcapng", piece: 77)
    let totals = try #require(read.streams.first).totals
    #expect(totals.packets == 100 && totals.lost == 0 && totals.reordered == 0)
    #expect(read.notes.contains { $0.contains("different link types") })
    #expect(read.notes.contains { $0.contains("dropped 12") })
  }

  @Test("what the capturing host dropped is said", arguments: [0, 12])
  func drops(count: Int) throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 20)
    let read = try Recorder.read(builder.pcapng(dropped: count), name: "drops.pcapng")
    #expect(read.streams.first?.totals.packets == 20)
    #expect(read.notes.contains { $0.contains("dropped") } == (count > 0))
  }

  @Test("each section of a pcapng counts its own drops, interfaces alike or not")
  func dropsOfSections() throws {
    func note(_ pcapng: [UInt8]) throws -> String? {
      try Recorder.read(pcapng, name: "drops.pcapng").notes.first { $0.contains("dropped") }
    }
    for snaplens in [[0], [65_535, 1000]] {
      var sections: [UInt8] = []
      for count in [3, 4, 5] {
        var builder = CaptureBuilder()
        builder.addVoice(count: 20)
        sections += builder.pcapng(snaplens: snaplens, dropped: count)
      }
      #expect(try note(sections)?.contains("dropped 12") == true)
    }
  }

  @Test("what an interface said of its drops before another one came is said anew, not twice")
  func dropsSaidAgain() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 20)
    let whole = builder.pcapng(snaplens: [65_535, 1000], dropped: 5)
    let second = 28 + 20
    let said = CaptureBuilder.drops(3)
    let read = try Recorder.read(Array(whole[..<second]) + said + whole[second...], name: "drops.pcapng")
    #expect(read.notes.contains { $0.contains("dropped 5") })
  }

  @Test("an ICMP error finds its flow, also between hosts whose addresses end alike")
  func unreachable() throws {
    func address(_ network: UInt8) -> [UInt8] {
      [0x20, 0x01, 0x0D, 0xB8, 0, network] + [UInt8](repeating: 0, count: 9) + [16]
    }
    func packet(_ body: [UInt8], _ next: UInt8, from: UInt8, to: UInt8) -> [UInt8] {
      [0x60, 0, 0, 0] + CaptureBuilder.be16(body.count) + [next, 64] + address(from) + address(to) + body
    }
    for (source, destination) in [(40_000, 50_000), (50_000, 40_000)] {
      var builder = CaptureBuilder()
      builder.linkType = 101
      for n in 0..<20 {
        let rtp = CaptureBuilder.rtp(sequence: n, timestamp: 160 * n)
        let sent = packet(CaptureBuilder.udp(rtp, from: source, to: destination), 17, from: 1, to: 2)
        builder.add(sent, atMs: 20 * Double(n))
        guard n == 19 else { continue }
        builder.add(packet([1, 3, 0, 0, 0, 0, 0, 0] + sent, 58, from: 2, to: 1), atMs: 400)
      }
      let read = try Recorder.read(builder.pcap())
      #expect(read.events.contains { $0.event == .networkUnavailable }, "from port \(source)")
    }
  }

  @Test("errors that come back for long are told of the stream, by their name")
  func returned() throws {
    var builder = CaptureBuilder()
    for n in 0..<500 {
      let rtp = CaptureBuilder.rtp(sequence: n, timestamp: 160 * n)
      builder.addUDP(rtp, atMs: 20 * Double(n))
      guard n % 50 == 20 else { continue }
      let quoted = builder.ip(CaptureBuilder.udp(rtp, from: 40_000, to: 50_000), proto: 17)
      builder.add(
        builder.ip([3, 1, 0, 0, 0, 0, 0, 0] + quoted, proto: 1, from: [192, 0, 2, 1], to: CaptureBuilder.a),
        atMs: 20 * Double(n) + 3)
    }
    let read = try Recorder.read(builder.pcap())
    #expect(read.events.first { $0.event == .networkUnavailable }?.raw == "ICMP host unreachable")
    let extra = try #require(read.streams.first?.totals.extra)
    #expect(
      extra.contains(#""returned":{"error":"host unreachable","count":10,"from_ms":1700000000403"#),
      "\(extra)")
  }

  @Test("a cut capture gives what it holds and says that it is cut")
  func cut() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 50)
    let read = try Recorder.read(Array(builder.pcap().dropLast(30)))
    #expect(read.error?.code == .truncated)
    #expect(read.streams.first?.totals.packets == 49)
  }

  @Test("TURN: media inside ChannelData, over UDP and over TCP", arguments: [false, true])
  func channelData(overTCP: Bool) throws {
    var builder = CaptureBuilder()
    var sequence = 1000
    for n in 0..<40 {
      let rtp = CaptureBuilder.rtp(type: 111, sequence: n, timestamp: 960 * n, payload: 61)
      let channel = [0x40, 0x01] + CaptureBuilder.be16(rtp.count) + rtp
      if overTCP {
        let padded = channel + [UInt8](repeating: 0, count: (4 - channel.count & 3) & 3)
        let segment = CaptureBuilder.tcp(padded, from: 40_000, to: 3478, sequence: sequence)
        builder.add(builder.ip(segment, proto: 6), atMs: 20 * Double(n))
        sequence += padded.count
      } else {
        builder.addUDP(channel, atMs: 20 * Double(n), to: 3478)
      }
    }
    let totals = try #require(try Recorder.read(builder.pcap()).streams.first).totals
    #expect(totals.packets == 40 && totals.lost == 0)
  }

  @Test("RTP framed in TCP (RFC 4571), segments out of order and sent again")
  func framed() throws {
    var builder = CaptureBuilder()
    var sequence = 5
    for n in 0..<40 {
      let rtp = CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, payload: 50)
      let framed = CaptureBuilder.be16(rtp.count) + rtp
      builder.add(
        builder.ip(CaptureBuilder.tcp(framed, from: 40_000, to: 9000, sequence: sequence), proto: 6),
        atMs: 20 * Double(n))
      sequence += framed.count
    }
    builder.frames.swapAt(20, 21)
    builder.frames.insert(builder.frames[10], at: 12)
    let totals = try #require(try Recorder.read(builder.pcap()).streams.first).totals
    #expect(totals.packets == 40)
  }

  /// A data frame of wireless LAN with QoS, behind a radiotap header of eight bytes.
  private func wireless(_ body: [UInt8], aggregates: Bool = false, isProtected: Bool = false) -> [UInt8] {
    [0, 0, 8, 0, 0, 0, 0, 0, 0x88, isProtected ? 0x40 : 0] + [UInt8](repeating: 0, count: 22)
      + [aggregates ? 0x80 : 0, 0] + body
  }

  @Test("several packets in one frame of wireless LAN (A-MSDU)", arguments: [1, 2, 3])
  func aggregates(parts: Int) throws {
    var inner = CaptureBuilder()
    inner.linkType = 12
    inner.addVoice(count: 60)
    var builder = CaptureBuilder()
    builder.linkType = 12
    for start in stride(from: 0, to: 60, by: parts) {
      var body: [UInt8] = []
      for frame in inner.frames[start..<start + parts] {
        let packet = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0] + frame.bytes
        body += [UInt8](repeating: 2, count: 12) + CaptureBuilder.be16(packet.count) + packet
        body += [UInt8](repeating: 0, count: (4 - (14 + packet.count) & 3) & 3)
      }
      builder.add(wireless(body, aggregates: true), atMs: 20 * Double(start))
    }
    builder.linkType = 127
    let totals = try #require(try Recorder.read(builder.pcap()).streams.first).totals
    #expect(totals.packets == 60 && totals.lost == 0)
  }

  @Test("frames that are encrypted on the air are named so")
  func encryptedOnAir() throws {
    var builder = CaptureBuilder()
    builder.linkType = 12
    for n in 0..<5 {
      builder.add(wireless([UInt8](repeating: 7, count: 90), isProtected: true), atMs: Double(n))
    }
    builder.linkType = 127
    let notes = try Recorder.read(builder.pcap()).notes
    #expect(notes.contains { $0.contains("5 frames are encrypted on the air (802.11)") }, "\(notes)")
  }

  @Test("an aggregate that lies about its lengths", arguments: [0, 1, 13, 14, 0xFFFF])
  func lyingAggregate(length: Int) throws {
    var builder = CaptureBuilder()
    builder.linkType = 12
    let body =
      [UInt8](repeating: 2, count: 12) + CaptureBuilder.be16(length) + [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]
    builder.add(wireless(body, aggregates: true), atMs: 0)
    builder.linkType = 127
    #expect(try Recorder.read(builder.pcap()).packetCount == 1)
  }
}
