import CallModel
import Testing

@testable import CallStore

@Suite("Connections that replaced each other are one end, unless a log has two calls")
struct ReplacedConnectionTests {
  /// The statistics of an end that recreated its connection twice.
  private let statistics = ["caller", "caller, connection 2", "caller, connection 3"].enumerated().map {
    Self.view(Int64($0.offset), $0.element, source: 1, ["F\($0.offset)"], firstMs: Double($0.offset) * 20_000)
  }

  /// A log with the certificates of its calls.
  private func log(_ calls: [String]) -> [ConnectionView] {
    calls.enumerated().map { place, certificates in
      Self.view(
        Int64(10 + place), LoggedCall(of: "caller", number: place + 1).name, source: 2,
        Set(certificates.split(separator: " ").map(String.init)))
    }
  }

  private static func view(
    _ key: Int64, _ name: String?, source: Int64, _ certificates: Set<String>, firstMs: Double? = nil
  ) -> ConnectionView {
    ConnectionView(
      key: key, source: source, sha256: "s\(source)", path: "/n/\(source).jsonl", name: name,
      endpoint: "caller", firstMs: firstMs, lastMs: firstMs.map { $0 + 15_000 },
      identities: [.fingerprintLocal: certificates])
  }

  private func calls(_ logged: String...) -> [[Int64]] {
    groupCalls(statistics + log(logged)).map { call in
      #expect(call.endpoints.count == 1)
      return call.views.sorted()
    }.sorted { $0[0] < $1[0] }
  }

  @Test("alone, and beside a log of one call, they are one call")
  func one() {
    #expect(calls() == [[0, 1, 2]])
    #expect(calls("F0 F1 F2") == [[0, 1, 2, 10]])
    #expect(calls("F1") == [[0, 1, 2, 10]])
  }

  @Test("beside a log of two calls each is in its own, or in the previous one if the log does not say")
  func two() {
    #expect(calls("F0", "F1 F2") == [[0, 10], [1, 2, 11]])
    #expect(calls("F0 F1", "F2") == [[0, 1, 10], [2, 11]])
    #expect(calls("F0", "F2") == [[0, 1, 10], [2, 11]])
    let views = statistics + log(["F0", "F2"])
    #expect(groupCalls(views.reversed()) == groupCalls(views))
  }

  @Test("manual corrections take precedence")
  func corrected() {
    var corrections = Corrections()
    corrections.split(statistics[0].part, statistics[1].part)
    #expect(groupCalls(statistics, corrections: corrections).map { $0.views.sorted() } == [[0], [1, 2]])
  }

  @Test("a connection's name contains its end, call and index", arguments: [nil, "caller", "a, b"])
  func names(end: String?) {
    for number in 1...2 {
      for connection in 1...3 {
        let call = LoggedCall(of: end, number: number, connection: connection)
        #expect(LoggedCall(name: call.name) == call)
      }
    }
  }
}
