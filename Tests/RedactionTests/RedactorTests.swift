import Testing

@testable import Redaction

@Suite("Secrets never get out")
struct RedactorTests {
  private let redactor = Redactor()

  @Test(
    "in URLs, headers, JSON, SDP and plain words",
    arguments: [
      ("GET /events?token=SE9T_one-a1B2 HTTP/1.1", "GET /events?token=[redacted] HTTP/1.1"),
      ("https://h/x?a=1&pin=2468&b=2", "https://h/x?a=1&pin=[redacted]&b=2"),
      ("https%3A%2F%2Fh%3Fpin%3D2468%26b%3D2", "https%3A%2F%2Fh%3Fpin%3D[redacted]%26b%3D2"),
      ("> token: SE9TVEx0b2tlbg==", "> token: [redacted]"),
      ("Authorization: Basic dXNlcjpwYXNz", "Authorization: [redacted]"),
      ("Cookie: JSESSIONID=abc; other=1\r\nNext: 1", "Cookie: [redacted]\r\nNext: 1"),
      (#"{"pin": "2468", "role": "HOST"}"#, #"{"pin": "[redacted]", "role": "HOST"}"#),
      (#"{"pin": 2468, "a": 1}"#, #"{"pin": "[redacted]", "a": 1}"#),
      (
        #"{"result":{"token":"a\"b","expires":"120"}}"#, #"{"result":{"token":"[redacted]","expires":"120"}}"#
      ),
      (#"{"body":"{\"token\":\"abc\",\"x\":1}"}"#, #"{"body":"{\"token\":\"[redacted]\",\"x\":1}"}"#),
      ("a=ice-ufrag:ns1/\r\na=ice-pwd:bni3Wy6\r\n", "a=ice-ufrag:ns1/\r\na=ice-pwd:[redacted]\r\n"),
      (#""a=ice-ufrag:x\r\na=ice-pwd:bni3Wy6\r\n""#, #""a=ice-ufrag:x\r\na=ice-pwd:[redacted]\r\n""#),
      (
        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj|2^20|1:32",
        "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:[redacted]"
      ),
      (
        #"{"urls":"turn:t.example:3478","username":"u","credential":"p"}"#,
        #"{"urls":"turn:t.example:3478","username":"u","credential":"[redacted]"}"#
      ),
      ("turn:user:pass@t.example:3478", "turn:[redacted]@t.example:3478"),
      ("wss://me:pw@h.example/ws", "wss://[redacted]@h.example/ws"),
      ("{ authToken = \"abc def\"; name = x; }", "{ authToken = \"[redacted]\"; name = x; }"),
      ("Registered with token f00ba4-1234567890abcdef now", "Registered with token [redacted] now"),
      ("Enter PIN 2468 please", "Enter PIN [redacted] please"),
      ("Bearer abcdefg7", "Bearer [redacted]"), ("Bearer abcdEFGH", "Bearer [redacted]"),
      ("Bearer abcdefghijklmnopqrstuvwx", "Bearer [redacted]"),
      ("Bearer capability not authorized", "Bearer capability not authorized"),
      ("BEARER CAPABILITY NOT AVAILABLE", "BEARER CAPABILITY NOT AVAILABLE"),
      ("jwt eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM end", "jwt [redacted] end"),
      (#"x\u0026pin=2468\u0026y"#, #"x\u0026pin=[redacted]\u0026y"#),
      ("password=hunter2", "password=[redacted]"),
      ("userTicket: abc123", "userTicket: [redacted]"),
      (#"{"loginTicket":"abc","ticketId":7}"#, #"{"loginTicket":"[redacted]","ticketId":7}"#),
      // Every quote that logs write, and values that are no plain word.
      (#"{"body":"{\"pin\":2468,\"x\":1}"}"#, #"{"body":"{\"pin\":\"[redacted]\",\"x\":1}"}"#),
      (#"{"token":["a]","b"],"x":1}"#, #"{"token":"[redacted]","x":1}"#),
      (#"{"credential":{"macKey":"s","a":[1]},"x":1}"#, #"{"credential":"[redacted]","x":1}"#),
      (#"{"b":"{\"cookie\":[\"s]\"],\"x\":1}"}"#, #"{"b":"{\"cookie\":\"[redacted]\",\"x\":1}"}"#),
      (#"authToken: Optional("s3cret"), next"#, "authToken: [redacted], next"),
      (
        #"[AnyHashable("token"): "s3cret", AnyHashable("n"): 1]"#,
        #"[AnyHashable("token"): "[redacted]", AnyHashable("n"): 1]"#
      ),
      (#"has("token"), "abc""#, #"has("token"), "abc""#),
      ("deviceToken = <1a2b3c4d 5e6f7081>;", "deviceToken = [redacted];"),
      ("token=[abc, def] x", "token=[redacted] x"),
      ("token -> abc", "token -> [redacted]"),
      ("the token is 'a1b2c3' now", "the token is '[redacted]' now"),
      ("u=%7B%22token%22%3A%22abc%22%7D", "u=%7B%22token%22%3A%22[redacted]%22%7D"),
      ("&quot;pin&quot;:&quot;2468&quot; x", "&quot;pin&quot;:&quot;[redacted]&quot; x"),
      (#"\u0022token\u0022:\u0022abc\u0022"#, #"\u0022token\u0022:\u0022[redacted]\u0022"#),
      // Headers: to the end of the line, or of the string they stand in; as pairs.
      (
        #"> Authorization: Digest username="bob", response="6629fae4""#, "> Authorization: [redacted]"
      ),
      (#"curl -H "Cookie: a=b==" -H "X: y""#, #"curl -H "Cookie: [redacted]" -H "X: y""#),
      (#"{"h":"Authorization: Digest a=\"b\", c=\"d\"","x":1}"#, #"{"h":"Authorization: [redacted]","x":1}"#),
      (
        #"[{"name":"Cookie","value":"sid=s"},{"name":"Host","value":"h"}]"#,
        #"[{"name":"Cookie","value":"[redacted]"},{"name":"Host","value":"h"}]"#
      ),
      (#"["Authorization","Basic x","Host","h"]"#, #"["Authorization","[redacted]","Host","h"]"#),
      ("sent Basic dXNlcjpwYXNz to it", "sent Basic [redacted] to it"),
      ("auth=Bearer%20abcdefg7&x=1", "auth=Bearer%20[redacted]&x=1"),
      // User and password of addresses.
      (#"wss:\/\/me:pw@h.example\/ws"#, #"wss:\/\/[redacted]@h.example\/ws"#),
      ("https%3A%2F%2Fme:pw%40h.example", "https%3A%2F%2F[redacted]%40h.example"),
      ("<sip:alice:s3cret@h.example>", "<sip:alice:[redacted]@h.example>"),
      // Pairs, lists and elements.
      (
        #"[["token","Zm9vYmFy739300abcd"],["content-type","application/json"]]"#,
        #"[["token","[redacted]"],["content-type","application/json"]]"#
      ),
      (#"x ["token", "Zm9vYmFy739300abcd"], y"#, #"x ["token", "[redacted]"], y"#),
      ("[token, Zm9vYmFy739301abcd]", "[token, [redacted]]"), ("[pin, 2468]", "[pin, [redacted]]"),
      ("[Set-Cookie, sid=abc; Path=/] x", "[Set-Cookie, [redacted]] x"),
      ("[token] => Zm9v", "[token] => [redacted]"), (#"h["token"] = "Zm9v""#, #"h["token"] = "[redacted]""#),
      (#"{"name":"X-Pin","value":"739309"}"#, #"{"name":"X-Pin","value":"[redacted]"}"#),
      (#"{name = "X-Pin"; value = "739186";}"#, #"{name = "X-Pin"; value = "[redacted]";}"#),
      ("X-Pin: 7393", "X-Pin: [redacted]"),
      ("<a><token>Zm9v</token><b>x</b></a>", "<a><token>[redacted]</token><b>x</b></a>"),
      (#"<w:Password Type="t">pw</w:Password>"#, #"<w:Password Type="t">[redacted]</w:Password>"#),
      ("<token><![CDATA[Zm9v]]></token>", "<token><![CDATA[[redacted]]]></token>"),
      ("samlResponse=PHNhbWxwOlJlc3BvbnNl739172", "samlResponse=[redacted]"),
      // Sentences and commands.
      ("token received: Zm9vYmFy739324abcdef==", "token received: [redacted]"),
      ("Token refreshed to Zm9vYmFy739325abcdef== now", "Token refreshed to [redacted] now"),
      ("PIN entered: 739328", "PIN entered: [redacted]"),
      ("Your PIN code is 739166.", "Your PIN code is [redacted]."),
      (#"passcode "739164" accepted"#, #"passcode "[redacted]" accepted"#),
      (#"password changed to "hunter2""#, #"password changed to "[redacted]""#),
      ("curl -u alice:pw739334 https://h", "curl -u alice:[redacted] https://h"),
      (#"curl --user "alice:pw" -X POST"#, #"curl --user "alice:[redacted]" -X POST"#),
      // Keys.
      ("k=base64:c2VjcmV0\r\na=x", "k=base64:[redacted]\r\na=x"),
      (#"v=0\r\nk=base64:c2VjcmV0\r\na=x"#, #"v=0\r\nk=base64:[redacted]\r\na=x"#),
      ("a=key-mgmt:mikey AQAFgM0XflABAAAAAAAAAAAAAAsAyO", "a=key-mgmt:mikey [redacted]"),
      (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN[redacted]-----END RSA PRIVATE KEY-----"
      ),
      // A secret that is missing at the end of a string takes nothing of what follows.
      (
        #"{"u":"h?token=","pin":"2468","n":1}"#, #"{"u":"h?token=","pin":"[redacted]","n":1}"#
      ),
      (
        #"GET {"u":"h?pin=","b":1,"c":"d"} pin=2468"#, #"GET {"u":"h?pin=","b":1,"c":"d"} pin=[redacted]"#
      ),
      (
        #"{"data":"{\"u\":\"h?token=\",\"id\":\"x\",\"pin\":1234}"}"#,
        #"{"data":"{\"u\":\"h?token=\",\"id\":\"x\",\"pin\":\"[redacted]\"}"}"#
      ),
      ("{u: 'h?token=', pin: '2468', x: 1}", "{u: 'h?token=', pin: '[redacted]', x: 1}"),
      (#"{"a":"pin: %22x\"","b":1}"#, #"{"a":"pin: %22[redacted]\"","b":1}"#),
      // Digests, by the form of their responses; a short password.
      (
        #"{"realm":"x","cnonce":"0a4f","response":"6629fae49393a05397450978507c4ef1"}"#,
        #"{"realm":"x","cnonce":"[redacted]","response":"[redacted]"}"#
      ),
      (
        #"Digest response="6629fae49393a05397450978507c4ef1", qop=auth"#,
        #"Digest response="[redacted]", qop=auth"#
      ),
      (
        #"{"user":"bob","pass":"hunter2","ha1":"93"}"#,
        #"{"user":"bob","pass":"[redacted]","ha1":"[redacted]"}"#
      ),
      // Ambiguous names, with values that look like a token.
      (
        "wss://s.example/ws?ticket=9f86d081884c7d659a2f&room=7",
        "wss://s.example/ws?ticket=[redacted]&room=7"
      ),
      (
        #"{"X-Auth":"9f86d081884c7d659a2f","auth":{"scheme":"digest","pin":"2468"}}"#,
        #"{"X-Auth":"[redacted]","auth":{"scheme":"digest","pin":"[redacted]"}}"#
      ),
      (#"{"X-Auth":"abc","auth":"basic"}"#, #"{"X-Auth":"[redacted]","auth":"basic"}"#),
      (#"{"bearer":"9f86d081884c7d659a2f"}"#, #"{"bearer":"[redacted]"}"#),
      (
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGFsaWNlAEh1bnRlcjI=</auth>",
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>[redacted]</auth>"
      ),
      (
        #"{"srtpParameters":{"cryptoSuite":"AEAD_AES_256_GCM","keyBase64":"ZnQ3eTJ1WmpQMFds"}}"#,
        #"{"srtpParameters":{"cryptoSuite":"AEAD_AES_256_GCM","keyBase64":"[redacted]"}}"#
      ),
      (#"{"verificationCode":"482913"}"#, #"{"verificationCode":"[redacted]"}"#),
    ])
  func redacts(text: String, expected: String) {
    #expect(redactor.text(text) == expected)
    #expect(redactor.text(expected) == expected, "what is redacted stays as it is")
  }

  @Test(
    "nothing else is touched",
    arguments: [
      #"{"reason": "Token expired"}"#, #"{"pinning_config": "", "pin": null, "has_token": true}"#,
      #"{"event":"request_token","args":{"expires":"120"}}"#, "pin the participant to the stage",
      "a=ice-ufrag:ns1/", "sip:alice@example.com", #"{"key":"RTCPeer","value":"x"}"#, "Zoë \"Zed\" 👍", "",
      #"{"token":""}"#, "Content-Disposition: inline", "token", #"["request_token","release_token"]"#,
      "sip:alice@example.com:5060", "sig: short", "Basic information", "k=v", "a=b:c@d", #"{"token":[]}"#,
      #"{"url":"https://vc/#/?conference=m&pin=","bandwidth":1280,"codec":"vp8"}"#,
      #"{"m":"header token:","r":"x"}"#,
      #"{"url":"https:\/\/h?token=","s":[1]}"#, #"{"response":{"status":200,"a":"response"}}"#,
      #"[["request_token","ok"],["token","expired"]]"#, "[token, expired]", "[token, pin]",
      "[Token]: refreshing",
      "token received: 2026-11-20T10:00:00.000Z", "token refreshed to https://h1.example.com/api/v2/x",
      "token expires: 1795168800", "token is valid until 2026-11-20", "PIN code is wrong", "PIN entered",
      "PIN set to 4 digits", "<token>", "<token/><x>1</x>", "<token></token>", "docker run -u 1000:1000 x",
      "ssh -u alice:pw", "curl -u https://h:80/", "passcode required", "token refresh failed: HTTP 403",
      #"["token","participant_token_refreshed"]"#, "x-spin: 2468",
      #"{"ticket":"INC-4711","auth":"none","hmac":"sha1"}"#, "auth: https://login.example.com/realms/7/x",
      "auth 2026-11-20T10:00:00.000", #"{"auth":"multifactor-required"}"#, "auth=Basic realm=7",
      #"{"response":"all is well, and this is long enough"}"#, "response 2026-11-20T10:00:00", #"{"pass":3}"#,
    ])
  func keeps(text: String) {
    #expect(redactor.text(text) == text)
  }

  @Test("names are recognised in every spelling; a dialect may add its own")
  func names() {
    for name in ["token", "authToken", "X-Session-Token", "ice_pwd", "PIN", "host_pin", "clientSecret"] {
      #expect(redactor.isSecret(name: name), "\(name)")
    }
    for name in ["tokens", "spin", "uuid", "key", "ufrag"] {
      #expect(!redactor.isSecret(name: name), "\(name)")
    }
    #expect(Redactor(secretNames: ["sessionID"]).text("sessionID=abc") == "sessionID=[redacted]")
  }

  @Test("a name is recognised with any separators in its ending")
  func namesByTheirEnd() {
    let names = [
      "password", "passwd", "authToken", "apiKey", "masterSalt", "keyBase64", "cvv2", "ha1", "jsessionid",
      "senha",
      "pincode", "samlAssertion", "accessCode", "iban",
    ]
    for name in names {
      let letters = name.map(String.init)
      for mark in ["-", "_"] {
        for spelled in [
          letters.joined(separator: mark), letters.dropLast().joined() + mark + letters.last!,
          letters.dropLast(2).joined() + mark + letters.suffix(2).joined().uppercased(),
        ] {
          #expect(redactor.isSecret(name: spelled), "\(spelled)")
        }
      }
    }
    #expect(Redactor(secretNames: ["room.id"]).isSecret(name: "room.id"))
    #expect(Redactor(secretNames: ["zq"]).isSecret(name: "password"))
  }

  private static let secret = "sEcReT9Zq7x"

  @Test(
    "in every spelling of a name, what stands between, and a value",
    arguments: [
      "password := SECRET", "--password SECRET", "--password=SECRET", "password\tSECRET", "Password[SECRET]",
      "password%3DSECRET", "password%253DSECRET", "password%3A%20SECRET", "password: \"SECRET\"",
      #"p\u0061ssword: SECRET"#, #"password\u003a SECRET"#, #"password:\u0020SECRET"#, #"password\tSECRET"#,
      "u=%7B%22password%22%3A%20%22SECRET%22%7D", "u=%257B%2522password%2522%253A%2522SECRET%2522%257D",
      #"setPassword("SECRET")"#, "setPassword('SECRET')", "userPasswordHash=SECRET", "my-secret-thing=SECRET",
      "Passwort: SECRET", "kennwort=SECRET", "contraseña: SECRET", "пароль: SECRET", "Пароль=SECRET",
      "mot_de_passe=SECRET", "hasło: SECRET", "密码：SECRET".replacing("：", with: ":"), "sas=SECRETSECRET",
      "key=SECRETSECRET", "X-Shared-Key: SECRET",
    ])
  func spelled(text: String) {
    let given = text.replacing("SECRET", with: Self.secret)
    for whole in [
      given,
      "{\"args\":\"\(given.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\t", with: "\\t"))\"}",
    ] {
      let clean = redactor.text(whole)
      #expect(!clean.contains(Self.secret), "\(whole) became \(clean)")
      #expect(clean.contains(Redactor.mark))
      #expect(redactor.text(clean) == clean, "what is replaced stays as it is")
    }
  }

  @Test("the keys that were pressed on a telephone, in every spelling")
  func digits() {
    for text in [
      "dtmf: 4821", "tones: 4821#", "sendDTMF(4821)", #"sendDTMF("48*1")"#, #"{"dtmf":"4821"}"#,
      "insertDTMF=4821",
    ] {
      let clean = redactor.text(text)
      #expect(!clean.contains("48") && clean.contains(Redactor.mark), "\(text) became \(clean)")
    }
    for text in [
      "dtmf: rfc4733", "tones: none", "sendDTMF(call)", "dtmf: true", "DTMF sent", "telephone-event/8000",
    ] {
      #expect(redactor.text(text) == text)
    }
  }

  @Test("keys of providers by their shape, and credentials in base64")
  func shapes() {
    let letters = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    for text in [
      "AIzaSy\(letters)", "ghp_\(letters)", "xoxb-12345678-\(letters)", "sk_live_\(letters)",
      "AKIA1234567890ABCDEF",
      "glpat-\(letters)", "github_pat_\(letters)", "https://hooks.slack.com/services/T000/B000/\(letters)",
      "https://discord.com/api/webhooks/1234567/\(letters)", "sent Ym9iOnNFY1JlVDlacTd4 today",
    ] {
      let clean = redactor.text("told \(text)")
      #expect(
        clean.contains(Redactor.mark) && !clean.contains("M3n4") && !clean.contains("567890AB"), "\(clean)")
    }
    for text in [
      "onIceConnectionStateChange", "RTCInboundRTPAudioStream_1234567890",
      "c-0123456789abcdef0123456789abcdef",
      "a=ssrc:1234567890 cname:AbCdEfGh12345678", "services/calls/12345678", "key=opus", "login: alice",
      "sk-1",
      "peer_connection.cc:5812", "AKIA", "keyFrames=12345678901234567", "sessionKeyId",
    ] {
      #expect(redactor.text(text) == text)
    }
  }
}
