import Redaction
import Testing

@Suite("Numbers that people give away never get out")
struct PrivateNumberTests {
  private let redactor = Redactor()

  @Test(
    "of cards, of accounts, and codes for one time",
    arguments: [
      ("my card is 4111 1111 1111 1111 exp 11/27", "my card is [redacted] exp 11/27"),
      ("4111-1111-1111-1111, cvv 123", "[redacted], cvv [redacted]"),
      (#"{"text":"3782 822463 10005."}"#, #"{"text":"[redacted]."}"#),
      ("it is 3056 930902 5904 ok", "it is [redacted] ok"),
      ("my card number is 5555555555554444", "my card number is [redacted]"),
      ("Kreditkarte: 5555555555554444!", "Kreditkarte: [redacted]!"),
      (#"{"pan":4111111111111111,"tilt":2}"#, #"{"pan":"[redacted]","tilt":2}"#),
      (#"{"cardNumber":"5555555555554444"}"#, #"{"cardNumber":"[redacted]"}"#),
      ("IBAN DE89 3704 0044 0532 0130 00 and GB82WEST12345698765432", "IBAN [redacted] and [redacted]"),
      (#"{"t":"pay to NL91ABNA0417164300, thanks"}"#, #"{"t":"pay to [redacted], thanks"}"#),
      ("FR14 2004 1010 0505 0001 3M02 606 please", "[redacted] please"),
      ("Your verification code is 482913", "Your verification code is [redacted]"),
      (#"{"p":"Your one-time code: 482 913."}"#, #"{"p":"Your one-time code: [redacted]."}"#),
      ("482913 is your Acme security code", "[redacted] is your Acme security code"),
      ("G-482913 is your login code.", "G-[redacted] is your login code."),
    ])
  func gone(_ text: String, _ clean: String) { #expect(redactor.text(text) == clean) }

  @Test(
    "what only looks like one stays",
    arguments: [
      // A session of SDP, a time in microseconds, an id, a UUID, a fraction.
      "o=- 4611731400430051336 2 IN IP4 127.0.0.1", "4111111111111111", #"{"id":4111111111111111}"#,
      "ts 1795226100000000", "call 4111-1111-1111-1112", "0.4111111111111111",
      "41111111-1111-1111-1111-111111111111", "a4111-1111-1111-1111-1111", "port 4111 1111 1111",
      // No account, whatever it begins with.
      "DE89 3704 0044 0532 0130 01", "DE89370400440532013000AB", "GB82WEST1234569876543", "BE12ABCDEF",
      // Other codes.
      "error code is 4040", "code: 486", "status code: 4000", #"{"pan":2.5,"code":480}"#, "pan: left",
      "access code path", "security code of 2026 edition", "cvvs 123",
    ])
  func stays(_ text: String) { #expect(redactor.text(text) == text) }
}
