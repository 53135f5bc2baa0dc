import Rendering

/// The gates of a release, one per line:
///
///     score.mean   >= baseline - 3
///     setup.p90_ms <= baseline * 1.10
///     broken.share <= 2%                for web, ios
///     missing      <= 0                 # a comment
public struct GateFile: Sendable, Equatable {
  public var name: String
  public var gates: [Gate]

  /// Reads a gate file.
  public init(path: String) throws {
    try self.init(
      name: path, text: String(decoding: try FileBytes.read(path, atMost: 1 << 20), as: UTF8.self))
  }

  /// Parses a gate file; throws the first error with its line number.
  public init(name: String, text: String) throws {
    self.name = name
    gates = []
    for (index, raw) in text.editorLines.enumerated() {
      let line = raw.prefix { $0 != "#" }.trimmed
      if line.isEmpty { continue }
      var reader = GateParser(file: name, line: index + 1, text: String(line))
      gates.append(try reader.gate())
    }
    guard !gates.isEmpty else {
      throw PlacedError(name, nil, "no gate in it; a line looks like: score.mean >= baseline - 3")
    }
  }
}

/// Parses one line of a gate file, word by word.
private struct GateParser {
  let file: String
  let line: Int
  let text: String
  private var words: [Substring]
  private var next = 0

  init(file: String, line: Int, text: String) {
    self.file = file
    self.line = line
    self.text = text
    var spaced = text
    for sign in [">=", "<="] { spaced = spaced.replacing(sign, with: " \(sign) ") }
    words = spaced.split { $0 == " " || $0 == "\t" || $0 == "\r" }
  }

  mutating func gate() throws -> Gate {
    let figure = try figure()
    let relation = try relation()
    let (factor, offset) = try limit(of: figure)
    let sdks = try names()
    return Gate(
      figure: figure, relation: relation, factor: factor, offset: offset, sdks: sdks,
      text: text.split { $0 == " " || $0 == "\t" }.joined(separator: " "), line: line)
  }

  private mutating func figure() throws -> Figure {
    let word = try word("a figure such as score.mean")
    guard let figure = Figure(word) else {
      if word.hasPrefix("finding."), word.hasSuffix(".share") {
        throw mistake("no finding is called '\(word.dropFirst(8).dropLast(6))'; docs/findings.md lists them")
      }
      throw mistake("'\(word)' is no figure; the figures are \(Figure.names)")
    }
    return figure
  }

  private mutating func relation() throws -> Gate.Relation {
    let word = try word("one of >= <= > <")
    guard let relation = Gate.Relation(rawValue: word) else {
      throw mistake("'\(word)' is no relation; expected one of >= <= > <")
    }
    return relation
  }

  private mutating func limit(of figure: Figure) throws -> (Double, Double) {
    let word = try word("a number, or baseline with + - or * and a number")
    if word != "baseline" { return (0, try number(word, of: figure)) }
    guard next < words.count, words[next] != "for" else { return (1, 0) }
    let sign = try self.word("+, - or *")
    guard ["+", "-", "*"].contains(sign) else {
      throw mistake("'\(sign)' after baseline; expected +, - or *")
    }
    let amount = try self.word("a number after 'baseline \(sign)'")
    guard sign == "*" else {
      let amount = try number(amount, of: figure)
      return (1, sign == "-" ? -amount : amount)
    }
    let factor = try number(amount)
    guard factor > 0 else { throw mistake("baseline * \(factor): the factor must be above 0") }
    return (factor, 0)
  }

  private mutating func names() throws -> [String] {
    guard next < words.count else { return [] }
    let word = try word("for")
    guard word == "for" else {
      throw mistake(
        "'\(word)' is one word too many; after the limit comes nothing, or 'for' and names of SDKs")
    }
    let names = words[next...].joined(separator: " ").split(separator: ",").map { String($0.trimmed) }
    guard !names.isEmpty, !names.contains("") else { throw mistake("'for' needs the name of an SDK") }
    return names
  }

  private func number(_ word: String) throws -> Double {
    let isPercent = word.hasSuffix("%")
    guard let value = Double(isPercent ? String(word.dropLast()) : word), value.isFinite else {
      throw mistake("'\(word)' is no number")
    }
    return isPercent ? value / 100 : value
  }

  /// A number in the unit of a figure. Rejects values that cannot be intended, because such a gate would pass or fail
  /// whatever the calls did.
  private func number(_ word: String, of figure: Figure) throws -> Double {
    let value = try number(word)
    let isPercent = word.hasSuffix("%")
    if figure.isShare {
      guard isPercent ? abs(value) <= 1 : abs(value) < 1 else {
        throw mistake(
          "\(figure) lies between 0 and 100%, so '\(word)' cannot be meant\(isPercent ? "" : ": write \(word)% for per cent")"
        )
      }
    } else if isPercent {
      throw mistake(
        "\(figure) is \(figure.unit), so '\(word)' cannot be meant: write \(word.dropLast()) for as many, or baseline * \(CellText.shortest(value)) for a part of the baseline"
      )
    }
    return value
  }

  private mutating func word(_ expected: String) throws -> String {
    guard next < words.count else { throw mistake("the line ends where \(expected) was expected") }
    next += 1
    return String(words[next - 1])
  }

  private func mistake(_ what: String) -> PlacedError { PlacedError(file, line, what) }
}

extension String {
  /// Lines as an editor shows them: ended by LF or CR LF, without a leading byte order mark.
  var editorLines: [Substring] {
    (hasPrefix("\u{FEFF}") ? dropFirst() : self[...]).split(omittingEmptySubsequences: false) {
      $0 == "\n" || $0 == "\r\n"
    }
  }
}

extension StringProtocol {
  /// Without leading and trailing blanks.
  var trimmed: SubSequence {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
    while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
    return rest
  }
}
