/// A page under construction: tags are literals of the program, everything else is escaped on its way in.
public struct HTML: Sendable {
  /// The page so far, UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// An empty page.
  public init() {}

  /// Appends markup that the program itself wrote.
  public mutating func markup(_ literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes that are markup already: another page's, an SVG that passed `InlineSVG`, the style sheet.
  public mutating func trusted(_ markup: some Sequence<UInt8>) {
    bytes.append(contentsOf: markup)
  }

  /// Appends text, escaped.
  public mutating func text(_ text: some StringProtocol) {
    Escape.html(text, into: &bytes)
  }

  /// Opens an element; an attribute whose value is nil is left out, one whose value is empty stands alone.
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

  /// Appends an element with what the closure appends inside.
  public mutating func element(
    _ tag: StaticString, _ attributes: KeyValuePairs<StaticString, String?>,
    _ content: (inout HTML) throws -> Void
  ) rethrows {
    open(tag, attributes)
    try content(&self)
    close(tag)
  }

  /// Appends an element without attributes, with what the closure appends inside.
  public mutating func element(_ tag: StaticString, _ content: (inout HTML) throws -> Void) rethrows {
    try element(tag, [:], content)
  }

  /// Appends `<script type="application/json" id=…>` with JSON that cannot leave it.
  public mutating func json(id: String, _ json: some StringProtocol) {
    open("script", ["type": "application/json", "id": id])
    Escape.scriptJSON(json, into: &bytes)
    close("script")
  }
}
