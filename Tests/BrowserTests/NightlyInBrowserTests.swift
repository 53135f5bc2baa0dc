import Foundation
import Testing

@Suite(
  "The nightly report in a real browser", .serialized,
  .enabled(if: Chromium.path != nil, "no Chromium was found on PATH (apt-get install chromium)"))
struct NightlyInBrowserTests {
  private let folder: URL
  private let browser: Chromium

  /// Three nights in one place: two of a fleet that never was, and the samples.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-night-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    browser = try Chromium()
    let database = folder.appendingPathComponent("n.sqlite").path
    let out = folder.appendingPathComponent("report").path
    try callqa("simulate", "--nights", "2", "--calls", "40", "--db", database)
    try callqa("report", "nightly", "--run", "2026-11-07", "--db", database, "--out", out)
    try callqa("report", "nightly", "--run", "2026-11-08", "--db", database, "--out", out)
    try callqa("import", Pages.root.path + "/samples", "--run", "2026-11-26", "--db", database, "--quiet")
    try callqa("report", "nightly", "--run", "2026-11-26", "--db", database, "--out", out)
  }

  private func callqa(_ words: String...) throws {
    let beside = Bundle.main.bundleURL.appendingPathComponent("callqa")
    let process = Process()
    process.executableURL =
      FileManager.default.isExecutableFile(atPath: beside.path)
      ? beside : Pages.root.appendingPathComponent(".build/debug/callqa")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TZ": "UTC", "CALLQA_HOME": Pages.root.path]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    // 5: too few calls for a gate, which this is not about.
    try #require([0, 5].contains(process.terminationStatus), "\(words)")
  }

  private var page: URL { folder.appendingPathComponent("report/index.html") }

  /// Opens a page that has no script of ours to say when it is ready.
  private func load(_ page: URL) throws {
    try browser.send("Page.navigate", ["url": page.absoluteString])
    try arrive(
      page.lastPathComponent == "index.html" ? page.deletingLastPathComponent().lastPathComponent : "html")
  }

  private func arrive(_ part: String) throws {
    try browser.wait(for: "document.readyState === 'complete' && location.href.includes('\(part)')")
  }

  /// Follows the first link that a selector finds.
  private func follow(_ selector: String, to part: String) throws {
    let found = try browser.value("!!document.querySelector(\"\(selector)\")") as? Bool
    let place = try browser.text("location.href")
    try #require(found == true, "no \(selector) on \(place)")
    // A moment later, so that the answer comes before the page goes.
    _ = try browser.value("setTimeout(() => document.querySelector(\"\(selector)\").click(), 0) && 0")
    try arrive(part)
  }

  @Test("links lead from the index of nights to a night, to a call, to its moment, and back")
  func links() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try load(folder.appendingPathComponent("report/nights/index.html"))
    let nights = try browser.number("document.querySelectorAll('a[href*=\"index.html\"]').length")
    #expect(nights >= 3)
    // The latest night stands at the place itself, those before in a folder each.
    try follow("a[href='../index.html']", to: "report/index.html")
    #expect(try browser.text("document.querySelector('.verdict').textContent").contains("2026-11-26"))
    try follow("nav.nights a[rel='prev']", to: "nights/2026-11-08")
    #expect(try browser.text("document.querySelector('.verdict').textContent").contains("2026-11-08"))
    try load(page)
    try follow("#worst a[href*='calls/bad-call']", to: "calls/bad-call.html")
    try browser.wait(for: "document.documentElement.dataset.ready === 'yes'")
    // A finding leads to its moment, which the address then holds.
    try follow(".moments a[href^='#t=']", to: "#t=")
    #expect(try browser.number("Number(document.getElementById('lanes').getAttribute('aria-valuenow'))") > 0)
    try follow("nav.back a[href$='index.html']", to: "report/index.html")
    #expect(try browser.value("!!document.querySelector('#worst')") as? Bool == true)
    #expect(browser.complaints == [])
    let asked = browser.requests(besides: folder.appendingPathComponent("report"))
    #expect(asked.allSatisfy { $0.hasPrefix("file://") && $0.contains("/report/") }, "\(asked)")
  }

  @Test(
    "every call of every night is found, with its page or the command that shows it, and nothing leaves the folder"
  )
  func search() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let index = folder.appendingPathComponent("report/nights/index.html")
    try load(index)
    #expect(try Data(contentsOf: index).count < 100_000)
    func found(_ word: String) throws -> [String] {
      _ = try browser.value(
        "(() => { const f = document.getElementById('search'); f.value = \"\(word)\"; f.dispatchEvent(new Event('input')); return 0 })()"
      )
      try browser.wait(for: "/found among/.test(document.getElementById('searched').textContent)")
      return try browser.value("[...document.querySelectorAll('#found li')].map((item) => item.textContent)")
        as? [String] ?? []
    }
    let all = try found("pexip-")
    // Eight a night, and one of the samples; those that are good and not new have no page.
    #expect(all.count == 17 && all.contains { $0.contains("2026-11-07") }, "\(all)")
    #expect(all.contains { $0.contains("no page; callqa call 2026-11-0") }, "\(all)")
    let links = try browser.number("document.querySelectorAll('#found li a[href*=\"calls/pexip-\"]').length")
    #expect(links > 0 && Int(links) < all.count)
    #expect(try found("BAD-call").count == 1)
    #expect(
      try browser.value("document.querySelector('#found a').getAttribute('href')") as? String
        == "../calls/bad-call.html")
    #expect(try found("no such call").isEmpty)
    #expect(
      try browser.text("document.getElementById('searched').textContent").hasPrefix(
        "0 calls found among 95 calls of 3 nights"))
    #expect(browser.complaints == [])
    let asked = browser.requests(besides: folder.appendingPathComponent("report"))
    #expect(asked.allSatisfy { $0.hasPrefix("file://") && $0.contains("/report/") }, "\(asked)")
  }

  @Test("nothing sticks out, is hard to read or has no name, wide or narrow, light or dark")
  func sizes() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for (width, scheme) in [1400, 900, 390].flatMap({ width in ["light", "dark"].map { (width, $0) } }) {
      try browser.resize(width, 900)
      try browser.colours(scheme)
      let index = folder.appendingPathComponent("report/nights/index.html")
      for (name, page) in [("nightly", page), ("nights", index)] {
        try load(page)
        try browser.settle()
        let reach = try browser.number("document.documentElement.scrollWidth")
        #expect(reach <= Double(width), "\(name) at \(width)")
        try browser.photograph("\(name)-\(width)-\(scheme)", whole: true)
        // What is folded too.
        _ = try browser.value("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
        for question in [Accessibility.poorContrasts, Accessibility.nameless, Accessibility.disorder] {
          #expect(try browser.value(question) as? [String] == [], "\(name) at \(width), \(scheme)")
        }
        #expect(try browser.number("document.querySelectorAll('h1').length") == 1)
        #expect(try browser.text("document.documentElement.lang") == "en")
      }
    }
    #expect(browser.complaints == [])
  }

  @Test(
    "contents stand at the side where there is room, else they are folded on top",
    arguments: [1400, 900, 390])
  func contents(_ width: Int) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try browser.resize(width, 900)
    try load(page)
    let isOpen = "document.querySelector('nav.contents details').open"
    func reach(_ selector: String, _ side: String) throws -> Double {
      try browser.number("document.querySelector('\(selector)').getBoundingClientRect().\(side)")
    }
    if width == 1400 {
      #expect(try browser.value(isOpen) as? Bool == true)
      #expect(try reach("nav.contents", "right") <= reach("main", "left") + 1)
    } else {
      #expect(try browser.value(isOpen) as? Bool == false)
      #expect(try reach("nav.contents", "bottom") <= reach(".verdict", "top"))
      #expect(try reach("nav.contents", "right") <= reach("nav.nights a", "left"))
      _ = try browser.value("document.querySelector('nav.contents summary').click()")
      try browser.settle()
      #expect(try browser.value(isOpen) as? Bool == true)
      #expect(try browser.number("document.documentElement.scrollWidth") <= Double(width))
    }
    _ = try browser.value("document.querySelector('nav.contents a[href=\"#gates\"]').click()")
    try browser.wait(for: "Math.abs(document.querySelector('#gates').getBoundingClientRect().top) < 20")
    #expect(try browser.value(isOpen) as? Bool == (width == 1400))
    #expect(browser.complaints == [])
  }

  @Test("what matters of an SDK is in sight at 900 pixels, and pictures shrink to a phone's screen")
  func widths() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let night = folder.appendingPathComponent("report/nights/2026-11-08/index.html")
    try browser.resize(900, 900)
    try load(night)
    let first = "[...document.querySelectorAll('#sdks th')].slice(0, 6)"
    #expect(
      try browser.text("\(first).map((th) => th.textContent).join('; ')")
        == "Verdict; SDK; Mean score, change; Biggest cause; Poor calls; Poor, 14 runs")
    let edge = try browser.number("document.querySelector('#sdks .scroll').getBoundingClientRect().right")
    #expect(
      try browser.number("Math.max(...\(first).map((th) => th.getBoundingClientRect().right))") <= edge)
    try browser.resize(390, 900)
    try load(night)
    let cut = "[...document.querySelectorAll('.picture')].filter((box) => box.scrollWidth > box.clientWidth)"
    #expect(try browser.number("\(cut).length") == 0)
    // What each night says is read without scrolling sideways.
    try load(folder.appendingPathComponent("report/nights/index.html"))
    let told =
      "[...document.querySelectorAll('table.nights td:last-child')].map((cell) => cell.getBoundingClientRect())"
    #expect(try browser.number("\(told).filter((box) => box.width > 200 && box.right <= 378).length") == 3)
  }

  @Test("paper has every row, the commands, and nothing that is cut")
  func paper() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    // The width of a page of A4 within its margins, where a screen would be taken for a phone.
    try browser.resize(718, 1000)
    try load(page)
    try browser.send("Emulation.setEmulatedMedia", ["media": "print"])
    try browser.settle()
    #expect(try browser.number("document.documentElement.scrollWidth") <= 718)
    let rows = "[...document.querySelectorAll('details tbody tr')]"
    try #require(try browser.number("\(rows).length") > 0)
    #expect(try browser.number("\(rows).filter((row) => !row.checkVisibility()).length") == 0)
    let hidden = "[...document.querySelectorAll('.groups code')].filter((code) => !code.checkVisibility())"
    #expect(try browser.number("\(hidden).length") == 0)
    let cut = "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth)"
    #expect(try browser.number("\(cut).length") == 0)
  }

  @Test("paper has the command of a long list of calls and not the list, and what it unfolds is folded again")
  func afterPaper() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try load(folder.appendingPathComponent("report/nights/2026-11-08/index.html"))
    try browser.send("Emulation.setEmulatedMedia", ["media": "print"])
    // Of a long list of calls only the command is printed; what printing unfolds is folded again afterwards.
    let list = "document.querySelector('.listed-calls')"
    _ = try browser.value("\(list).toggleAttribute('data-long', true)")
    #expect(try browser.value("\(list).querySelector('p').checkVisibility()") as? Bool == false)
    #expect(try browser.value("\(list).querySelector('code').checkVisibility()") as? Bool == true)
    let open = "document.querySelectorAll('details[open]').length"
    let before = try browser.number(open)
    _ = try browser.value("dispatchEvent(new Event('beforeprint'))")
    #expect(try browser.number(open) > before)
    _ = try browser.value("dispatchEvent(new Event('afterprint'))")
    #expect(try browser.number(open) == before)
  }

  @Test("rows are sorted and filtered in place, the folded ones with those that are shown")
  func tables() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try load(page)
    // More figures moved than the table shows at once.
    let section = "document.querySelector('#changes')"
    let every = "[...\(section).querySelectorAll('tbody tr')]"
    let seen = "\(every).filter((row) => row.checkVisibility())"
    let all = try browser.number("\(every).length")
    let shown = try browser.number("\(seen).length")
    try #require(shown > 8 && all > shown)
    func type(_ text: String) throws -> Double {
      _ = try browser.value(
        "(() => { const field = \(section).querySelector('input'); field.value = '\(text)'; field.dispatchEvent(new Event('input', { bubbles: true })); })()"
      )
      try browser.settle()
      return try browser.number("\(seen).length")
    }
    // A word of the last row, which is folded.
    let word = try browser.text("\(every).at(-1).cells[0].textContent")
    let having = try browser.number("\(every).filter((row) => row.textContent.includes('\(word)')).length")
    #expect(try type(word) == having, "'\(word)'")
    #expect(having > 0 && having < all)
    #expect(
      try browser.text("\(section).querySelector('output').textContent")
        == "\(Int(having)) of \(Int(all)) rows")
    // The first cell is read in each row: the one that it repeats may not be shown.
    let colours = "new Set(\(seen).map((row) => getComputedStyle(row.cells[0]).color)).size"
    #expect(try browser.number(colours) == 1)
    #expect(try type("nothing that is there") == 0)
    #expect(try type("") == shown)
    #expect(try browser.text("\(section).querySelector('output').textContent") == "")

    func press(_ head: Int) throws {
      _ = try browser.value("\(section).querySelectorAll('th button')[\(head)].click()")
      try browser.settle()
    }
    let first = "\(every).map((row) => row.cells[1].textContent)"
    let before = try browser.value(first) as? [String]
    let least = try browser.text("\(first).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))[0]")
    let greatest = try browser.text(
      "\(first).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())).at(-1)")
    try press(1)
    #expect(try browser.text("\(first)[0]") == least)
    #expect(try browser.number("\(seen).length") == shown)
    try press(1)
    #expect(try browser.text("\(first)[0]") == greatest)
    try press(1)
    #expect(try browser.value(first) as? [String] == before)
    #expect(browser.complaints == [])
  }
}
