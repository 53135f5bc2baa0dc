import Testing

@testable import CallStore

@Suite("A person in any spelling")
struct PersonTests {
  private func without(_ person: String, _ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { Person(person).removed(from: $0, leaving: "#") }
  }

  @Test(
    "is found in every spelling, and nothing else goes with it",
    arguments: [
      ("zoe.angstrom@example.org", "sip:Zoe.Angstrom@example.org", "sip:#"),
      ("zoe.angstrom@example.org", "<sips:zoe.angstrom@EXAMPLE.org;transport=tls>", "<sips:#;transport=tls>"),
      ("SIP:Zoe.Angstrom@example.org;user=phone", "zoe.angstrom@example.org", "#"),
      ("zoe.angstrom@example.org", "wss://x/ws?user=zoe.angstrom%40example.org&a=1", "wss://x/ws?user=#&a=1"),
      ("zoe.angstrom@example.org", "u%3Dzoe.angstrom%40example%2Eorg", "u%3D#"),
      ("zoe%40example.org", "from zoe@example.org.", "from #."),
      ("zoe@example.org", #"{"a":"x\nzoe\u0040example.org\n"}"#, #"{"a":"x\n#\n"}"#),
      ("Zoë", #"{"name":"Zo\u00eb","again":"zoë"}"#, ##"{"name":"#","again":"#"}"##),
      ("zoe", "sip:zoe@example.org zoe, zoe: zoe/1", "sip:#@example.org #, #: #/1"),
      ("+491701234567", "tel:+49-170-1234567", "tel:#"),
      ("+491701234567", "+49 (170) 123.4567 rang", "# rang"),
      ("tel:+49-170-1234567", "sip:491701234567@example.org", "sip:#@example.org"),
      ("+491701234567", "sip:%2B491701234567@example.org", "sip:#@example.org"),
      ("+491701234567", "to +491701234567 2 times", "to # 2 times"),
      ("+49 170 1234567", #"{"ts":1793700000000,"to":"491701234567"}"#, ##"{"ts":1793700000000,"to":"#"}"##),
      ("4711", "user 4711, 14711", "user #, 14711"),
      ("Zoe Quimby", "name=Zoe+Quimby&a=1", "name=#&a=1"),
      ("Zoe Quimby", #"{"0":"Hello","1":"Zoe","2":"Quimby","3":5}"#, ##"{"0":"Hello","1":"#","3":5}"##),
      ("+49 170 5551234", #"{"from":"+49","1":170,"2":5551234}"#, ##"{"from":"#"}"##),
      ("0170 5551234", #"{"a":"x","0":"0170","1":5551234,"2":"x"}"#, ##"{"a":"x","0":"#","2":"x"}"##),
      ("491701234567", #"{"msisdn":491701234567,"n":[491701234567]}"#, ##"{"msisdn":"#","n":["#"]}"##),
    ])
  func found(_ person: String, _ text: String, _ left: String) {
    #expect(without(person, text) == left)
  }

  @Test(
    "is not found in what is somebody or something else's",
    arguments: [
      ("zoe@example.org", "xzoe@example.org"), ("zoe@example.org", "not.zoe@example.org"),
      ("zoe@example.org", "zoe@example.org.uk"), ("zoe@example.org", "zoe@example.organic"),
      ("zoe", "zoey"), ("zoe", "zoe-2"), ("zoe", "zoe_b"), ("zoe", "zoé"), ("zoe", "zoë zoeë"),
      ("+491701234567", "+4917012345678"), ("+491701234567", "1491701234567"),
      ("+491701234567", "+1-491701234567"), ("+491701234567", "+491701234567-8"),
      ("+491701234567", "+49 170 1234567 8"), ("+491701234567", "1793700049170"),
      ("491701234567", "x491701234567"), ("zoe", ""), ("zoe@example.org", "%"), ("zoe", #"\"#),
      ("Zoe Quimby", #"{"0":"Zoe","name":"Quimby"}"#), ("zoe", "zoe+work@example.org"),
      ("Zoe Quimby", #"{"0":"Zoe","1":"Quimby-Jones"}"#),
    ])
  func others(_ person: String, _ text: String) {
    #expect(without(person, text) == nil)
  }
}
