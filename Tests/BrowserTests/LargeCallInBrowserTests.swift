import Assessing
import CallStore
import Foundation
import Importing
import Testing

/// Calls with much in them, from files as users have them to a page in a browser.
@Suite(
  "The page of a call with much in it", .serialized,
  .enabled(if: Chromium.path != nil, "no Chromium was found on PATH (apt-get install chromium)"))
struct LargeCallInBrowserTests {
  let pages: Pages
  let browser: Chromium

  init() throws {
    pages = try Pages()
    browser = try Chromium()
  }

  private func imported(_ data: Data, as name: String) throws -> Store {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-large-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    let store = try Store(path: "memory", access: .memory)
    _ = try Importer(store: store, request: ImportRequest(paths: [file.path])).run()
    try Assessor(store: store).assessStale()
    return store
  }

  /// What every page must be: small, quiet, within its bounds. How soon it is ready is printed, not judged: machines differ.
  private func look(at store: Store, _ name: String, atMost bytes: Int) throws {
    let page = try pages.page(store, name)
    #expect(try pages.size(page) < bytes)
    try browser.resize(1440, 900)
    // Once to warm the browser up.
    try browser.open(page)
    try browser.open(page)
    let ready = try browser.number("performance.getEntriesByName('ready')[0].startTime")
    print("\(name): \(try pages.size(page)) bytes, ready after \(Int(ready)) ms")
    #expect(try browser.number("document.documentElement.scrollWidth") <= 1440)
    try browser.photograph(name)
    #expect(browser.complaints == [])
    #expect(browser.requests(besides: page) == [])
  }

  @Test("a conference of 30 streams is small, and names every stream")
  func conference() throws {
    let store = try imported(LargeCall.conference(streams: 30, seconds: 1200), as: "conference.jsonl")
    let inbound = try store.query("SELECT count(*) FROM streams WHERE direction = 'inbound'").rows
    #expect(inbound == [[.integer(30)]])
    try look(at: store, "conference", atMost: 2_000_000)
    let text = try browser.text("document.body.textContent")
    for stream in 0..<30 { #expect(text.contains("\(LargeCall.ssrc(stream))"), "stream \(stream)") }
  }

  @Test("a ladder of 201 SIP messages is small, and has every message")
  func ladder() throws {
    let store = try imported(LargeCall.signalling(questions: 97), as: "signalling.pcap")
    try look(at: store, "signalling", atMost: 1_000_000)
    // Each row leads to its moment; those of requests name the method.
    #expect(try browser.number("document.querySelectorAll('#ladder svg.ladder a').length") == 201)
    let requests = try browser.number(
      "[...document.querySelectorAll('#ladder svg.ladder a title')].filter((row) => / INFO$/.test(row.textContent)).length"
    )
    #expect(requests == 97)
  }
}
