import Foundation
import Testing

/// What RFC 8259 forbids is `not-json` with its byte, what it allows is not; cases in the manner of the public suites.
@Suite("JSON is what RFC 8259 says, through the front door")
struct JSONConformanceTests {
  static let forbidden: [String: [UInt8]] = [
    "single_space": Array(" ".utf8), "bom_only": [0xEF, 0xBB, 0xBF], "unclosed": Array("[1,2".utf8),
    "trailing_comma": Array("[1,]".utf8), "leading_zero": Array("[012]".utf8), "plus": Array("[+1]".utf8),
    "bare_dot": Array("[1.]".utf8), "no_integer": Array("[.5]".utf8), "hex": Array("[0x1]".utf8),
    "nan": Array("[NaN]".utf8), "infinity": Array("[-Infinity]".utf8), "single_quote": Array("['a']".utf8),
    "unquoted_key": Array("{a:1}".utf8), "two_values": Array("[] []".utf8),
    "comment": Array("[1 /* x */]".utf8),
    "newline_in_string": Array("[\"a\nb\"]".utf8), "tab_in_string": Array("[\"\t\"]".utf8),
    "bad_escape": Array("[\"\\x\"]".utf8), "short_unicode": Array("[\"\\u00A\"]".utf8),
    "invalid_utf8": [0x5B, 0x22, 0xFF, 0x22, 0x5D], "overlong_utf8": [0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D],
    "surrogate_utf8": [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D], "nul": [0x5B, 0x00, 0x5D],
    "capital_true": Array("[True]".utf8), "star": Array("*".utf8), "angle": Array("<.>".utf8),
    "open_100000": [UInt8](repeating: 0x5B, count: 100_000), "form_feed": [0x5B, 0x0C, 0x5D],
    "colon_instead": Array("[\"\": 1]".utf8), "key_only": Array("{\"a\":".utf8),
    "double_colon": Array("{\"x\"::1}".utf8),
  ]

  static let allowed: [String: [UInt8]] = [
    "array": Array("[]".utf8), "object": Array("{}".utf8), "lonely_string": Array("\"a\"".utf8),
    "lonely_number": Array("-0".utf8), "lonely_true": Array("true".utf8),
    "huge_exponent": Array("[1e999999]".utf8),
    "long_number": Array("[\(String(repeating: "9", count: 400))]".utf8),
    "lone_surrogate": Array("[\"\\uD800\"]".utf8),
    "del": [0x5B, 0x22, 0x7F, 0x22, 0x5D], "nul_escape": Array("[\"\\u0000\"]".utf8),
    "duplicate_key": Array(#"{"a":1,"a":2}"#.utf8), "noncharacter": Array("[\"\u{FFFF}\"]".utf8),
    "deep": [UInt8](repeating: 0x5B, count: 60_000) + [UInt8](repeating: 0x5D, count: 60_000),
    "white": Array(" \t\r\n[ 1 , 2 ]\n\n".utf8), "exponents": Array("[1E+2,1e-2,0.5e0,-0.0]".utf8),
  ]

  @Test("both lists, in one import")
  func bothLists() throws {
    let folder = try TemporaryFolder()
    for (name, bytes) in Self.forbidden { _ = try folder.file("n_\(name).json", Data(bytes)) }
    for (name, bytes) in Self.allowed { _ = try folder.file("y_\(name).json", Data(bytes)) }
    let paths = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
      .map { folder.url.appendingPathComponent($0).path }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let result = try Tool.run(["import"] + paths + ["--db", database, "--json"])
    #expect(result.status == 1)
    let files = try result.objects().filter { $0["type"] as? String == "file" }
    #expect(files.count == Self.forbidden.count + Self.allowed.count)
    for file in files {
      let name = (file["path"] as? String)?.split(separator: "/").last.map(String.init) ?? ""
      let isForbidden = name.hasPrefix("n_")
      #expect((file["reason_code"] as? String == "not-json") == isForbidden, "\(name): \(file)")
      #expect((file["byte"] as? Int != nil) == isForbidden, "\(name): \(file)")
    }
  }
}
