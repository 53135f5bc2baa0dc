import Testing

@testable import Importing

@Suite("The chunks of a collector")
struct CollectedChunksTests {
  /// The lines that pass, in order, and the note.
  private func passed(_ lines: [String]) throws -> (lines: [String], note: String?) {
    var chunks = CollectedChunks()
    var passed: [String] = []
    func give(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) {
      passed.append(String(decoding: bytes, as: UTF8.self))
    }
    for (number, line) in lines.enumerated() {
      try Array(line.utf8).withUnsafeBufferPointer { try chunks.take($0, line: number, offset: 0, give) }
    }
    try chunks.finish(give)
    return (passed, chunks.note)
  }

  private func chunk(_ number: Int, of load: String = "a", _ lines: Int = 2) -> [String] {
    (0..<lines).map {
      $0 == 0 ? #"{"chunk":"\#(load).\#(number)","ts":1}"# : #"{"ts":\#(load.count)\#(number)\#($0)}"#
    }
  }

  @Test("are read once, however often they were sent, and by whichever page load")
  func repeats() throws {
    let once = chunk(0) + chunk(1) + chunk(0, of: "b") + chunk(2)
    let twice = chunk(0) + chunk(0) + chunk(1) + chunk(0, of: "b") + chunk(1) + chunk(2) + chunk(0)
    let (lines, note) = try passed(twice)
    #expect(lines == once)
    #expect(note == "6 lines were sent again by the collector, and left out")
    #expect(try passed(once).note == nil)
  }

  @Test("of which a copy was cut are completed by the next")
  func cut() throws {
    let whole = chunk(0, 4)
    #expect(try passed(whole.prefix(2) + whole + chunk(1)).lines == whole + chunk(1))
  }

  @Test("that overtook others are put in order, also where one never comes")
  func order() throws {
    #expect(
      try passed(chunk(0) + chunk(3) + chunk(2) + chunk(1) + chunk(4)).lines == (0...4).flatMap { chunk($0) })
    #expect(try passed(chunk(9) + chunk(7) + chunk(8)).lines == (7...9).flatMap { chunk($0) })
    #expect(try passed(chunk(0) + chunk(5) + chunk(2)).lines == [0, 2, 5].flatMap { chunk($0) })
  }

  @Test("do not concern other lines, nor names that are none")
  func others() throws {
    let lines = [
      #"{"ts":1}"#, #"{"ts":1}"#, #"{"chunk":"x"}"#, #"{"chunk":"x"}"#, #"{"chunk":"a.-1"}"#, "",
      #"{"chunk":"a.99999999999999999999"}"#, #"{"chunk":""#, #"{"chunk":"a.1"#,
    ]
    #expect(try passed(lines).lines == lines)
  }

  @Test("wait only until too much waits")
  func bounded() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let lines = (1...12).flatMap { [#"{"chunk":"a.\#($0)","x":"\#(long)"}"#] }
    #expect(try passed(lines).lines == lines)
  }
}
