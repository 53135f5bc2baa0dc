import CallModel

/// Colours of pictures: the causes' own, and others for SDKs and whatever else is drawn beside them.
///
/// All have a contrast of 3 : 1 or more against white and against the dark card (WCAG 2.1, 1.4.11), so that both modes share them.
/// They were chosen for the greatest distance in Oklab, also as protanopes and deuteranopes see them (Machado 2009): causes are
/// never nearer than 0.065 to each other, series than 0.07, and no series is nearer than 0.065 to a cause. Lines have dashes and
/// marks besides, bars of causes their letters.
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

  static let series = [
    "#587339", "#C06AF7", "#A73BBF", "#45A52C", "#C97AAF", "#A7547E", "#FD4F7A", "#0E64E5",
  ]
  static let dashes = [1, 2, 4, 5, 3]
  static let marks = [7, 5, 9, 11, 13, 6, 4, 8]
  static let reference = "#8C8C8C"

  /// Words, axes and grid: `InlineSVG` replaces these two with the page's own colours, so they appear nowhere else.
  static let ink = "#1B1C1D"
  static let grid = "#D9DADB"

  /// Colour of series number `index`, round and round.
  static func colour(_ index: Int) -> String { series[index % series.count] }
}
