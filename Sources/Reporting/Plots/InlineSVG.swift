/// Makes gnuplot's SVG part of a page: no prologue, names of its own, and the page's colours for words and lines (dark mode, print).
public enum InlineSVG {
  /// The `<svg>` element, given the picture's name (prefix of its ids) and the words that a screen reader says; nil if it is no SVG.
  ///
  /// - Parameter cut: pixels left out at the top, where the picture's own title stands: the page has its own.
  public static func element(_ svg: [UInt8], name: String, label: String, cut: Int = 0) -> [UInt8]? {
    let text = String(decoding: svg, as: UTF8.self)
    guard let start = text.firstRange(of: "<svg"), let end = text.firstRange(of: "</svg>") else { return nil }
    var body = String(text[start.lowerBound..<end.upperBound])
    for (colour, variable) in [(Palette.ink, "var(--ink)"), (Palette.grid, "var(--line)")] {
      for spelling in spellings(of: colour) { body = body.replacing(spelling, with: variable) }
    }
    body = body.replacing("fill=\"black\"", with: "fill=\"var(--ink)\"").replacing(
      "fill='black'", with: "fill='var(--ink)'")
    body = body.replacing(/<title>[^<]*<\/title>\s*<desc>[^<]*<\/desc>/, with: "")
    if cut > 0, let size = body.firstMatch(of: /viewBox="0 0 (\d+) (\d+)"/), let height = Int(size.2) {
      body.replaceSubrange(size.range, with: "viewBox=\"0 \(cut) \(size.1) \(max(1, height - cut))\"")
    }
    // What is cut off is not there for those either who read with other means than eyes.
    let title = "<text>\(escaped(label))"
    if cut > 0, let place = body.firstRange(of: title) {
      body.replaceSubrange(place, with: "<text>")
    }
    let prefix = Escape.css(name) + "-"
    for quote in ["'", "\""] {
      body = body.replacing(" id=\(quote)", with: " id=\(quote)\(prefix)")
      body = body.replacing("href=\(quote)#", with: "href=\(quote)#\(prefix)")
    }
    body = body.replacing("url(#", with: "url(#\(prefix)")
    let words = Array(escaped(label).utf8)
    return Array("<svg role=\"img\" aria-label=\"".utf8) + words + Array("\" ".utf8)
      + Array(body.dropFirst(5).utf8)
  }

  private static func escaped(_ text: String) -> String {
    var words: [UInt8] = []
    Escape.html(text, into: &words)
    return String(decoding: words, as: UTF8.self)
  }

  /// A colour in gnuplot's spellings: `#RRGGBB` and `rgb( r,  g,  b)`.
  private static func spellings(of colour: String) -> [String] {
    let value = Int(colour.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part in
      String(repeating: " ", count: 3 - String(part).count) + String(part)
    }
    return [
      colour, colour.lowercased(), "rgb(\(parts.joined(separator: ", ")))",
      "rgb(\(parts.map { String($0.trimmed) }.joined(separator: ",")))",
    ]
  }
}
