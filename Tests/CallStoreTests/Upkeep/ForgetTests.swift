import CallModel
import Glibc
import Testing

@testable import CallStore

@Suite("Forgetting a person")
struct ForgetTests {
  @Test("leaves no spelling if two become equal")
  func spellings() throws {
    let store = try Store(path: ":memory:", access: .memory)
    for (name, given) in [("a.jsonl", "call of bob"), ("b.jsonl", "call of Bob")] {
      var header = SourceHeader(path: name, sha256: name, importedMs: 0)
      header.call = given
      try store.write(header) { writer in
        var facts = end("caller", Identity(.person, "bob"), Identity(.person, "Bob"))
        facts.person = given.hasSuffix("bob") ? "bob" : "Bob"
        try writer.connection(0, facts)
        try writer.note("said by bob")
        try writer.note("said by Bob")
        return .imported
      }
    }
    _ = try store.forget(person: "Bob")
    for table in ["calls", "aliases", "notes", "source_views", "endpoints"] {
      var left = ""
      try store.query("SELECT * FROM \(table)", columns: { _ in }) { cells in
        left += "\(cells) "
      }
      #expect(!left.lowercased().contains("bob"), "\(table): \(left)")
    }
  }

  @Test("leaves neither name nor address in the file, and the figures as they are")
  func forget() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("calls.sqlite")
    let store = try Store(path: path, access: .write)
    try store.write(.named("erika.jsonl")) { writer in
      var caller = end(
        "caller", Identity(.person, "Erika.Mustermann@example.org"),
        Identity(.addressLocal, "192.0.2.7:50000"),
        Identity(.ufragLocal, "aaaa"), Identity(.ufragRemote, "bbbb"))
      caller.person = "Erika.Mustermann@example.org"
      caller.userAgent = "PhoneOfErika/1.0"
      try writer.connection(0, caller)
      let callee = end(
        "callee", Identity(.addressRemote, "192.0.2.7:50000"), Identity(.ufragLocal, "bbbb"),
        Identity(.ufragRemote, "aaaa"))
      try writer.connection(1, callee)
      var stream = audio()
      stream.local = "192.0.2.7:50000"
      try writer.stream(0, of: 0, stream)
      var other = audio(ssrc: 8)
      other.remote = "192.0.2.7:50000"
      try writer.stream(1, of: 1, other)
      try writer.sample(Sample(1, [.packets: 5]), of: 0, extra: nil)
      var path = TransportSample(timeMs: 1)
      path.local = "192.0.2.7:50000"
      path.localType = "relay"
      try writer.transport(path, of: 0)
      path = TransportSample(timeMs: 1)
      path.remote = "192.0.2.7:50000"
      try writer.transport(path, of: 1)
      try writer.event(
        EventRecord(
          timeMs: 1, event: .callIncoming, raw: "x",
          args: #"{"from":"erika.mustermann@example.org","at":"192.0.2.7:50000"}"#), of: 1)
      try writer.reject(Reject("odd", excerpt: "Erika.Mustermann@example.org said"))
      return .imported
    }
    let networks = "SELECT count(relay), count(far_network) FROM endpoints"
    #expect(try store.query(networks).rows == [[.integer(1), .integer(1)]])
    let forgotten = try store.forget(person: "erika.mustermann@example.org")
    #expect(forgotten.calls == 1)
    #expect(try store.query(networks).rows == [[.integer(0), .integer(0)]])
    #expect(try store.value("SELECT packets FROM streams WHERE stream_key = 1") == .integer(5))
    #expect(try store.check().map(\.rule) == [])
    for name in folder.names {
      let bytes = try contents(folder.file(name))
      for word in ["Mustermann", "mustermann", "192.0.2.7", "PhoneOfErika"] {
        #expect(!bytes.contains(word), "\(word) in \(name)")
      }
    }
  }

  @Test("an unknown person changes nothing")
  func nobody() throws {
    let store = try Fleet.make()
    let before = try store.list(.events).rows
    #expect(try store.forget(person: "nobody-here") == ForgetResult())
    #expect(try store.list(.events).rows == before)
  }

  private func contents(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes.map { $0 < 128 ? $0 : 63 }, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
