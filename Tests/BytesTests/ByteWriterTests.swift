import Bytes
import Testing

@Suite("Numbers and strings are written as JSON")
struct ByteWriterTests {
  @Test(
    "doubles: shortest, integers without a point",
    arguments: [
      (1.0, "1"), (-0.1, "-0.1"), (1795225823771.6, "1795225823771.6"), (1e300, "1e+300"), (.nan, "null"),
    ])
  func doubles(value: Double, text: String) {
    var writer = ByteWriter()
    writer.append(value)
    #expect(writer.string == text)
  }

  @Test(
    "fixed decimals",
    arguments: [(1.005, 1, "1.0"), (-0.04, 1, "0.0"), (2.5, 0, "3"), (-12.346, 2, "-12.35"), (7, 3, "7.000")])
  func fixed(value: Double, decimals: Int, text: String) {
    var writer = ByteWriter()
    writer.append(value, decimals: decimals)
    #expect(writer.string == text)
  }

  @Test("integers and strings")
  func others() {
    var writer = ByteWriter()
    writer.append(Int.min)
    writer.append(0)
    writer.append(json: "a\"\\\n\u{1}é")
    #expect(writer.string == "-92233720368547758080\"a\\\"\\\\\\n\\u0001é\"")
  }
}
