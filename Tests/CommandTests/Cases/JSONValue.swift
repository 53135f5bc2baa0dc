import Foundation

/// A value of JSON, as cases write it and commands print it.
enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(parsing data: Data) throws {
    self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
  }

  /// What JSONSerialization made.
  private init(_ any: Any) {
    switch any {
    case let text as String: self = .text(text)
    case let list as [Any]: self = .list(list.map(JSONValue.init))
    case let object as [String: Any]: self = .object(object.mapValues(JSONValue.init))
    case let number as NSNumber where String(cString: number.objCType) == "c": self = .bool(number.boolValue)
    case let number as NSNumber: self = .number(number.doubleValue)
    default: self = .null
    }
  }

  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
  var object: [String: JSONValue]? { if case .object(let object) = self { object } else { nil } }

  /// The value at a path such as `reported.mean` or `phases[phase=ice].duration_ms`; nil if there is none.
  func at(_ path: String) -> JSONValue? {
    var value = self
    for part in path.split(separator: ".") {
      let pieces = part.split { "[=]".contains($0) }.map(String.init)
      guard let member = value.object?[pieces[0]] else { return nil }
      value = member
      guard pieces.count == 3 else { continue }
      guard let found = member.list?.first(where: { $0.at(pieces[1]) == .text(pieces[2]) }) else {
        return nil
      }
      value = found
    }
    return value
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value in one line of JSON, members in order.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .text(let text): "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    case .list(let list): "[\(list.map(\.description).joined(separator: ", "))]"
    case .object(let object):
      "{\(object.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
    }
  }
}
