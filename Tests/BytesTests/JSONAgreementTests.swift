import Bytes
import CallModel
import Foundation
import Testing

@Suite("The scanner reads the same values as Foundation")
struct JSONAgreementTests {
  @Test("random documents", arguments: 0..<200)
  func randomDocuments(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let text = RandomJSON.document(&random, depth: 5)
    let bytes = Array(text.utf8)
    let ours = try bytes.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      let value = try tree(&scanner)
      try scanner.finish()
      return value
    }
    let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    #expect(same(ours, theirs), "\(text)")
  }

  @Test("damaged documents are rejected by both or by neither", arguments: 0..<300)
  func damagedDocuments(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed) &+ 1000)
    var bytes = Array(RandomJSON.document(&random, depth: 3).utf8)
    let index = Int.random(in: 0..<bytes.count, using: &random)
    bytes[index] = Array("{}[],:\"\\ 0eE+-.ntf\u{1}x".utf8).randomElement(using: &random) ?? 0
    // Foundation reports an error for numbers too large for a double; leave them out.
    guard !bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return }
    let theirs = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    let ours = (try? bytes.withUnsafeBufferPointer { try validateJSON($0) }) != nil
    let streamed = (try? validateJSON(MemoryBytes(bytes, piece: 2))) != nil
    #expect(ours == theirs, "\(String(decoding: bytes, as: UTF8.self))")
    #expect(streamed == ours)
  }

  @Test("random numbers are the nearest doubles", arguments: 0..<20)
  func numbers(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed) &+ 77)
    for _ in 0..<2000 {
      let text = RandomJSON.number(&random)
      let value = try scanNumber(text)
      #expect(value == Double(text), "\(text)")
    }
  }

  @Test("any number of digits is read, at any end of the bytes", arguments: 1...24)
  func digits(count: Int) throws {
    let all = Array("9182736450918273645091827364509".utf8)
    for behind in ["", ",", ".25", "e3", "x", "::::::::::", ";/:@"] {
      let text = String(decoding: all[..<count], as: UTF8.self)
      let isNumber = behind.isEmpty || behind == "," || behind.hasPrefix(".") || behind.hasPrefix("e")
      try Array((text + behind).utf8).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        let expected = isNumber && behind != "," ? text + behind : text
        let value = try scanner.number()
        #expect(value == Double(expected))
        #expect(scanner.position == expected.utf8.count)
      }
    }
  }

  @Test(
    "hard numbers",
    arguments: [
      "9007199254740993", "9007199254740992.5", "0.1", "1.7976931348623157e308", "5e-324",
      "2.2250738585072011e-308",
      "9223372036854775807", "18446744073709551615", "18446744073709551616", "0.25365681309182836",
      "1795225823758.335", "8.809999999999857", "0.0037619999999999997", "1234567890123456789",
      "0.9999999999999999999",
      "100000000000000000.5", "-0", "-0.0", "1e23", "8.5e-1", "9999999999999999999", "0.0000000000000000001",
    ])
  func hardNumbers(text: String) throws {
    let value = try scanNumber(text)
    #expect(value.bitPattern == Double(text)?.bitPattern)
  }

  private func scanNumber(_ text: String) throws -> Double {
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      let value = try scanner.number()
      try scanner.finish()
      return value
    }
  }

  /// Equal except for the last bits of numbers, which Foundation may keep as decimals (exactness is tested below).
  private func same(_ ours: Any, _ theirs: Any) -> Bool {
    switch (ours, theirs) {
    case (let ours as [String: Any], let theirs as [String: Any]):
      ours.count == theirs.count
        && ours.allSatisfy { key, value in theirs[key].map { same(value, $0) } ?? false }
    case (let ours as [Any], let theirs as [Any]):
      ours.count == theirs.count && zip(ours, theirs).allSatisfy(same)
    case (let ours as NSNumber, let theirs as NSNumber):
      abs(ours.doubleValue - theirs.doubleValue) <= abs(theirs.doubleValue) * 1e-14
    case (let ours as String, let theirs as String): ours == theirs
    default: ours is NSNull && theirs is NSNull
    }
  }

  /// Depth is bounded by the generator, so recursion is fine here.
  private func tree(_ scanner: inout JSONScanner) throws -> Any {
    switch try scanner.peek() {
    case .object:
      var object: [String: Any] = [:]
      try scanner.beginObject()
      while let key = try scanner.nextKey() { object[key.string] = try tree(&scanner) }
      return object
    case .array:
      var array: [Any] = []
      try scanner.beginArray()
      while try scanner.nextElement() { array.append(try tree(&scanner)) }
      return array
    case .string: return try scanner.string().string
    case .number: return NSNumber(value: try scanner.number())
    case .bool: return NSNumber(value: try scanner.bool())
    case .null:
      try scanner.null()
      return NSNull()
    }
  }
}

/// Generates JSON texts with every construct on which two parsers must agree.
enum RandomJSON {
  static func document(_ random: inout SplitMix64, depth: Int) -> String {
    let space = ["", " ", "\n", "\t ", "\r\n"].randomElement(using: &random) ?? ""
    let kind = Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random)
    let value: String
    switch kind {
    case 0: value = "null"
    case 1: value = Bool.random(using: &random) ? "true" : "false"
    case 2, 3: value = number(&random)
    case 4, 5: value = string(&random)
    case 6:
      let items = (0..<Int.random(in: 0..<6, using: &random)).map { _ in document(&random, depth: depth - 1) }
      value = "[" + items.joined(separator: ",") + "]"
    default:
      let members = (0..<Int.random(in: 0..<6, using: &random)).map { index in
        "\"k\(index)\"\(space):" + document(&random, depth: depth - 1)
      }
      value = "{" + members.joined(separator: ",") + "}"
    }
    return space + value + space
  }

  static func number(_ random: inout SplitMix64) -> String {
    var text = Bool.random(using: &random) ? "-" : ""
    text += String(random.next() >> UInt64.random(in: 0..<64, using: &random))
    if Bool.random(using: &random) {
      text +=
        "." + (0..<Int.random(in: 1..<22, using: &random)).map { _ in String(random.next() % 10) }.joined()
    }
    if Int.random(in: 0..<4, using: &random) == 0 { text += "e\(Int.random(in: -30..<30, using: &random))" }
    return text
  }

  static func string(_ random: inout SplitMix64) -> String {
    let pieces = [
      "a", "quite ordinary text", "é", "€", "𝄞", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude39",
      "\\u0001", "]", "{",
    ]
    return "\""
      + (0..<Int.random(in: 0..<6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      .joined() + "\""
  }
}
