import CallModel
import Rendering

/// Builds JSON text member by member.
struct JSONBuilder {
  private var json: [UInt8] = []

  /// The text built so far.
  package var text: String { String(decoding: json, as: UTF8.self) }

  /// Appends an object with the members that the closure adds.
  package mutating func object(_ body: (inout JSONBuilder) throws -> Void) rethrows {
    json.append(UInt8(ascii: "{"))
    try body(&self)
    json.append(UInt8(ascii: "}"))
  }

  /// Appends an element of an array that is JSON already.
  mutating func append(_ value: [UInt8]) { json += value }

  /// Appends a member that is JSON already.
  mutating func member(_ name: String, json value: [UInt8]) {
    self.name(name)
    json += value
  }

  /// Appends a text member, or null.
  package mutating func member(_ name: String, _ value: String?) {
    self.name(name)
    JSONBytes.append(value.map(Cell.text) ?? .null, to: &json)
  }

  /// Appends a number member with up to four decimals, or null.
  package mutating func member(_ name: String, _ value: Double?) {
    self.name(name)
    guard let value, value.isFinite else { return json += Array("null".utf8) }
    json += Array(CellText.fixed(value, decimals: 4).utf8)
  }

  /// Appends an array of texts.
  package mutating func list(_ name: String, _ texts: [String]) {
    array(name, texts) { builder, text in JSONBytes.append(text, to: &builder.json) }
  }

  /// Appends an array with one element per item of the sequence.
  package mutating func array<Element>(
    _ name: String, _ items: [Element], _ body: (inout JSONBuilder, Element) -> Void
  ) {
    self.name(name)
    json.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      body(&self, item)
    }
    json.append(UInt8(ascii: "]"))
  }

  /// Appends an object member.
  mutating func objectMember(_ name: String, _ body: (inout JSONBuilder) -> Void) {
    self.name(name)
    object(body)
  }

  private mutating func name(_ name: String) {
    if json.last != UInt8(ascii: "{") { json.append(UInt8(ascii: ",")) }
    JSONBytes.append(name, to: &json)
    json.append(UInt8(ascii: ":"))
  }
}
