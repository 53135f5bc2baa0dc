import CallModel
import Testing

@Suite("Arguments of an event are found by name")
struct EventArgumentTests {
  @Test(
    "its escapes are what they stand for; half a surrogate pair is replaced",
    arguments: [
      (#"Zeit\u00fcberschreitung"#, "Zeitüberschreitung"), (#"\uD83D\ude00!"#, "😀!"),
      (#"\ud83d"#, "\u{FFFD}"), (#"\ude00x"#, "\u{FFFD}x"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
      (#"a\"b\\c\/d\n\t\r\b\f"#, "a\"b\\c/d\n\t\r\u{8}\u{C}"), ("plain ü", "plain ü"),
    ])
  func escapes(written: String, text: String) {
    #expect(memberText("a", of: "{\"z\":[1,{\"a\":\"no\"}],\"a\":\"\(written)\",\"b\":2}") == text)
    #expect(memberText("b", of: "{\"a\":\"\(written)\",\"b\":2}") == "2")
  }

  @Test(
    "what breaks off in an escape ends there",
    arguments: [#"{"a":"x\u00"#, #"{"a":"x\"#, #"{"a":"x\ud83d\u"#])
  func brokenOff(object: String) {
    #expect(memberText("a", of: object)?.hasPrefix("x") == true)
  }
}
