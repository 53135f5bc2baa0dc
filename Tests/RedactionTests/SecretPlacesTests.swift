import Redaction
import Testing

@Suite("A secret is found wherever it stands beside its name")
struct SecretPlacesTests {
  private let redactor = Redactor()

  @Test(
    "in headers that go on, parts of forms, tables, commands, queries",
    arguments: [
      ("X-Api-Key:\r\n Zq7vWu7Ns3Kp\r\nHost: h", "X-Api-Key:\r\n [redacted]\r\nHost: h"),
      (#"Passwort:\n Zq7vWu7Ns3 ok"#, #"Passwort:\n [redacted] ok"#),
      ("Authorization: Hawk id=\"d\",\n mac=\"Zq7v\"\nHost: h", "Authorization: [redacted]\nHost: h"),
      ("name=\"password\"\r\n\r\nZq7vWu7Ns3\r\n--b--", "name=\"password\"\r\n\r\n[redacted]\r\n--b--"),
      (
        "user,password,host\nann,Zq7v,h\nbob,Wu7N,i", "user,password,host\nann,[redacted],h\nbob,[redacted],i"
      ),
      ("pin\tname\n48213\tann", "pin\tname\n[redacted]\tann"),
      (#"{"t":"user;token\nann;Zq7v\nbob;"}"#, #"{"t":"user;token\nann;[redacted]\nbob;"}"#),
      ("sipp -au ann -ap Zq7v h", "sipp -au ann -ap [redacted] h"),
      ("client -p Zq7vWu7 h", "client -p [redacted] h"),
      ("mysql -u ann -pZq7vWu7 calls", "mysql -u ann -p[redacted] calls"),
      ("wss://h/ws?p=Zq7vWu7Ns3KpHv5tUs", "wss://h/ws?p=[redacted]"),
      ("https://h/j?hash=0f3a9c0b7d2e4f6a8c1d0f3a9c0b7d2e", "https://h/j?hash=[redacted]"),
      ("https://ann:p%40Zq7v%21@h/x", "https://[redacted]@h/x"),
      ("mot de passe : Zq7vWu7", "mot de passe : [redacted]"),
      ("+4930123456,,8123456#,,48213344#", "+4930123456,,[redacted]#"),
      ("tel:+4930123456;postd=48213344", "tel:+4930123456;postd=[redacted]"),
      ("sendDTMF 48213344#", "sendDTMF [redacted]"),
      ("Use code 48213344 to sign in", "Use code [redacted] to sign in"),
      ("WWW-Authenticate: NTLM TlRMTVNTUAADAAAAGAAYAHYA", "WWW-Authenticate: NTLM [redacted]"),
      ("refresh 1//0Zq7vWu7Ns3KpHv5tUs5Lu5Jb2sTr4Kv6", "refresh [redacted]"),
      ("WIFI:T:WPA;S:acme;P:Zq7vWu7;;", "WIFI:T:WPA;S:acme;P:[redacted];;"),
    ])
  func gone(_ text: String, _ clean: String) { #expect(redactor.text(text) == clean) }

  @Test(
    "what only looks like one stays",
    arguments: [
      // A payload type, a port, a path, a code of a call's end.
      "DTMF 101", "dtmf 101/8000", "ssh -p 22", "tar -p /etc/x1y2z3", "docker -p 8080:8080",
      "ended with code 9901", "error code 486",
      // What is replaced already, and prose, which is no table.
      "pin\tname\n[redacted]\tann", "user,password,host\nann,[redacted],h",
      "I forgot my password, sorry\nok, no problem then",
      // Ids, by which calls are found, and addresses.
      "wss://h/ws?callId=Zq7vWu7Ns3KpHv5tUs", "https://h/x?host=turn1.eu-west-1.relay.example",
      "https://h/x?x=7f0c2a9e-4c1b-4d7e-9a59-8c7b1f1c2d3e", "https://h/x?next=https%3A%2F%2Fh.example%2F9",
    ])
  func stays(_ text: String) { #expect(redactor.text(text) == text) }

  @Test("a long text of names, keys and backslashes takes time in proportion", .timeLimit(.minutes(1)))
  func linear() {
    for piece in [
      "password,", "\"token\"\\n\\n", "12345,", "Cookie: \\\\\\\\", "-p a1,", "eyJhbGciOiJ.", "?a=Zq7v&",
    ] {
      _ = redactor.text(String(repeating: piece, count: 20_000))
    }
  }
}
