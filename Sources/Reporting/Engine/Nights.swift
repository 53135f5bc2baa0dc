import Rendering

import CallModel
import Glibc

/// All nights reported to one place: the latest in the folder itself, earlier ones in `nights/RUN`, an index in
/// `nights/index.html`. A new report moves the previous one there instead of overwriting it.
struct Nights {
  /// The subfolder for earlier nights.
  static let folder = "nights"
  /// Number of nights in the index, latest first.
  private static let shown = 30

  /// What a report's manifest says about a night.
  struct Night {
    /// Its folder in `nights`; empty for the report being made.
    let folder: String
    let name: String
    let headline: String
    let tone: String
    /// When its last call began; 0 if it has none.
    let lastMs: Double
    let figures: NightFigures

    /// In the order of time, in which a night that is reported again keeps its place. A new one without calls is the
    /// last.
    func isBefore(_ other: Night) -> Bool {
      func time(_ night: Night) -> Double {
        night.folder.isEmpty && night.lastMs == 0 ? .infinity : night.lastMs
      }
      return (time(self), name) < (time(other), other.name)
    }
  }

  /// All nights except the named one, latest first.
  static func earlier(in place: String, besides name: String) -> [Night] {
    let folders = OutputFolder.folders(in: "\(place)/\(folder)")
    let kept = folders.compactMap { read("\(place)/\(folder)/\($0)", folder: $0) }
    // The current report will be in `nights` once it has been replaced.
    let current = read(place, folder: nil)
    var nights = kept
    if let current { nights = nights.filter { $0.name != current.name } + [current] }
    return nights.filter { $0.name != name }.sorted { ($0.lastMs, $0.name) > ($1.lastMs, $1.name) }
  }

  /// Folder name of a night.
  static func folderName(_ name: String) -> String { CallPages.fileName(name) }

  private static func read(_ path: String, folder: String?) -> Night? {
    guard let bytes = try? FileBytes.read("\(path)/\(OutputFolder.mark)", atMost: 16 << 20) else {
      return nil
    }
    var texts: [String: String] = [:]
    for (name, value) in JSONMembers.topLevel(of: String(decoding: bytes, as: UTF8.self)) {
      texts[name] = value
    }
    guard let name = texts["night"], !name.isEmpty else { return nil }
    return Night(
      folder: folder ?? folderName(name), name: name, headline: texts["headline"] ?? "",
      tone: texts["tone"] ?? "plain", lastMs: texts["last_ms"].flatMap(Double.init) ?? 0,
      figures: NightFigures(texts))
  }

  /// Moves a replaced report to `nights`. `old` is where it is now, `place` is the folder of the new report.
  static func keep(_ old: String, in place: String) {
    let nights = "\(place)/\(folder)"
    // Move the nights that the old report kept first.
    for name in OutputFolder.folders(in: "\(old)/\(folder)") where access("\(nights)/\(name)", F_OK) != 0 {
      _ = rename("\(old)/\(folder)/\(name)", "\(nights)/\(name)")
    }
    guard let night = read(old, folder: nil), night.name != read(place, folder: nil)?.name else { return }
    let target = "\(nights)/\(night.folder)"
    OutputFolder.remove("\(old)/\(folder)")
    // The same night was reported again, so the copy in `nights` is older.
    OutputFolder.remove(target)
    _ = rename(old, target)
    relink(target)
  }

  /// Fixes the links of a page that has moved one folder down.
  private static func relink(_ path: String) {
    guard let bytes = try? FileBytes.read("\(path)/index.html", atMost: 64 << 20) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing("href=\"nights/index.html\"", with: "href=\"../index.html\"")
      .replacing("href=\"nights/", with: "href=\"../")
    try? FileBytes.write(Array(text.utf8), to: "\(path)/index.html")
  }

  /// Updates the "next" links of the two nights before the one just made.
  static func link(in place: String, current: String) {
    guard let own = read(place, folder: "") else { return }
    let nights = earlier(in: place, besides: current).filter { $0.isBefore(own) }
    guard let last = nights.first else { return }
    setNext(of: "\(place)/\(folder)/\(last.folder)", to: current, link: "../../index.html")
    guard nights.count > 1 else { return }
    setNext(
      of: "\(place)/\(folder)/\(nights[1].folder)", to: last.name, link: "../\(last.folder)/index.html")
  }

  private static func setNext(of path: String, to name: String, link: String) {
    guard let bytes = try? FileBytes.read("\(path)/index.html", atMost: 64 << 20) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.firstRange(of: "<span class=\"next\">"),
      let end = text[start.upperBound...].firstRange(of: "</span>")
    else { return }
    var html = HTML()
    html.element("a", ["href": link, "rel": "next"], "\(name) ›")
    let made =
      text[..<start.upperBound] + String(decoding: html.bytes, as: UTF8.self) + text[end.lowerBound...]
    try? FileBytes.write(Array(made.utf8), to: "\(path)/index.html")
  }

  /// The index page of all nights.
  static func index(_ nights: [Night], title: String, style: [UInt8], zone: Zone) -> [UInt8] {
    let nights = nights.sorted { $1.isBefore($0) }
    let script = Array(searchScript.utf8)
    return HTML.page(
      title: "All nights · \(title)", style: style, script: script,
      // The search loads its files from folders next to the page.
      policy: PageSecurity.policy(script: script, style: style, loadsScripts: true)
    ) { body in
      body.element("main") { main in
        main.element("h1", "\(title): all nights")
        search(nights, into: &main)
        table(nights.prefix(shown), into: &main)
        if nights.count > shown {
          main.element(
            "p", ["class": "note"], "And \(Plural.of(nights.count - shown, "night")) before these.")
        }
      }
    }
  }

  /// Relative path from the index to a night's folder.
  static func place(_ night: Night) -> String { night.folder.isEmpty ? "../" : "\(night.folder)/" }
}
