import CallModel

/// Colours of plots: one per cause, and a series palette for SDKs and everything else.
///
/// A cause's colour has a contrast of at least 3 : 1 against both white and the dark card (WCAG 2.1, 1.4.11), so both
/// modes share it. A series has one colour per mode, of the same hue, with that contrast against its own background.
/// The colours maximise the distance in Oklab, also as seen with protanopia and deuteranopia (Machado 2009), around the
/// hues of Okabe and Ito: the distance is at least 0.065 between causes (and 20 in CIELAB between those that are stacked
/// next to each other, as seen with deuteranopia), 0.1 between SDKs, and 0.065 between all
/// series. Lines also differ by dashes and marks, bars of causes by letters.
enum Palette {
  /// A cause's colour; the same as in `reports/call/page.css`.
  static func colour(of cause: Cause) -> String {
    switch cause {
    case .loss: "#D80C2C"
    case .jitter: "#D47E01"
    case .delay: "#7E58EB"
    case .freeze: "#069CE4"
    case .framerate: "#13748D"
    case .resolution: "#05A593"
    case .bitrate: "#7C6741"
    case .coding: "#C054B4"
    case .silence: "#5C847A"
    case .playout: "#4AA458"
    }
  }

  /// Black or white, whichever has a contrast of at least 4.5 : 1 on the cause's colour.
  static func letterColour(on cause: Cause) -> String {
    switch cause {
    case .loss, .delay, .framerate, .bitrate: "#FFFFFF"
    case .jitter, .freeze, .resolution, .coding, .silence, .playout: "#0A0A0A"
    }
  }

  /// SDKs with a fixed colour, in the order of `series`, so that it is the same in every plot and every night.
  static let sdks = ["cisco-rem", "kandy-link", "oracle-wsc", "pexip", "rebtel", "w3c", "unknown"]

  /// Colours on a light background, and in image files: first those of `sdks`, then those for all other names.
  static let series = [
    "#0F75BF", "#DB7606", "#466D3E", "#810002", "#6D138D", "#439CC2", "#3A3E49",
    "#969661", "#C20D80", "#91785D", "#8760FC", "#255F5D",
  ]
  /// The same on a dark background, as in `reports/nightly/page.css` (`--series0` and so on).
  static let darkSeries = [
    "#3070EB", "#EA9E1D", "#97F18D", "#D95D37", "#AB4F8A", "#1CA3D6", "#B6C6CB",
    "#E2CE0D", "#C63854", "#C59E72", "#716FBB", "#80B0B2",
  ]
  static let dashes = [1, 2, 4, 5, 3]
  static let marks = [7, 5, 9, 11, 13, 6, 4, 8]
  static let reference = "#8C8C8C"

  /// Colours of text, axes and grid. `InlineSVG` replaces these two with the page's own colours, so nothing else may
  /// use them.
  static let ink = "#1B1C1D"
  static let grid = "#D9DADB"

  /// Indices into `series` for the names in one plot. A name that is not an SDK gets an index from its hash. On a
  /// collision the alphabetically later name takes the next free index, in the end also those of SDKs that are not in
  /// the plot.
  static func places(of names: [String]) -> [String: Int] {
    var places: [String: Int] = [:]
    for name in names { places[name] = sdks.firstIndex(of: name) }
    for name in Set(names).subtracting(places.keys).sorted() {
      let own = series.count - sdks.count
      let first = Int(hash(name) % UInt64(own))
      let wanted = (0..<own).map { sdks.count + (first + $0) % own } + sdks.indices
      let taken = Set(places.values)
      places[name] = wanted.first { !taken.contains($0) } ?? wanted[0]
    }
    return places
  }

  /// FNV-1a, because the hash must be the same on every machine and in every run.
  private static func hash(_ name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  }
}
