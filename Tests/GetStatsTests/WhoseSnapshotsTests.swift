import CallModel
import Testing

@Suite("Lines identify the call, end and connection of snapshots")
struct WhoseSnapshotsTests {
  /// A poll at a second, of a stream that is received.
  private func reports(_ second: Int, ssrc: Int, path: String? = nil) -> String {
    let time = 1_700_000_000_000 + second * 1000
    let pair = path.map {
      ",{\"id\":\"CP\($0)\",\"timestamp\":\(time),\"type\":\"candidate-pair\",\"state\":\"succeeded\"}"
    }
    return """
      [{"id":"I\(ssrc)","timestamp":\(time),"type":"inbound-rtp","kind":"audio","ssrc":\(ssrc),\
      "packetsReceived":\(50 * second)}\(pair ?? "")]
      """
  }

  private func line(_ second: Int, ssrc: Int = 7, _ words: String) -> String {
    "{\(words),\"ts\":\(1_700_000_000_000 + second * 1000),\"stats\":\(reports(second, ssrc: ssrc))}"
  }

  /// How many polls of each connection there are, by call, end and name.
  private func polls(_ text: String, as format: SourceFormat? = .getstatsLines) throws -> [String: Int] {
    let sink = try readSource(text, as: format)
    var polls: [String: Int] = [:]
    for stream in sink.streams.values {
      let facts = sink.connections[stream.connection]
      polls["\(facts?.call ?? "-") \(facts?.endpoint ?? "-") \(facts?.name ?? "-")", default: 0] +=
        stream.samples.count
    }
    return polls
  }

