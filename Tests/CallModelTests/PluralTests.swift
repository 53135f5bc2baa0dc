import CallModel
import Testing

@Suite("A number and the word for what it counts")
struct PluralTests {
  @Test("one is one, and everything else, nothing as well, is many")
  func words() {
    #expect(Plural.of(1, "call") == "1 call")
    #expect(Plural.of(0, "call") == "0 calls")
    #expect(Plural.of(2, "entry", "entries") == "2 entries")
    #expect(Plural.word(1, "is", "are") == "is")
    #expect(Plural.times(1) == "once" && Plural.times(3) == "3 times")
  }
}
