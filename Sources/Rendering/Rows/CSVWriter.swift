import CallModel
import CCSV

/// Writes RFC 4180 lines through libcsv: texts quoted, numbers unquoted, NULL as an empty field without quotes, to
/// distinguish it from an empty text.
public struct CSVWriter: Sendable {
  /// What to do with texts that a spreadsheet would run as formulas.
  public enum Formulas: Sendable {
    /// Leaves them unchanged, for programs.
    case verbatim
    /// Puts an apostrophe in front, for files that people open in a spreadsheet.
    case guarded
  }

  /// The lines so far, in UTF-8 with CRLF line ends.
  public private(set) var bytes: [UInt8] = []
  private let formulas: Formulas

  /// A writer without lines.
  public init(formulas: Formulas) {
    self.formulas = formulas
  }

  /// Appends the header line.
  public mutating func header(_ names: [String]) {
    row(names.map { .text($0) })
  }

  /// Appends a line.
  public mutating func row(_ fields: [Cell]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch field {
      case .null: break
      case .integer(let value): bytes.append(contentsOf: String(value).utf8)
      case .real(let value): if value.isFinite { bytes.append(contentsOf: String(value).utf8) }
      case .text(let value): append(quoted: value)
      case .blob(let value):
        append(quoted: value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
      }
    }
    bytes.append(contentsOf: [13, 10])
  }

  /// Returns the lines so far and removes them from the writer.
  public mutating func take() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }

  private mutating func append(quoted value: String) {
    var text = value
    if formulas == .guarded, CSVWriter.isFormula(text) { text = "'" + text }
    text.withUTF8 { source in
      let needed = csv_write(nil, 0, source.baseAddress, source.count)
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: needed))
      bytes.withUnsafeMutableBytes { target in
        let free = UnsafeMutableRawBufferPointer(rebasing: target[start...])
        _ = csv_write(free.baseAddress, free.count, source.baseAddress, source.count)
      }
    }
  }

  /// Whether a spreadsheet may take the text for a formula (OWASP: CSV injection); full-width signs and leading blanks
  /// are considered.
  public static func isFormula(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\t", "\r", "\n", "|", "%":
        return true
      case " ", "\u{A0}", "\u{FEFF}", "\u{200B}", "\"", "'": continue
      default: return false
      }
    }
    return false
  }
}
