/// What a value has to be: an object of operators, or the value itself.
struct Matcher: Sendable {
  private let wanted: [String: JSONValue]

  private static let operators: Set = [
    "is", "not", "oneOf", "absent", "near", "within", "atLeast", "atMost", "above", "below", "begins",
    "contains", "lacks",
  ]

  init(_ wanted: JSONValue) throws {
    self.wanted = wanted.object ?? ["is": wanted]
    for (name, operand) in self.wanted {
      let isNumber = ["near", "within", "atLeast", "atMost", "above", "below"].contains(name)
      let isList = name == "oneOf"
      guard Self.operators.contains(name) else { throw CaseError("no operator is called \"\(name)\"") }
      guard !isNumber || operand.number != nil, !isList || operand.list != nil,
        name != "absent" || operand == .bool(true) || operand == .bool(false),
        name != "begins" || operand.text != nil,
        !["contains", "lacks"].contains(name) || Self.texts(operand) != nil
      else { throw CaseError("\"\(name)\" does not take \(operand)") }
    }
    guard (self.wanted["near"] == nil) == (self.wanted["within"] == nil) else {
      throw CaseError("\"near\" and \"within\" belong together")
    }
    guard !self.wanted.isEmpty else { throw CaseError("{} expects nothing") }
  }

  /// For a text, of which a word alone means that it is contained.
  init(text wanted: JSONValue) throws {
    try self.init(wanted.object == nil ? .object(["contains": wanted]) : wanted)
  }

  /// Whether a value is what is wanted; nil is a member that is not there.
  func matches(_ found: JSONValue?) -> Bool { wanted.allSatisfy { Self.holds($0, $1, of: found, wanted) } }

  private static func holds(
    _ name: String, _ operand: JSONValue, of found: JSONValue?, _ all: [String: JSONValue]
  ) -> Bool {
    func compares(_ isSo: (Double, Double) -> Bool) -> Bool {
      guard let number = found?.number, let other = operand.number else { return false }
      return isSo(number, other)
    }
    switch name {
    case "is": return found == operand
    case "not": return found != operand
    case "oneOf": return found.map { operand.list?.contains($0) == true } ?? false
    case "absent": return (found == nil) == (operand == .bool(true))
    case "near": return compares { abs($0 - $1) <= all["within"]?.number ?? 0 }
    case "atLeast": return compares(>=)
    case "atMost": return compares(<=)
    case "above": return compares(>)
    case "below": return compares(<)
    case "begins": return text(found)?.hasPrefix(oneLine(operand.text ?? "")) ?? false
    case "contains":
      return texts(operand)?.allSatisfy { text(found)?.contains(oneLine($0)) ?? false } ?? false
    case "lacks":
      guard let found = text(found) else { return false }
      return texts(operand)?.allSatisfy { !found.contains(oneLine($0)) } ?? false
    default: return true
    }
  }

  /// A word or several.
  private static func texts(_ operand: JSONValue) -> [String]? {
    if let text = operand.text { return [text] }
    let texts = operand.list?.compactMap(\.text)
    return texts?.count == operand.list?.count ? texts : nil
  }

  /// A text, or the JSON of another value.
  private static func text(_ found: JSONValue?) -> String? { found.map { $0.text ?? $0.description } }
}

/// A text with one space wherever it has any.
func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

/// What is wrong with a case as it is written.
struct CaseError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
