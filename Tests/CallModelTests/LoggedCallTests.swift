import CallModel
import Testing

@Suite("Names of logged calls")
struct LoggedCallTests {
  @Test(
    "are read as they were made",
    arguments: [
      LoggedCall(of: nil, number: 1), LoggedCall(of: nil, number: 2),
      LoggedCall(of: nil, number: 1, connection: 3),
      LoggedCall(of: "caller", number: 1), LoggedCall(of: "caller", number: 12),
      LoggedCall(of: "caller", number: 2, connection: 3), LoggedCall(of: "a, b", number: 2),
      LoggedCall(of: "192.0.2.1:50002", number: 2), LoggedCall(of: "", number: 2),
      LoggedCall(of: "Zoë 7", number: 3),
    ])
  func roundTrip(call: LoggedCall) {
    #expect(LoggedCall(name: call.name) == call)
  }

  @Test(
    "of which a part only looks like a number are names",
    arguments: [
      "call 1", "call 0", "call", "recall 2", "caller, recall 2", "call 2, b", "caller,call 2", "call x2",
      "caller, call 99999999999999999999", "192.0.2.1:50002", "",
    ])
  func names(name: String) {
    #expect(LoggedCall(name: name) == LoggedCall(of: name, number: 1))
  }

  @Test("the connection comes before the call")
  func order() {
    #expect(
      LoggedCall(name: "caller, connection 2, call 3") == LoggedCall(of: "caller, connection 2", number: 3))
    #expect(LoggedCall(name: "call 2, connection 3") == LoggedCall(of: nil, number: 2, connection: 3))
  }
}
