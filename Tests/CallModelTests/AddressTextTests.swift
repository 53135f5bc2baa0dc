import CallModel
import Testing

@Suite("Address text")
struct AddressTextTests {
  @Test(
    "gives its host and its network",
    arguments: [
      ("192.0.2.7:5004", "192.0.2.7", "192.0.2.0/24"), ("192.0.2.7", "192.0.2.7", "192.0.2.0/24"),
      ("[2001:db8::1]:5004", "[2001:db8::1]", "[2001:db8::1]"), ("a.example:443", "a.example", "a.example"),
      ("1.2.3.example:1", "1.2.3.example", "1.2.3.example"), ("300.0.2.7:1", "300.0.2.7", "300.0.2.7"),
      ("", "", ""),
    ])
  func parts(address: String, host: String, network: String) {
    #expect(AddressText.host(address) == host)
    #expect(AddressText.network(address) == network)
  }
}
