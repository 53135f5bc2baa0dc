import Foundation

/// Secrets of every kind, as logs write them. Each has a value of its own, so that a leak names its place.
enum PlantedSecret {
  /// What each secret holds, plain and as base64: if none of this is found, none of them is.
  static let needles = ["sEcReT", "735791", "Ym9iOnNFY1JlV", "eyJzdWIiOiJzRWNSZV", "c2lnbmVkIGJ5IHNFY1JlV"]

  /// A text of each kind, for one place.
  static func texts(in place: Int) -> [String] {
    kinds.enumerated().map { index, kind in
      let secret = "sEcReT\(place)x\(index)Zq7"
      let pin = "735791\(String(format: "%03d%02d", place, index))"
      let basic = base64("bob:\(secret)")
      let token = [#"{"alg":"HS256"}"#, #"{"sub":"\#(secret)"}"#, "signed by \(secret)"].map {
        base64($0).trimmingCharacters(in: ["="])
      }
      let values = [
        ("SECRET", secret), ("DIGITS", pin), ("BASIC", basic), ("TOKEN", token.joined(separator: ".")),
      ]
      return values.reduce(kind.text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  private static let kinds: [(kind: String, text: String)] = [
    ("token in a URL", "GET https://h.example/api/events?token=SECRET&x=1 HTTP/1.1"),
    ("JSON Web Token in a URL", "opening wss://h.example/ws?access=TOKEN"),
    ("PIN", #"{"pin":"SECRET","role":"guest"}"#),
    ("PIN as a number", #"{"pin":DIGITS,"x":1}"#),
    ("PIN in words", "joined with PIN DIGITS now"),
    ("ICE password", "v=0\r\na=ice-ufrag:abcd\r\na=ice-pwd:SECRET\r\n"),
    ("SDES key", "v=0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:SECRETSECRET|2^20|1:32\r\n"),
    ("SDP key", "v=0\r\nk=base64:SECRET\r\n"),
    ("TURN credential", #"{"urls":"turn:t.example:3478","username":"u","credential":"SECRET"}"#),
    ("TURN credential of an old dump", "{ iceServers: [turn:t.example], username: u, credential: SECRET }"),
    ("TURN URL", "turn:bob:SECRET@t.example:3478"),
    ("cookie", "> Cookie: sid=SECRET; theme=dark"),
    ("cookie that is set", "< Set-Cookie: sid=SECRET; Path=/; HttpOnly"),
    ("cookie of a HAR file", #"{"name":"Cookie","value":"sid=SECRET"}"#),
    ("basic authorization", "Authorization: Basic BASIC"),
    ("basic authorization without its header", "sent Basic BASIC"),
    ("digest authorization", #"Authorization: Digest username="bob", realm="h", response="SECRET""#),
    ("bearer token", "authorization: Bearer SECRET"),
    ("password in a URL", "https://bob:SECRET@h.example/x"),
    ("password of a SIP URI", "sip:bob:SECRET@h.example"),
    ("password", "login with password=SECRET"),
    ("token as Swift prints it", #"authToken: Optional("SECRET")"#),
    ("token as NSData", "deviceToken = <SECRET SECRET>;"),
    ("token in an object", #"{"access_token":{"value":"SECRET","for":["SECRET"]}}"#),
    ("token in JSON in JSON", #"{"body":"{\"token\":\"SECRET\",\"x\":1}"}"#),
    ("API key", "X-Api-Key: SECRET"),
    ("session cookie", "JSESSIONID=SECRET"),
    ("header that goes on", "X-Api-Key:\r\n SECRET"),
    ("part of a form", "Content-Disposition: form-data; name=\"password\"\r\n\r\nSECRET\r\n--b--"),
    ("table", "user,password,host\nann,SECRET,h.example"),
    ("option of a command", "sipp -au ann -ap SECRET h.example"),
    ("code to sign in", "Use code DIGITS to sign in"),
    ("keys after a number", "+4930123456,,8123456#,,DIGITS#"),
    ("keys that are sent", "sendDTMF DIGITS#"),
    ("password of a URL, encoded", "https://ann:p%40SECRET%21@h.example/x"),
    ("value of a query", "wss://h.example/ws?p=SECRETSECRET"),
    ("password in French", "mot de passe : SECRET"),
    ("network", "WIFI:T:WPA;S:acme;P:SECRET;;"),
    ("percent-encoded", "next=https%3A%2F%2Fh.example%2F%3Ftoken%3DSECRET"),
    ("HTML", "&lt;a password=&quot;SECRET&quot;&gt;"),
    (
      "letters of full width",
      "\u{FF50}\u{FF41}\u{FF53}\u{FF53}\u{FF57}\u{FF4F}\u{FF52}\u{FF44}\u{FF1D}SECRET"
    ),
  ]
}
