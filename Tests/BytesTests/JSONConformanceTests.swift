import Bytes
import Testing

@Suite("JSON is accepted exactly as in RFC 8259")
struct JSONConformanceTests {
  @Test("forbidden text is rejected with an offset inside it", arguments: JSONCases.forbidden.map(\.0))
  func refuses(name: String) throws {
    let text = try #require(JSONCases.forbidden.first { $0.0 == name }?.1)
    let error = #expect(throws: JSONError.self) { try text.withUnsafeBufferPointer { try validateJSON($0) } }
    #expect((0...text.count).contains(error?.byte ?? -1))
    for piece in [1, 3, Int.max] where piece > 3 || text.count < 1000 {
      let streamed = #expect(throws: JSONError.self) { try validateJSON(MemoryBytes(text, piece: piece)) }
      #expect(streamed?.byte == error?.byte, "both readers name the same byte")
    }
  }

  @Test("allowed text is accepted", arguments: JSONCases.allowed.map(\.0))
  func accepts(name: String) throws {
    let text = try #require(JSONCases.allowed.first { $0.0 == name }?.1)
    try text.withUnsafeBufferPointer { try validateJSON($0) }
    for piece in [1, 2, 7, Int.max] { try validateJSON(MemoryBytes(text, piece: piece)) }
  }

  @Test(
    "the error names the byte",
    arguments: [
      ("[1,]", 3), ("{\"a\" 1}", 5), ("[\"a\u{1}\"]", 3), ("[01]", 2), ("[1", 2), ("{\"a\":tru}", 8),
      ("[] x", 3),
    ])
  func namesTheByte(text: String, byte: Int) {
    let error = #expect(throws: JSONError.self) { try validateJSON(MemoryBytes(text)) }
    #expect(error?.byte == byte)
  }

  @Test(
    "what Python writes for a figure that is none is refused with the remedy", arguments: ["NaN", "Infinity"])
  func noNumbers(word: String) {
    let error = #expect(throws: JSONError.self) { try validateJSON(MemoryBytes("[1,\(word)]")) }
    #expect(error?.byte == 3 && error?.reason.contains("null") == true)
  }

  @Test(
    "a pull reader that wants only part of it refuses the same texts", arguments: JSONCases.forbidden.map(\.0)
  )
  func pullRefuses(name: String) throws {
    let text = try #require(JSONCases.forbidden.first { $0.0 == name }?.1)
    #expect(throws: JSONError.self) {
      try text.withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        try walkTopLevel(&scanner)
        try scanner.finish()
      }
    }
  }

  private func walkTopLevel(_ scanner: inout JSONScanner) throws(JSONError) {
    switch try scanner.peek() {
    case .object:
      try scanner.beginObject()
      while try scanner.nextKey() != nil { try scanner.skip() }
    case .array:
      try scanner.beginArray()
      while try scanner.nextElement() { try walkScalar(&scanner) }
    default: try walkScalar(&scanner)
    }
  }

  private func walkScalar(_ scanner: inout JSONScanner) throws(JSONError) {
    switch try scanner.peek() {
    case .string: _ = try scanner.string()
    case .number: _ = try scanner.number()
    case .bool: _ = try scanner.bool()
    case .null: try scanner.null()
    default: try scanner.skip()
    }
  }
}
