import CallModel
import CallStore
import Foundation
import Testing

@testable import CallViews

@Suite(
  "The page of a call in a real browser", .serialized,
  .enabled(if: Chromium.path != nil, "no Chromium was found on PATH (apt-get install chromium)"))
struct CallPageInBrowserTests {
  let pages: Pages
  let browser: Chromium

  init() throws {
    pages = try Pages()
    browser = try Chromium()
  }

  private let now = "Number(document.getElementById('lanes').getAttribute('aria-valuenow'))"

  @Test(
    "no complaint on the console, no request leaves the page",
    arguments: ["bad-call", "healthy-call", "failed-call", "slow-setup"])
  func quiet(_ name: String) throws {
    let page = try pages.page(try pages.sample(name), name)
    try browser.open(page)
    for key in ["ArrowRight", "n", "+", "]", "-", "0", "Home", "End", "Escape"] { try browser.press(key) }
    try browser.listen(seconds: 0.3)
    #expect(browser.complaints == [])
    #expect(browser.requests(besides: page) == [])
    try browser.photograph(name)
    try browser.photograph("\(name)-whole", whole: true)
  }

  @Test("a page that has no size for a moment is not drawn for one")
  func noSize() throws {
    try browser.open(try pages.page(try pages.sample("bad-call"), "bad-call"))
    let box = "document.querySelector('#lanes svg.picture').getAttribute('viewBox')"
    let before = try browser.text(box)
    _ = try browser.value("document.querySelector('main').style.display = 'none'")
    try browser.settle()
    #expect(try browser.text(box) == before)
  }

  @Test("the scores under the cursor are those of `score --json`")
  func values() throws {
    let store = try pages.sample("bad-call")
    let page = try pages.page(store, "bad-call")
    try browser.open(page)
    let zero = try #require(store.query("SELECT started_ms FROM calls").rows.first?.first?.number)
    let names = try store.query("SELECT endpoint FROM endpoints").rows.compactMap { $0.first?.string }
    var checked = 0
    var columns: [String] = []
    var rows: [[Cell]] = []
    try store.list(.score, columns: { columns = $0 }, row: { rows.append($0) })
    #expect(names.count == 2)
    for row in rows {
      func cell(_ name: String) -> Cell { columns.firstIndex(of: name).map { row[$0] } ?? .null }
      let name = try #require(cell("endpoint").string)
      let middle = ((cell("start_ms").number ?? 0) + (cell("end_ms").number ?? 0)) / 2
      _ = try browser.value("location.hash = 't=\((middle - zero) / 1000)'")
      try browser.settle()
      let shown = try browser.text(
        "[...document.querySelectorAll('.score-lane')].find((lane) => lane.querySelector('.lane-note').textContent === '\(name)').querySelector('.lane-values').textContent"
      )
      let score = try #require(cell("score").number)
      #expect(shown.hasPrefix("\(Int(score))"), "at \(middle) \(name): \(shown)")
      for cause in Cause.allCases {
        let lost = Int(cell("points_lost.\(cause.rawValue)").number ?? 0)
        #expect(lost == 0 || shown.contains("\(cause.rawValue) −\(lost)"), "\(shown)")
      }
      checked += 1
    }
    #expect(checked >= 10)
  }

