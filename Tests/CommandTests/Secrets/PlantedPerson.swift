import Foundation

/// People, numbers and addresses as logs write them, each another one.
enum PlantedPerson {
  /// What of them must not be found with `--pseudonymize`.
  static let needles = [
    "Quimby", "quimby", "acme.example", "15551230", "203.0.113.2", "2001:db8:7:9:",
    "2001:db8:7::9:",
  ]

  /// A text of each kind, for one place.
  static func texts(in place: Int) -> [String] {
    kinds.enumerated().map { index, kind in
      let number = String(format: "%02d%02d", place % 100, index)
      return kind.replacingOccurrences(of: "NN", with: number)
        .replacingOccurrences(of: "HH", with: "2\(10 + index)").replacingOccurrences(of: "XX", with: number)
    }
  }

  private static let kinds = [
    #"{"displayName":"Zoë Quimby NN","role":"guest"}"#,
    #"{"participant":{"display_name":"Zoe Quimby NN","uri":"sip:quimby.NN@acme.example"},"x":1}"#,
    #"{"from":"sip:quimby.NN@acme.example","to":"+1 (555) 1230-NN"}"#,
    #"{"callerName":"Quimby, Zoe NN","callerAddress":"+15551230NN"}"#,
    #"{"userId":"quimby-NN","msisdn":15551230NN}"#,
    #"{"body":"{\"displayName\":\"Zoe Quimby NN\",\"x\":1}"}"#,
    "calling sip:quimby.NN@acme.example;transport=tls now",
    "calling tel:+15551230NN now",
    "calling +15551230NN, then +1-555-1230-NN",
    "mail of quimby.NN@acme.example: none",
    "mailto:quimby.NN@acme.example?subject=x",
    "From: \"Zoe Quimby NN\" <sip:quimby.NN@acme.example>;tag=1",
    "displayName=Zoe Quimby NN, role=guest",
    "remoteDisplayName: Zoe Quimby NN; state: RINGING",
    "v=0\r\no=quimbyNN 894 2 IN IP4 203.0.HH.77\r\ns=-\r\nc=IN IP4 203.0.HH.77\r\n",
    "candidate:1 1 udp 2122 203.0.HH.77 50000 typ host raddr 203.0.HH.77 rport 9",
    "candidate:2 1 udp 2122 2001:db8:7:9::XX 50000 typ host",
    "connected to 203.0.HH.77:443 and [2001:db8:7:9::XX]:443",
    "https://203.0.HH.77/x?user=quimby-NN&uri=sip%3Aquimby.NN%40acme.example",
    #"{"address":"203.0.HH.77","ip":"2001:db8:7:9::XX","relatedAddress":"203.0.HH.77"}"#,
  ]
}
