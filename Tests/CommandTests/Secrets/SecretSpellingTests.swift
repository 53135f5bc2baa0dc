import Foundation
import Testing

/// Sixty names of secrets in thirteen spellings, each with a value of its own, in text and in the arguments of a run log.
@Suite("A secret is found in every spelling")
struct SecretSpellingTests {
  private static let names =
    "password passwd pwd passphrase secret client_secret clientSecret token access_token accessToken refresh_token refreshToken id_token auth_token authToken authorization apikey api_key apiKey x-api-key session_token sessionToken jwt credential credentials turnPassword iceCredential ice_pwd icePwd pin pincode pin_code conference_pin hostPin cookie set-cookie JSESSIONID PHPSESSID private_key privateKey secretKey secret_key signature otp passcode Kennwort Passwort motdepasse senha wachtwoord heslo salasana deviceToken pushToken push_token fcmToken voip_token sip_password auth_password proxy-authorization"
    .split(separator: " ").map(String.init)
  private static let foreign = ["contraseña", "пароль", "lösenord", "密码"]
  /// Names whose secrets are digits.
  private static let codes: Set = [
    "pin", "pincode", "pin_code", "conference_pin", "hostPin", "otp", "passcode",
  ]

  private static let plain:
    [(spelling: String, write: @Sendable (_ name: String, _ value: String) -> String)] = [
      ("=", { "\($0)=\($1)" }), (":", { "\($0): \($1)" }), ("blanks", { "\($0) : \($1)" }),
      ("tabs", { "\($0)\t=\t\($1)" }), ("quotes", { "\($0)='\($1)'" }),
      ("option", { "client --\($0) \($1) -v" }),
      ("walrus", { "\($0) := \($1)" }),
      ("JSON", { #"{"\#($0)":"\#($1)","x":1}"# }),
      ("JSON in JSON", { #"{"body":"{\"\#($0)\":\"\#($1)\",\"x\":1}"}"# }),
    ]
  /// Spellings in which names of letters beyond ASCII are others, or are not found (docs/limits.md).
  private static let encoded:
    [(spelling: String, write: @Sendable (_ name: String, _ value: String) -> String)] = [
      ("brackets", { "\($0)[\($1)]" }),
      ("query", { "GET https://h.example/api?x=1&\($0)=\($1)&y=2 HTTP/1.1" }),
      ("percent", { "GET https://h.example/a?\($0)%3D\($1)%26x%3D1" }),
      ("percent twice", { "next=https%253A%252F%252Fh.example%252Fa%253F\($0)%253D\($1)%2526x%253D1" }),
      (
        "JSON escapes",
        { name, value in
          let escaped = name.unicodeScalars.map { String(format: "\\u%04x", $0.value) }.joined()
          return #"{"\#(escaped)":"\#(value)"}"#
        }
      ),
    ]

  @Test("whatever stands between the name and the value")
  func spellings() throws {
    let folder = try TemporaryFolder()
    var planted: [String: String] = [:]
    var lines: [String] = []
    for name in Self.names + Self.foreign {
      for (spelling, write) in Self.plain + (Self.foreign.contains(name) ? [] : Self.encoded) {
        let number = planted.count
        let value =
          Self.codes.contains(name)
          ? String(format: "735%06d", number) : String(format: "sEcReT%06dZq7Xw9", number)
        planted[value] = "\(name) (\(spelling))"
        let text = try JSONSerialization.data(withJSONObject: [write(name, value)])
        lines.append(
          #"{"ts":\#(1_795_226_153_000 + number),"sdk":"cisco-rem","call":"c1","event":"log","args":\#(String(decoding: text, as: UTF8.self))}"#
        )
      }
    }
    try #require(planted.count > 800)
    let log = folder.url.appendingPathComponent("caller.events.jsonl")
    try Data(lines.joined(separator: "\n").utf8).write(to: log)
    let database = folder.url.appendingPathComponent("s.sqlite").path
    try Tool.run("import", log.path, "--db", database, "--quiet")
    let stored = try Tool.run("events", "--db", database, "--json").output
    #expect(stored.components(separatedBy: "\n").count > 800, "the events themselves are kept")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: database))
    let leaks = planted.filter { bytes.range(of: Data($0.key.utf8)) != nil || stored.contains($0.key) }
    #expect(leaks.isEmpty, "\(leaks.values.sorted().prefix(20))")
  }
}
