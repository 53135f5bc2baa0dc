import FoundationEssentials
import IO

/// Builds an HTML page. Tags are static strings; everything else is escaped when added.
public struct HTML: Sendable {
  /// The page so far, UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// An empty page.
  public init() {}

  /// A whole page: its style, what the closure writes, and its script, under a security policy.
  public static func page(
    title: String, style: [UInt8], script: [UInt8], policy: String, _ content: (inout HTML) -> Void
  ) -> [UInt8] {
    var html = HTML()
    html.markup("<!doctype html>\n<html lang=\"en\">\n")
    html.element("head") { head in
      head.markup(
        "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
      head.open("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
      head.element("title", title)
      head.element("style") { $0.trusted(style) }
    }
    html.element("body") { body in
      content(&body)
      if !script.isEmpty { body.element("script") { $0.trusted(script) } }
    }
    html.markup("\n</html>\n")
    return html.bytes
  }

  /// Appends markup from a literal in the program.
  public mutating func markup(_ literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes that are trusted markup: another page's, an SVG that passed `InlineSVG`, the style sheet.
  public mutating func trusted(_ markup: some Sequence<UInt8>) {
    bytes.append(contentsOf: markup)
  }

  /// Appends text, escaped.
  public mutating func text(_ text: some StringProtocol) {
    Escape.html(text, into: &bytes)
  }

  /// Appends text, escaped, with text between two backticks as code. A single backtick is text.
  public mutating func prose(_ text: some StringProtocol) {
    var rest = text[...]
    while let open = rest.firstIndex(of: "`"),
      let close = rest[rest.index(after: open)...].firstIndex(of: "`")
    {
      self.text(rest[..<open])
      element("code", rest[rest.index(after: open)..<close])
      rest = rest[rest.index(after: close)...]
    }
    self.text(rest)
  }

  /// Opens an element. Attributes with value nil are left out; those with an empty value are written without one.
  public mutating func open(_ tag: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:]) {
    markup("<")
    markup(tag)
    for (name, value) in attributes {
      guard let value else { continue }
      markup(" ")
      markup(name)
      if value.isEmpty { continue }
      markup("=\"")
      text(value)
      markup("\"")
    }
    markup(">")
  }

  /// A box that scrolls sideways by itself, and that the keyboard and screen readers reach: for a wide table.
  public mutating func scrollBox(
    _ label: String, isHidden: Bool = false, _ content: (inout HTML) throws -> Void
  ) rethrows {
    try element(
      "div",
      [
        "class": "scroll", "tabindex": "0", "role": "region", "aria-label": label,
        "hidden": isHidden ? "" : nil,
      ], content)
  }

  /// Appends a table with headings; columns of numbers are aligned to the right. Where a heading is empty, the rows have
  /// headings of their own.
  public mutating func table(
    _ headings: [String], _ attributes: KeyValuePairs<StaticString, String?> = [:],
    isNumber: (Int) -> Bool = { _ in false }, _ rows: (inout HTML) throws -> Void
  ) rethrows {
    try element("table", attributes) { table in
      table.element("thead") { head in
        head.element("tr") { row in
          for (place, name) in headings.enumerated() {
            if name.isEmpty {
              row.element("td", "")
            } else {
              row.element("th", ["scope": "col", "class": isNumber(place) ? "n" : nil], name)
            }
          }
        }
      }
      try table.element("tbody", rows)
    }
  }

  /// Appends a row of a table.
  public mutating func row(
    _ cells: [String], _ attributes: KeyValuePairs<StaticString, String?> = [:],
    isNumber: (Int) -> Bool = { _ in false }
  ) {
    element("tr", attributes) { row in
      for (place, cell) in cells.enumerated() {
        row.element("td", ["class": isNumber(place) ? "n" : nil], cell)
      }
    }
  }

  /// Closes an element.
  public mutating func close(_ tag: StaticString) {
    markup("</")
    markup(tag)
    markup(">")
  }

  /// Appends an element that holds only text.
  public mutating func element(
    _ tag: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ content: some StringProtocol
  ) {
    open(tag, attributes)
    text(content)
    close(tag)
  }

  /// Appends an element without attributes that holds only text.
  public mutating func element(_ tag: StaticString, _ content: some StringProtocol) {
    element(tag, [:], content)
  }

  /// Appends an element whose content the closure writes.
  public mutating func element(
    _ tag: StaticString, _ attributes: KeyValuePairs<StaticString, String?>,
    _ content: (inout HTML) throws -> Void
  ) rethrows {
    open(tag, attributes)
    try content(&self)
    close(tag)
  }

  /// Appends an element without attributes whose content the closure writes.
  public mutating func element(_ tag: StaticString, _ content: (inout HTML) throws -> Void) rethrows {
    try element(tag, [:], content)
  }

  /// Appends `<script type="application/json" id=…>` with JSON, escaped so that it cannot end the element.
  public mutating func json(id: String, _ json: some StringProtocol) {
    open("script", ["type": "application/json", "id": id])
    Escape.scriptJSON(json, into: &bytes)
    close("script")
  }
}

/// Escapes untrusted text for the context that it is put in.
public enum Escape {
  /// Text between tags or (quotes are escaped too) in a quoted attribute.
  ///
  /// Control characters become U+FFFD and bidirectional overrides are spelled out, so that no text can hide or reorder
  /// its neighbours.
  public static func html(_ text: some StringProtocol, into bytes: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": bytes.append(contentsOf: "&amp;".utf8)
      case "<": bytes.append(contentsOf: "&lt;".utf8)
      case ">": bytes.append(contentsOf: "&gt;".utf8)
      case "\"": bytes.append(contentsOf: "&quot;".utf8)
      case "'": bytes.append(contentsOf: "&#39;".utf8)
      default: bytes.append(contentsOf: visible(scalar))
      }
    }
  }

