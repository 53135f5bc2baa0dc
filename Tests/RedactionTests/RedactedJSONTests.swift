import CallModel
import Foundation
import Redaction
import Testing

@Suite("JSON without its secrets is JSON of the same shape")
struct RedactedJSONTests {
  private let redactor = Redactor()

  /// A document of names and texts that look like secrets, or are just beside them.
  private struct Maker {
    var random: SplitMix64
    private static let names = [
      "token", "url", "pin", "pass", "response", "x-api-key", "name", "value", "Authorization", "data", "k",
      "Cookie: ",
      "a token=", "password\"", "\\pin", "set-cookie",
    ]
    private static let texts = [
      "", "https://h/?token=", "https://h/?pin=&x=1", "token:", "pin='", "Cookie: a=b",
      "Authorization: Digest r=\"x\"",
      "say \"token=\" now", "back\\slash token=\\", "pin=\u{0}\n", "turn:u:p@h", "Token(", "token=<ab\"",
      "k=base64:ab",
      "-----BEGIN X PRIVATE KEY-----", "token=[a", "%22pin%22%3A%22", "&quot;pin&quot;:&quot;",
      "Zo\u{EB} \u{1F44D}", "name", "token",
      "{\"url\":\"?pin=\",\"b\":1}", "sent {\"pin\":\"\",\"u\":\"token=\"}, [1] token", "{\"pin\":12",
      "[redacted]",
      "eyJhbGciOi.eyJzdWIi.abc", "Basic dXNlcjpwYXNz", "response=\"0123456789abcdef0123456789abcdef\"",
    ]

    mutating func value(_ depth: Int) -> Any {
      switch Int.random(in: 0..<(depth > 3 ? 6 : 9), using: &random) {
      case 0: return Int.random(in: 0..<9999, using: &random)
      case 1: return NSNull()
      case 2: return Bool.random(using: &random)
      case 3...5: return text(depth)
      case 6: return (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth + 1) }
      default:
        var members: [String: Any] = [:]
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
          members[any(of: Self.names)] = value(depth + 1)
        }
        return members
      }
    }

    private mutating func any(of texts: [String]) -> String {
      texts[Int.random(in: 0..<texts.count, using: &random)]
    }

    // Now and then a document as a text.
    private mutating func text(_ depth: Int) -> String {
      guard depth < 3, Int.random(in: 0..<6, using: &random) == 0 else {
        return (0..<Int.random(in: 1..<3, using: &random)).map { _ in
          any(of: Self.texts)
        }
        .joined(separator: any(of: [" ", "", ", "]))
      }
      return Self.text(of: [value(depth + 1)])
    }

    static func text(of document: Any) -> String {
      guard let data = try? JSONSerialization.data(withJSONObject: document) else { return "" }
      return String(decoding: data, as: UTF8.self)
    }
  }

  @Test("with any content")
  func anyDocument() throws {
    var maker = Maker(random: SplitMix64(seed: 7))
    for number in 0..<1500 {
      let document = [maker.value(0), maker.value(0)]
      let text = Maker.text(of: document)
      let clean = redactor.text(text)
      let read = try? JSONSerialization.jsonObject(with: Data(clean.utf8))
      try #require(read != nil, "document \(number): \(text) became \(clean)")
      #expect(isAlike(document, read as Any), "document \(number): \(text) became \(clean)")
    }
  }

  @Test(
    "no secret of it is left",
    arguments: ["pin", "token", "Authorization", "x-session-token", "password", "ha1"])
  func nothingLeft(name: String) {
    for quoted in [#""S3CRET-one""#, "8736451", #"["S3CRET"]"#, #"{"a":"S3CRET"}"#] {
      for text in [
        "{\"u\":\"?\(name)=\",\"\(name)\":\(quoted),\"b\":1}",
        "[{\"name\":\"\(name)\",\"value\":\(quoted)},2]",
        "sent {\"a\":\"\(name):\",\"\(name)\": \(quoted)} back",
      ] {
        let inside = Maker.text(of: ["data": text])
        for clean in [redactor.text(text), redactor.text(inside)] {
          #expect(!clean.contains("S3CRET") && !clean.contains("8736451"), "\(text) became \(clean)")
        }
      }
    }
  }

  @Test("unclosed brackets take linear time")
  func hostile() {
    for piece in ["[", "{\"a\":", "[\"", "{\"a\":\"token=1\"}", "\"{\\\""] {
      let text = "pin=2468 " + String(repeating: piece, count: 200_000 / piece.utf8.count)
      #expect(!redactor.text(text).contains("2468"))
    }
  }

  // Of the same shape, but for whole values that are secret, and for texts.
  private func isAlike(_ before: Any, _ after: Any) -> Bool {
    if let text = after as? String { return before is String || text == Redactor.mark }
    switch (before, after) {
    case (let before as [Any], let after as [Any]):
      return before.count == after.count && zip(before, after).allSatisfy(isAlike)
    case (let before as [String: Any], let after as [String: Any]):
      return before.count == after.count
        && before.allSatisfy { name, value in after[name].map { isAlike(value, $0) } ?? (after.count > 0) }
    default: return (before as? NSObject) == (after as? NSObject)
    }
  }
}
