import CallModel
import Testing

@Suite("Samples of a path share its facts")
struct TransportSampleTests {
  @Test("changing one does not change another")
  func values() {
    var one = TransportSample(timeMs: 0)
    one.local = "192.0.2.1:5000"
    var other = one
    #expect(other.isOnPath(of: one))
    other.local = nil
    other.iceState = "connected"
    #expect(one.local == "192.0.2.1:5000" && one.iceState == nil)
    #expect(other.local == nil && other.iceState == "connected")
    #expect(!other.isOnPath(of: one))
    #expect(TransportSample(timeMs: 1).local == nil)
  }

  @Test("paths with equal facts are equal, from any source; figures do not count")
  func same() {
    var (one, other) = (TransportSample(timeMs: 0), TransportSample(timeMs: 1))
    (one.pair, other.pair) = ("p", "p")
    one.rttMs = 7
    #expect(one.isOnPath(of: other))
    other.relayProtocol = "tls"
    #expect(!one.isOnPath(of: other))
    one.takePath(of: other)
    #expect(one.relayProtocol == "tls" && one.rttMs == 7 && one.timeMs == 0)
  }
}