  @Test("calls one after the other, with or without a connection's name, and with the id behind the reports")
  func calls() throws {
    let ids = ["aaa", "aaa", "bbb", "bbb", "bbb"]
    let bare = ids.enumerated().map { line($0.offset, "\"callId\":\"\($0.element)\"") }
    #expect(try polls(bare.joined(separator: "\n")) == ["aaa - -": 2, "bbb - call 2": 3])
    let named = ids.enumerated().map { line($0.offset, "\"callId\":\"\($0.element)\",\"pc\":\"PC_0\"") }
    #expect(
      try polls(named.joined(separator: "\n")) == ["aaa PC_0 PC_0": 2, "bbb PC_0 PC_0, call 2": 3])
    let late = ids.enumerated().map {
      line($0.offset, "\"pc\":\"PC_0\"").dropLast() + ",\"callId\":\"\($0.element)\"}"
    }
    #expect(try polls(late.joined(separator: "\n")) == ["aaa PC_0 PC_0": 2, "bbb PC_0 PC_0, call 2": 3])
  }

  @Test("a line without an id is of the call named last; what came before the first id is of the first call")
  func someWithoutID() throws {
    for name in ["\"pc\":\"P\"", "\"x\":1"] {
      let lines = [
        line(0, name), line(1, "\(name),\"callId\":\"aaa\""), line(2, name),
        line(3, "\(name),\"callId\":\"bbb\""), line(4, name), line(5, "\(name),\"callId\":\"aaa\""),
      ]
      let found = try polls(lines.joined(separator: "\n"))
      #expect(Set(found.values) == [4, 2] && found.count == 2, "\(found)")
      #expect(found.first { $0.value == 4 }?.key.hasPrefix("aaa") == true)
    }
  }

  @Test(
    "ends side by side, whatever they are called",
    arguments: ["endpoint", "userId", "user", "participantId", "participant", "clientId"])
  func ends(member: String) throws {
    for name in ["", ",\"pc\":\"PC_0\""] {
      let lines = (0..<3).flatMap { second in
        [("alice", 7), ("bob", 8)].map {
          line(second, ssrc: $0.1, "\"callId\":\"c\",\"\(member)\":\"\($0.0)\"\(name)")
        }
      }
      let found = try polls(lines.joined(separator: "\n"))
      #expect(found.values.sorted() == [3, 3] && found.keys.allSatisfy { $0.hasPrefix("c ") }, "\(found)")
      #expect(found.keys.contains { $0.contains(" alice ") } && found.keys.contains { $0.contains(" bob ") })
    }
  }

  @Test(
    "polls of the same time on other paths are other connections', however they are not named; so are later ones",
    arguments: ["\"user\":\"alice\"", "\"x\":1", "\"user\":\"alice\",\"to\":\"bob\""])
  func nameless(words: String) throws {
    // The first has ended when the others go on.
    let lines = (1...6).flatMap { second in
      ([7, 8, 9] as [Int]).compactMap { ssrc in
        ssrc == 7 && second > 3 || ssrc == 9 && second < 2
          ? nil
          : "{\(words),\"ts\":\(1_700_000_000_000 + second * 1000 + ssrc),\"stats\":"
            + reports(second, ssrc: ssrc, path: "\(ssrc)") + "}"
      }
    }
    let wrapped = lines.map { "{\"level\":\"info\",\"payload\":\($0)}" }
    for (text, format) in [
      (lines.joined(separator: "\n"), SourceFormat.getstatsLines),
      (wrapped.joined(separator: "\n"), .getstatsLines),
      ("[\(lines.joined(separator: ","))]", .getstatsJSON),
    ] {
      let sink = try readSource(text, as: format)
      let connections = Set(sink.streams.values.map(\.connection))
      #expect(sink.streams.count == 3 && connections.count == 3, "\(text.prefix(40))")
      #expect(sink.streams.values.map(\.samples.count).sorted() == [3, 5, 6])
      #expect(sink.eventNames.isEmpty && sink.transports.values.allSatisfy { Set($0.map(\.pair)).count == 1 })
      #expect(sink.notes.keys.contains { $0.contains("told apart by their paths") })
      #expect(words.contains("user") == sink.connections.values.allSatisfy { $0.person == "alice" })
    }
  }

  @Test("what a receiver and a sender of one connection tell at the same time stays one connection's")
  func receivers() throws {
    let lines = (1...3).flatMap { second in
      [7, 8].map { line(second, ssrc: $0, "\"user\":\"alice\"") }
        + [7, 8].map {
          "{\"user\":\"alice\",\"ts\":\(1_700_000_000_000 + second * 1000),\"stats\":"
            + reports(second, ssrc: $0, path: "p") + "}"
        }
    }
    let sink = try readSource(lines.joined(separator: "\n"), as: .getstatsLines)
    #expect(sink.connections.count == 1 && sink.streams.count == 2)
  }

  @Test("a connection's name in a list is nobody's, and whoever is named around it is the person")
  func namedConnections() throws {
    func tick(_ second: Int, _ user: String) -> String {
      let connections = [("publisher", 7), ("subscriber", 8)].map {
        "{\"name\":\"\($0.0)\",\"stats\":\(reports(second, ssrc: $0.1, path: $0.0))}"
      }
      return
        "{\"timestamp\":\(1_700_000_000_000 + second * 1000)\(user),\"pcs\":[\(connections.joined(separator: ","))]}"
    }
    for (user, person) in [(",\"userId\":\"alice\"", "alice"), ("", nil)] as [(String, String?)] {
      let text = (0..<3).map { tick($0, user) }.joined(separator: "\n")
      let sink = try readSource(text, as: .getstatsLines)
      #expect(sink.connections.values.compactMap(\.name).sorted() == ["publisher", "subscriber"])
      #expect(sink.connections.values.allSatisfy { $0.person == person }, "\(sink.connections)")
    }
  }

  @Test("participants in a list, by whatever they are named; without a name, by their paths")
  func participants() throws {
    func polls(of ssrc: Int) -> String {
      "[" + (0..<3).map { "{\"stats\":\(reports($0, ssrc: ssrc, path: "\(ssrc)"))}" }.joined(separator: ",")
        + "]"
    }
    for name in ["userId", "name", "id", "displayName"] {
      let elements = [("alice", 7), ("bob", 8)].map {
        "{\"\(name)\":\"\($0.0)\",\"samples\":\(polls(of: $0.1))}"
      }
      for text in [
        "{\"room\":\"r\",\"participants\":[\(elements.joined(separator: ","))]}",
        "[\(elements.joined(separator: ","))]",
      ] {
        let found = try self.polls(text, as: .getstatsJSON)
        #expect(
          found.values.sorted() == [3, 3] && found.keys.contains { $0.contains("alice") }, "\(name) \(found)")
      }
    }
    let nameless = "{\"participants\":[{\"samples\":\(polls(of: 7))},{\"samples\":\(polls(of: 8))}]}"
    let sink = try readSource(nameless, as: .getstatsJSON)
    #expect(sink.connections.count == 2 && sink.notes.keys.contains { $0.contains("place in the list") })
    // The receivers of one connection have their own streams, and one path.
    let receivers = (0..<3).map { second in
      let each = [7, 8].map {
        "{\"kind\":\"audio\",\"id\":\"t\($0)\",\"stats\":\(reports(second, ssrc: $0, path: "1"))}"
      }
      return "{\"ts\":\(1_700_000_000_000 + second * 1000),\"receivers\":[\(each.joined(separator: ","))]}"
    }
    #expect(try readSource(receivers.joined(separator: "\n"), as: .getstatsLines).connections.count == 1)
  }
}
