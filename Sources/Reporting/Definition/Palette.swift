import CallModel

/// Colours of pictures: the causes' own, and others for SDKs and whatever else is drawn beside them.
///
/// A cause's colour has a contrast of 3 : 1 or more against white and against the dark card (WCAG 2.1, 1.4.11), so that both modes
/// share it. A series has a colour for each mode, of the same hue, with that contrast against its own ground. They were chosen for
/// the greatest distance in Oklab, also as protanopes and deuteranopes see them (Machado 2009), around the hues of Okabe and Ito:
/// causes are never nearer than 0.065 to each other, the SDKs' colours than 0.1, all series than 0.065. Lines have dashes and marks
/// besides, bars of causes their letters.
enum Palette {
  /// A cause's colour, the same in `reports/call/page.css`.
  static func colour(of cause: Cause) -> String {
    switch cause {
    case .loss: "#D42515"
    case .jitter: "#AF8E2A"
    case .delay: "#7E58EB"
    case .freeze: "#069CE4"
    case .framerate: "#13748D"
    case .resolution: "#1EA381"
    case .bitrate: "#8D6354"
    case .coding: "#C054B4"
    }
  }

  /// Black or white, whichever is read on a cause's colour with a contrast of 4.5 : 1 or more.
  static func letterColour(on cause: Cause) -> String {
    switch cause {
    case .loss, .delay, .framerate, .bitrate: "#FFFFFF"
    case .jitter, .freeze, .resolution, .coding: "#0A0A0A"
    }
  }

  /// SDKs with a colour of their own, by their place in `series`: it is the same in every plot and every night.
  static let sdks = ["cisco-rem", "kandy-link", "oracle-wsc", "pexip", "rebtel", "w3c", "unknown"]

  /// On a light ground, and in files of pictures: those of `sdks`, then those of all other names.
  static let series = [
    "#0F75BF", "#DB7606", "#466D3E", "#810002", "#6D138D", "#439CC2", "#3A3E49",
    "#969661", "#C20D80", "#91785D", "#8760FC", "#255F5D",
  ]
  /// The same on a dark ground, as `reports/nightly/page.css` has them (`--series0` and so on).
  static let darkSeries = [
    "#3070EB", "#EA9E1D", "#97F18D", "#D95D37", "#AB4F8A", "#1CA3D6", "#B6C6CB",
    "#E2CE0D", "#C63854", "#C59E72", "#716FBB", "#80B0B2",
  ]
  static let dashes = [1, 2, 4, 5, 3]
  static let marks = [7, 5, 9, 11, 13, 6, 4, 8]
  static let reference = "#8C8C8C"

  /// Words, axes and grid: `InlineSVG` replaces these two with the page's own colours, so they appear nowhere else.
  static let ink = "#1B1C1D"
  static let grid = "#D9DADB"

  /// Places in `series` for the names of one plot. A name that is no SDK's has one by its hash; where two would share it, the
  /// one that is later in the alphabet takes the next that is free, at last also those of SDKs that are not there.
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

  /// FNV-1a: the same on every machine and in every run.
  private static func hash(_ name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  }
}
