import Testing

@testable import EventLogs

@Suite("Which words of a log are looked at closely")
struct NameIndexTests {
  private func mayHold(_ word: String, _ dialects: Dialects) -> Bool {
    dialects.names.mayHold(Array(word.utf8)[...])
  }

  @Test("every name of every dialect, in any case, alone, as a method and with what comes before it")
  func names() throws {
    let dialects = try Dialects.load()
    let names = dialects.all.flatMap(\.events.keys)
    #expect(names.count > 100)
    for name in names {
      for word in [name, name.uppercased(), "call.\(name)", "Some::\(name):", "a.\(name).b"] {
        #expect(mayHold(word, dialects), "\(word)")
      }
    }
  }

  @Test("every value behind what stands in front of it, whatever parts the two")
  func values() throws {
    let dialects = try Dialects.load()
    let values = dialects.all.flatMap(\.enums).flatMap { enumeration in
      enumeration.prefixes.flatMap { prefix in enumeration.values.keys.map { (prefix, $0) } }
    }
    #expect(values.count > 20)
    for (prefix, value) in values {
      #expect(
        mayHold("\(prefix)_\(value)", dialects) && mayHold("\(prefix).\(value)", dialects),
        "\(prefix) \(value)")
    }
  }

  @Test(
    "and not what other programs write",
    arguments: ["ViewRootImpl", "relayoutWindow", "queueBuffer", "java.lang.Thread", "::", ""])
  func others(word: String) throws {
    #expect(!mayHold(word, try Dialects.load()))
  }

  @Test("a pattern is found by its beginning, be that one letter, a blank, or in another case")
  func beginnings() throws {
    let file = """
      {"sdk":"acme","events":{"onDown":"call.ended","onUp":"call.established","onHold":"call.held","onBack":"call.resumed"},
       "lines":[{"text":"X","event":"onDown"},{"text":"Up we go","event":"onUp"}],
       "wordings":[{"text":"a hold","event":"onHold"},{"text":" then back","event":"onBack"}]}
      """
    let dialects = try Dialects(files: [("acme.json", Array(file.utf8))])
    func names(_ line: String) -> [String] {
      var tried = 0
      return dialects.patterns.matches(in: Array(line.utf8)[...], dialects.all, tried: &tried).map(
        \.pattern.raw)
    }
    #expect(names("it ends: X") == ["onDown"])
    #expect(names("so Up we go") == ["onUp"] && names("so up we go").isEmpty)
    #expect(names("and   then back") == ["onBack"])
    #expect(names("A   HOLD") == ["onHold"] && names("ahold of it") == ["onHold"])
  }
}
