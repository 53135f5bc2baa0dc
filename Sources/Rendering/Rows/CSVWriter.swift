import CallModel
import CCSV

/// Writes RFC 4180 lines through libcsv: text quoted, numbers bare, NULL nothing at all (so that it differs from an empty text).
public struct CSVWriter: Sendable {
  /// Whether a text that a spreadsheet would run as a formula is made harmless.
  public enum Formulas: Sendable {
    /// Byte for byte what the database holds: for programs.
    case verbatim
    /// An apostrophe in front: for files that people open in a spreadsheet.
    case guarded
  }

  /// The lines so far, UTF-8 with CRLF ends.
  public private(set) var bytes: [UInt8] = []
  private let formulas: Formulas

  /// An empty file.
  public init(formulas: Formulas) {
    self.formulas = formulas
  }

  /// Appends a line of texts: the header.
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

  /// Takes the lines written so far, to be sent on; the writer goes on empty.
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

  /// Whether a spreadsheet may take the text for a formula (OWASP: CSV injection), full-width signs and leading blanks included.
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
