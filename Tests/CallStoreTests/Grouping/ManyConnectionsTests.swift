import CallModel
import Testing

@testable import CallStore

@Suite("A source of very many connections")
struct ManyConnectionsTests {
  @Test("each has a call, even beyond the limit of views per call")
  func many() throws {
    let store = try Store.inMemory()
    let count = Neighbourhood.largest + 50
    try store.write(.named("a")) { writer in
      for number in 0..<count {
        try writer.connection(number, end("pc-\(number)", Identity(.ssrcIn, "\(1_000_000 + number)")))
      }
      return .imported
    }
    #expect(try store.count("source_views") == Int64(count))
    #expect(try store.value("SELECT count(*) FROM source_views WHERE call_key IS NULL") == .integer(0))
    #expect(try store.count("calls") == Int64(count))
  }

  @Test("with one call id are one call, as are those of the next source")
  func shared() throws {
    let store = try Store.inMemory()
    for source in ["a", "b"] {
      try store.write(.named(source)) { writer in
        for number in 0..<200 {
          try writer.connection(number, end("\(source)-\(number)", Identity(.call, "the one")))
        }
        return .imported
      }
    }
    #expect(try store.count("calls") == 1)
  }
}