  @Test("the next bad moment is also one whose sound alone was poor, and it says so")
  func poorSound() throws {
    var account = SampleCall.account("c", end: "caller")
    account.findings = []
    for (index, sound) in [90.0, 40].enumerated() {
      account.ends[0].windows[index].score = 70
      account.ends[0].windows[index].audioCQ = sound
    }
    let page = try pages.write(
      CallPage(account, lanes: [], zone: .utc, resources: PageResources()), "poor-sound")
    try browser.open(page)
    try browser.press("n")
    #expect(try browser.number(now) == 5)
    #expect(
      try browser.text("document.querySelector('.lane-values').textContent").contains("poor sound (40)"))
    #expect(browser.complaints == [])
  }

  @Test("cursor, zoom, pan and keys work, and the address remembers")
  func hands() throws {
    let page = try pages.page(try pages.sample("bad-call"), "bad-call")
    try browser.open(page)
    #expect(
      try browser.text("document.getElementById('lanes').getAttribute('aria-valuetext')")
        == "no moment chosen")
    try browser.press("ArrowRight")
    let first = try browser.number(now)
    try browser.press("ArrowRight")
    #expect(try browser.number(now) > first)
    try browser.press("n")
    #expect(
      try browser.text("document.getElementById('lanes').getAttribute('aria-valuetext')").contains("score"))
    // The mouse points, drags to a stretch, and a double click shows all again.
    _ = try browser.value(
      "document.getElementById('lanes').scrollIntoView({ block: 'start', behavior: 'instant' })")
    let left = try browser.number("document.getElementById('lanes').getBoundingClientRect().left")
    let top = try browser.number("document.getElementById('lanes').getBoundingClientRect().top") + 90
    let width = try browser.number("document.getElementById('lanes').clientWidth")
    try browser.mouse("mouseMoved", left + width / 2, top)
    let span = try browser.number("JSON.parse(document.getElementById('call-data').textContent).span_s")
    #expect(abs(try browser.number(now) - span / 2) < 0.1)
    try browser.mouse("mousePressed", left + width * 0.25, top, isDown: true)
    try browser.mouse("mouseMoved", left + width * 0.5, top, isDown: true)
    try browser.mouse("mouseReleased", left + width * 0.5, top)
    try browser.wait(for: "location.hash.includes('z=')")
    let hash = try browser.text("location.hash")
    let stretch = try #require(
      hash.range(of: "z=").map { hash[$0.upperBound...].split(separator: "-").compactMap { Double($0) } })
    #expect(abs(stretch[0] - span * 0.25) < 0.2 && abs(stretch[1] - span * 0.5) < 0.2, "\(hash)")
    try browser.photograph("zoomed")
    try browser.press("0")
    try browser.wait(for: "!location.hash.includes('z=')")
    #expect(try !browser.text("location.hash").contains("z="))
    try browser.press("n")
    #expect(try browser.number(now) > 0)
    // A link leads to the moment and the stretch.
    try browser.open(page, hash: "#t=7.5&z=5-12")
    #expect(try browser.number(now) == 7.5)
    try browser.press("Home")
    #expect(try browser.number(now) == 5)
    try browser.press("End")
    #expect(try browser.number(now) == 12)
    try browser.press("?")
    #expect(try browser.value("document.getElementById('help').open") as? Bool == true)
    #expect(browser.complaints == [])
  }

  @Test(
    "a link to a moment opens at the lanes, and the axis stays in sight under the bar",
    arguments: [1400, 390])
  func arrival(_ width: Int) throws {
    let page = try pages.page(try pages.sample("bad-call"), "bad-call")
    try browser.resize(width, 900)
    try browser.open(page)
    #expect(try browser.number("scrollY") == 0)
    try browser.open(page, hash: "#t=12.5")
    #expect(try browser.number(now) == 12.5)
    #expect(abs(try browser.number("document.getElementById('timeline').getBoundingClientRect().top")) < 2)
    _ = try browser.value("scrollBy({ top: 600, behavior: 'instant' })")
    try browser.settle()
    let axis = try browser.number("document.querySelector('.axis').getBoundingClientRect().top")
    let bar = try browser.number("document.querySelector('.timeline .bar').getBoundingClientRect().bottom")
    #expect(abs(axis - bar) < 1 && bar > 20 && bar < 200, "\(axis), \(bar)")
    #expect(
      try browser.value("document.elementFromPoint(innerWidth / 2, \(axis) + 15).closest('.axis') !== null")
        as? Bool == true)
    #expect(browser.complaints == [])
  }

  @Test(
    "verdict, findings and worst moments come first, and every entry of the contents leads to its section's top",
    arguments: [1400, 900, 390], ["light", "dark"])
  func firstThingsFirst(_ width: Int, _ scheme: String) throws {
    let page = try pages.page(try pages.sample("bad-call"), "bad-call")
    try browser.resize(width, 900)
    try browser.colours(scheme)
    try browser.open(page)
    let limits: [Int: Double] = [1400: 900, 900: 1200, 390: 1400]
    let most = limits[width, default: 0]
    for id in ["where", "findings"] {
      let top = try browser.number("document.getElementById('\(id)').getBoundingClientRect().top")
      #expect(top < most, "\(id)")
    }
    let lanes = try browser.number("document.getElementById('timeline').getBoundingClientRect().top")
    #expect(try browser.number("document.getElementById('worst').getBoundingClientRect().bottom") < lanes)
    let links = try browser.number("document.querySelectorAll('.contents a').length")
    #expect(links >= 8)
    for place in 0..<Int(links) {
      let id = try browser.text("document.querySelectorAll('.contents a')[\(place)].hash")
      try browser.open(page, hash: id)
      let top = try browser.number("document.querySelector('\(id)').getBoundingClientRect().top")
      // A section begins between two pixels.
      #expect((-1...100).contains(top), "\(id) at \(top)")
    }
    #expect(try browser.value(Accessibility.poorContrasts) as? [String] == [])
    #expect(browser.complaints == [])
  }

  @Test("an end or a cause that is clicked in the legend is shown alone, and the call is copied as Markdown")
  func legend() throws {
    try browser.open(try pages.page(try pages.sample("bad-call"), "bad-call"))
    func lines(_ end: Int) throws -> Double {
      try browser.number("document.querySelectorAll('#lanes .line.end\(end):not(.line-key *)').length")
    }
    let before = try lines(1)
    _ = try browser.value("document.querySelector('#legend [data-what=end]').click()")
    try browser.settle()
    #expect(try lines(1) < before)
    _ = try browser.value("document.querySelector('#legend [data-what=cause]').click()")
    try browser.settle()
    #expect(try browser.number("document.querySelectorAll('#lanes .cause.aside').length") > 0)
    #expect(try browser.number("document.querySelectorAll('#legend [aria-pressed=true]').length") == 2)
    _ = try browser.value(
      "document.querySelectorAll('#legend [aria-pressed=true]').forEach((one) => one.click())")
    try browser.settle()
    #expect(try lines(1) == before)
    #expect(
      try browser.text("JSON.parse(document.getElementById('call-data').textContent).markdown").contains(
        "## Worst moments"))
    #expect(browser.complaints == [])
  }

  @Test("nothing of a hostile call runs, and its CSV starts no formula")
  func hostile() throws {
    let attack = "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>\"'=1+1\u{202E}"
    var account = SampleCall.account("=HYPERLINK(\"http://example.invalid\")\(attack)", end: attack)
    account.events[0].record.args = "{\"<b>\":\"\(attack.replacingOccurrences(of: "\"", with: "\\\""))\"}"
    var lane = TimelineLane.all[0]
    var series = Series()
    for second in 0..<10 { series.append(Double(second) * 1000, 0.01) }
    lane.lines = [TimelineLane.Line(end: 0, label: "=\(attack)", dash: .solid, isStep: false, series: series)]
    let page = try pages.write(
      CallPage(account, lanes: [lane], zone: .utc, resources: PageResources()), "hostile")
    try browser.open(page)
    try browser.press("ArrowRight")
    _ = try browser.value(
      "window.blobs = []; URL.createObjectURL = (blob) => (window.blobs.push(blob), 'blob:none'); HTMLAnchorElement.prototype.click = () => {}; document.getElementById('csv').click()"
    )
    let csv = try browser.text("window.blobs[0].text()")
    #expect(csv.contains("score"))
    for line in csv.split(separator: "\r\n") {
      #expect(!line.hasPrefix("\"=") && !line.contains(",\"="), "\(line.prefix(80))")
    }
    #expect(try browser.value("window.owned === undefined") as? Bool == true)
    #expect(try browser.number("document.scripts.length") == 2)
    #expect(try browser.number("document.images.length") == 0)
    #expect(browser.complaints == [])
    #expect(browser.requests(besides: page) == [])
  }

  @Test("packets are shown a screen at a time, from loss to loss, at the cursor, and as CSV")
  func packets() throws {
    let account = SampleCall.account("c", end: "callee")
    var excerpts: [PacketExcerpt] = []
    for ssrc in [7, 8] as [UInt32] {
      let request = PacketRequest(
        path: "c.pcap", ssrc: ssrc, firstMs: account.zeroMs ?? 0, title: "=audio <b>\(ssrc)</b>",
        command: "callqa packets c.pcap --stream \(ssrc) --csv", times: [])
      var excerpt = PacketExcerpt(request, packets: 300, firstMs: 0)
      for number in 0..<300 {
        let isLost = ssrc == 7 && [120, 121, 250].contains(number)
        excerpt.take(
          isLost
            ? PacketRow(missing: UInt16(number))
            : PacketRow(
              frame: number + 1, timeMs: 20 * Double(number), sequence: UInt16(number), timestamp: 0,
              payloadType: 111, marker: false, bytes: 80, deltaMs: 20, jitterMs: nil, state: .ok))
      }
      excerpts.append(excerpt)
    }
    var page = try CallPage(account, lanes: [], zone: .utc, resources: PageResources())
    page.packets = excerpts
    let file = try pages.write(page, "packets")
    try browser.open(file)
    func sequences() throws -> [Int] {
      try browser.text(
        "[...document.querySelectorAll('#packet-rows tbody tr')].map((row) => row.cells[2].textContent).join()"
      ).split(separator: ",").compactMap { Int($0) }
    }
    func click(_ id: String) throws { _ = try browser.value("document.getElementById('\(id)').click()") }
    #expect(try sequences() == Array(0..<50))
    try click("packet-later")
    #expect(try sequences() == Array(50..<100))
    try click("packet-next")
    #expect(try sequences().contains(120))
    #expect(try browser.number("document.querySelectorAll('#packet-rows .odd').length") == 2)
    try click("packet-next")
    #expect(try sequences().contains(250))
    try click("packet-previous")
    #expect(try sequences().contains(121))
    _ = try browser.value("location.hash = 't=4'")
    try browser.settle()
    try click("packet-cursor")
    #expect(try sequences().contains(200))
    _ = try browser.value(
      "window.blobs = []; URL.createObjectURL = (blob) => (window.blobs.push(blob), 'blob:none'); HTMLAnchorElement.prototype.click = () => {}; document.getElementById('packet-csv').click()"
    )
    let lines = try browser.text("window.blobs[0].text()").split(separator: "\r\n")
    #expect(
      lines.count == 301 && lines[121].hasSuffix(",\"lost\"") && lines[1].contains("\"'=audio"), "\(lines[1])"
    )
    _ = try browser.value(
      "document.getElementById('packet-stream').value = '1'; document.getElementById('packet-stream').dispatchEvent(new Event('change'))"
    )
    #expect(try browser.number("document.querySelectorAll('#packet-rows .odd').length") == 0)
    #expect(
      try browser.text("document.querySelector('.packet-note:not([hidden])').textContent").contains(
        "--stream 8"))
    try browser.resize(390, 900)
    #expect(try browser.number("document.documentElement.scrollWidth") <= 390)
    #expect(try browser.value(Accessibility.nameless) as? [String] == [])
    try browser.photograph("packets", whole: true)
    #expect(browser.complaints == [])
    #expect(browser.requests(besides: file) == [])
  }

  /// How soon it is ready, and how quick it zooms, `make bench` measures: machines differ. What makes a page slow is how much is in it.
  @Test("a long call is small, and has few elements", arguments: [(1.0, 1_500_000), (8.0, 4_000_000)])
  func long(_ hours: Double, _ most: Int) throws {
    let page = try pages.write(LongCall.page(hours: hours, try PageResources()), "long")
    #expect(try pages.size(page) < most)
    try browser.open(page, hash: "#t=100")
    #expect(try browser.number("document.querySelectorAll('*').length") < 12_000)
    // A line of means amid its band, and no block of all that was measured.
    #expect(try browser.number("document.querySelectorAll('.lane .band').length") > 10)
    let blocks =
      "[...document.querySelectorAll('.lane .line.dense')].filter((line) => /V/.test(line.getAttribute('d')))"
    #expect(try browser.number("\(blocks).length") == 0)
    try browser.photograph("long-\(Int(hours))")
    #expect(browser.complaints == [])
  }

  @Test("nothing sticks out, wide or narrow, light or dark", arguments: [1440, 390], ["light", "dark"])
  func sizes(_ width: Int, _ scheme: String) throws {
    let page = try pages.page(try pages.sample("bad-call"), "bad-call")
    try browser.resize(width, 900)
    try browser.colours(scheme)
    try browser.open(page, hash: "#t=12")
    #expect(try browser.number("document.documentElement.scrollWidth") <= Double(width))
    #expect(try browser.value(Accessibility.poorContrasts) as? [String] == [])
    try browser.photograph("\(scheme)-\(width)", whole: true)
  }

  @Test(
    "axe-core finds no fault", .enabled(if: Accessibility.axe != nil, "axe-core of PyPI is not here"),
    arguments: ["bad-call", "failed-call", "conference"], ["light", "dark"])
  func axe(_ name: String, _ scheme: String) throws {
    for width in [1400, 390] {
      try browser.resize(width, 900)
      try browser.colours(scheme)
      try browser.open(try pages.page(try pages.sample(name), name))
      _ = try browser.value((Accessibility.axe ?? "") + ";0")
      #expect(try browser.value(Accessibility.faults) as? [String] == [])
    }
  }

  @Test("everything has a name and a place for those who do not see it")
  func accessible() throws {
    let page = try pages.page(try pages.sample("bad-call"), "bad-call")
    try browser.open(page)
    #expect(try browser.value(Accessibility.nameless) as? [String] == [])
    #expect(try browser.value(Accessibility.disorder) as? [String] == [])
    #expect(try browser.number("document.querySelectorAll('h1').length") == 1)
    #expect(try browser.text("document.documentElement.lang") == "en")
    #expect(try browser.number("document.querySelectorAll('[style*=\"outline: none\"]').length") == 0)
  }
}
