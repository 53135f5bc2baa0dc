/// Colours that people with any colour vision tell apart (Okabe and Ito, 2008; the last three by Paul Tol), ordered so that neighbours also differ in lightness
/// and a grey print still reads; each line has its own dash and mark besides.
enum Palette {
  static let colours = [
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#8A7A00", "#6F6F6F",
    "#332288", "#44AA99", "#882255",
  ]
  static let dashes = [1, 2, 4, 5, 3]
  static let marks = [7, 5, 9, 11, 13, 6, 4, 8]
  static let reference = "#8C8C8C"

  /// Words, axes and grid: `InlineSVG` replaces these two with the page's own colours, so they appear nowhere else.
  static let ink = "#1B1C1D"
  static let grid = "#D9DADB"

  /// Colour number `index`, round and round.
  static func colour(_ index: Int) -> String { colours[index % colours.count] }
}
