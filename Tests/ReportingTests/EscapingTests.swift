import CallModel
import Rendering
import Testing

@Suite("What comes from outside stays text")
struct EscapingTests {
  static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='x", "</script><!--",
    "]]>", "a\u{0}b\u{1B}[31m",
    "\u{202E}gnp.exe", "&amp;",
  ]

  @Test("text and attributes hold no markup", arguments: hostile)
  func markup(_ text: String) {
    var page = HTML()
    page.element("p", ["title": text], text)
    let written = String(decoding: page.bytes, as: UTF8.self)
    #expect(written.filter { $0 == "<" }.count == 2)
    #expect(written.filter { $0 == "\"" }.count == 2)
    #expect(!written.contains("'"))
    #expect(!written.unicodeScalars.contains { $0.value == 0 || $0.value == 0x1B || $0.value == 0x202E })
  }

  @Test("a long text is still only text")
  func long() {
    var page = HTML()
    page.text(String(repeating: "<", count: 10_000))
    #expect(page.bytes.count == 40_000)
  }

  @Test("JSON inside a script element cannot end it", arguments: hostile)
  func script(_ text: String) {
    var page = HTML()
    page.json(id: "data", "\"\(text)\"")
    let written = String(decoding: page.bytes, as: UTF8.self)
    #expect(written.filter { $0 == "<" }.count == 2)
    #expect(written.hasSuffix("</script>"))
  }

  @Test("a CSS string cannot be left", arguments: hostile)
  func css(_ text: String) {
    let escaped = Escape.css(text)
    #expect(escaped.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_\\ ".contains($0)) })
  }

  @Test("an attribute without a value is left out, an empty one stands alone")
  func attributes() {
    var page = HTML()
    page.element("details", ["open": "", "title": nil, "class": "a"], "x")
    #expect(String(decoding: page.bytes, as: UTF8.self) == "<details open class=\"a\">x</details>")
  }

  @Test("a file name becomes a relative link and nothing else")
  func links() {
    #expect(Escape.path("javascript:alert(1)") == "javascript%3Aalert%281%29")
    #expect(Escape.path("calls/a b?.html") == "calls/a%20b%3F.html")
  }
}

@Suite("CSV")
struct CSVTests {
  @Test("text is quoted, numbers are bare, unknown is nothing")
  func fields() {
    var csv = CSVWriter(formulas: .verbatim)
    csv.header(["call_id", "score"])
    csv.row([.text("say \"hi\", twice\n"), .integer(93)])
    csv.row([.null, .real(0.5)])
    csv.row([.text(""), .real(.nan)])
    #expect(
      String(decoding: csv.bytes, as: UTF8.self)
        == "\"call_id\",\"score\"\r\n\"say \"\"hi\"\", twice\n\",93\r\n,0.5\r\n\"\",\r\n")
  }

  @Test(
    "a formula is made harmless in files for spreadsheets",
    arguments: ["=1+1", "+49 30", "-2", "@SUM(A1)", "\t=1", " =1", "＝1"])
  func formulas(_ text: String) {
    var guarded = CSVWriter(formulas: .guarded)
    guarded.row([.text(text)])
    #expect(String(decoding: guarded.bytes, as: UTF8.self) == "\"'\(text)\"\r\n")
    var verbatim = CSVWriter(formulas: .verbatim)
    verbatim.row([.text(text)])
    #expect(String(decoding: verbatim.bytes, as: UTF8.self) == "\"\(text)\"\r\n")
  }

  @Test("a negative number is no formula")
  func numbers() {
    var csv = CSVWriter(formulas: .guarded)
    csv.row([.integer(-3), .real(-0.25), .text("fine")])
    #expect(String(decoding: csv.bytes, as: UTF8.self) == "-3,-0.25,\"fine\"\r\n")
  }

  @Test("what stands between backticks is code, escaped like all text, and a single backtick is text")
  func prose() {
    func written(_ text: String) -> String {
      var html = HTML()
      html.prose(text)
      return String(decoding: html.bytes, as: UTF8.self)
    }
    #expect(written("see `a <b>`, then `c`.") == "see <code>a &lt;b&gt;</code>, then <code>c</code>.")
    #expect(written("a ` alone <i>") == "a ` alone &lt;i&gt;")
    #expect(written("") == "")
  }
}
