/// The figures a finding rests on, as a JSON object with its members in the order they were added.
struct Evidence {
  private var members: [String] = []

  init() {}

  /// Adds a number unless it is nil; integers without a decimal point, other numbers with up to three decimals.
  func with(_ name: String, _ value: Double?) -> Evidence {
    guard let value, value.isFinite else { return self }
    let thousandths = (value * 1000).rounded()
    let text =
      abs(thousandths) < 1e15 && thousandths.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int(thousandths / 1000))" : "\((value * 1000).rounded() / 1000)"
    return adding("\"\(name)\":\(text)")
  }

  /// Adds a text unless it is nil.
  func with(_ name: String, _ value: String?) -> Evidence {
    guard let value else { return self }
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      default: escaped += scalar.value < 0x20 ? " " : String(scalar)
      }
    }
    return adding("\"\(name)\":\"\(escaped)\"")
  }

  /// The JSON object.
  var json: String { "{" + members.joined(separator: ",") + "}" }

  private func adding(_ member: String) -> Evidence {
    var more = self
    more.members.append(member)
    return more
  }
}
