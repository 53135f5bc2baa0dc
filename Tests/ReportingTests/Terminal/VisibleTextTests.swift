import Testing

@testable import Rendering

@Suite("Text from input is safe and measurable")
struct VisibleTextTests {
  @Test(
    "what must not be obeyed is written out",
    arguments: [
      ("plain", "plain"), ("a\u{1B}[0m", "a␛[0m"), ("a\nb", "a␊b"), ("\u{202E}x", "⟨202E⟩x"),
      ("\u{9B}", "⟨9B⟩"), ("é日", "é日"),
    ])
  func visible(_ text: String, _ shown: String) {
    #expect(VisibleText.visible(text) == shown)
  }

  @Test(
    "a locale of another charset gets callqa's signs in ASCII, as wide as before, and input as it is",
    arguments: [
      (nil, false), ("C", true), ("POSIX", true), ("C.UTF-8", false), ("de_DE.utf8@euro", false),
      ("de_DE.ISO-8859-1", true), ("en_US", false),
    ] as [(String?, Bool)])
  func plain(_ locale: String?, _ isPlain: Bool) {
    #expect(TerminalFacts.isPlain(locale: locale) == isPlain)
    var facts = TerminalFacts()
    facts.isPlain = isPlain
    let text = "zoé ▁▂▃▄▅▆▇█ × · – …"
    #expect(facts.displayable(text) == (isPlain ? "zoé _.:-=+*# x . - ~" : text))
  }

  @Test("columns, not characters, are counted", arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("", 0)])
  func width(_ text: String, _ columns: Int) {
    #expect(VisibleText.width(text) == columns)
  }

  @Test(
    "a cut never exceeds its columns",
    arguments: ["abcdefgh", "日本語日本語", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}"])
  func cut(_ text: String) {
    for limit in 0...8 { #expect(VisibleText.width(VisibleText.cut(text, to: limit)) <= limit) }
    #expect(VisibleText.cut("abcdefgh", to: 4) == "abc…")
    #expect(VisibleText.cut("abcd", to: 4) == "abcd")
  }

  @Test("lines break at spaces, words that are too long anywhere")
  func wrap() {
    #expect(VisibleText.wrap("one two three", to: 8) == ["one two", "three"])
    #expect(VisibleText.wrap("abcdefghij k", to: 4) == ["abcd", "efgh", "ij k"])
  }
}