  /// Markdown: a backslash before each of these marks.
  public static func markdown(_ text: String, _ marks: String = "\\`*_[]<>|&~") -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if marks.unicodeScalars.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }

  /// JSON text inside a `<script>` element: the same value, escaped so that it cannot end the element or open a
  /// comment.
  public static func scriptJSON(_ json: some StringProtocol, into bytes: inout [UInt8]) {
    for scalar in json.unicodeScalars {
      switch scalar {
      case "<": bytes.append(contentsOf: "\\u003c".utf8)
      case ">": bytes.append(contentsOf: "\\u003e".utf8)
      case "&": bytes.append(contentsOf: "\\u0026".utf8)
      case "\u{2028}": bytes.append(contentsOf: "\\u2028".utf8)
      case "\u{2029}": bytes.append(contentsOf: "\\u2029".utf8)
      default: bytes.append(contentsOf: Array(String(scalar).utf8))
      }
    }
  }

  /// A CSS identifier or the content of a CSS string: everything except letters, digits, `-` and `_` as hexadecimal
  /// escapes.
  public static func css(_ text: some StringProtocol) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      let plain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "-" || scalar == "_")
      let digit = ("0"..."9").contains(scalar) && !escaped.isEmpty
      if plain || digit {
        escaped.unicodeScalars.append(scalar)
      } else {
        escaped += "\\" + String(scalar.value == 0 ? 0xFFFD : scalar.value, radix: 16) + " "
      }
    }
    return escaped
  }

  /// A relative link to a file name: every character that is not safe in a URL path is percent-encoded.
  public static func path(_ name: some StringProtocol) -> String {
    var encoded = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "/"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        encoded += "%" + (hex.count == 1 ? "0" : "") + hex
      }
    }
    return encoded
  }

  private static func visible(_ scalar: Unicode.Scalar) -> [UInt8] {
    switch scalar.value {
    case 0x09, 0x0A: [UInt8(scalar.value)]
    case 0..<0x20, 0x7F..<0xA0: Array("\u{FFFD}".utf8)
    case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069:
      Array("[U+\(String(scalar.value, radix: 16, uppercase: true))]".utf8)
    default: Array(String(scalar).utf8)
    }
  }
}

/// The security policy of a page: it may run its own script and use its own style, and nothing else.
package enum PageSecurity {
  /// The Content-Security-Policy for a page with exactly this script and style, and with the scripts that this script
  /// loads if `loadsScripts` is set.
  package static func policy(script: [UInt8], style: [UInt8], loadsScripts: Bool = false) -> String {
    "default-src 'none'; script-src 'sha256-\(digest(script))'\(loadsScripts ? " 'strict-dynamic'" : ""); style-src 'sha256-\(digest(style))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  package static func digest(_ bytes: [UInt8]) -> String {
    let hasher = SHA256()
    bytes.withUnsafeBytes { hasher.update($0) }
    return Data(hasher.digest()).base64EncodedString()
  }
}
