import CallModel
import Foundation
import IO
import Testing
@testable import Reporting

@Suite("Colours")
struct PaletteTests {
  @Test("a cause has one colour and one letter: in plots, and on the page of a call in light and dark")
  func shared() throws {
    let reports = try #require(ResourceFolder("reports")).path
    let style = try String(contentsOfFile: reports + "/call/page.css", encoding: .utf8)
    let lane = try String(contentsOfFile: reports + "/call/score-lane.js", encoding: .utf8)
    for cause in Cause.allCases {
      let colours = style.components(separatedBy: "--\(cause.rawValue): ").dropFirst().map {
        $0.prefix(7).uppercased()
      }
      #expect(colours == [Palette.colour(of: cause)], "\(cause)")
      #expect(lane.contains("\(cause.rawValue): \"\(cause.letter)\""))
    }
  }

  @Test("every colour stands out from its ground, and every letter can be read on its bar")
  func contrast() {
    let causes = Cause.allCases.map { Palette.colour(of: $0) }
    for colour in causes + Palette.series { #expect(Self.contrast(colour, "#FFFFFF") >= 3, "\(colour)") }
    for colour in causes + Palette.darkSeries { #expect(Self.contrast(colour, "#1B1F23") >= 3, "\(colour)") }
    for cause in Cause.allCases {
      #expect(Self.contrast(Palette.letterColour(on: cause), Palette.colour(of: cause)) >= 4.5, "\(cause)")
    }
    #expect(Set(Palette.series).isDisjoint(with: causes))
  }

  @Test(
    "series can be told apart by any colour vision, SDKs with a colour of their own best",
    arguments: [false, true])
  func apart(isDark: Bool) {
    let colours = isDark ? Palette.darkSeries : Palette.series
    #expect(colours.count == Palette.series.count)
    for matrix in [Self.typical, Self.protanopia, Self.deuteranopia] {
      let seen = colours.map { Self.oklab(Self.linear($0), seenBy: matrix) }
      for first in seen.indices {
        for second in seen.indices where second > first {
          let least = second < Palette.sdks.count ? 0.1 : 0.065
          let distance = Self.distance(seen[first], seen[second])
          #expect(distance >= least, "\(colours[first]) and \(colours[second]): \(distance)")
        }
      }
    }
  }

  @Test("causes stacked next to each other, and ends next to each other, are told apart by deuteranopes")
  func neighbours() throws {
    let reports = try #require(ResourceFolder("reports")).path
    let style = try String(contentsOfFile: reports + "/call/page.css", encoding: .utf8)
    let ends = style.matches(of: /--end[0-5]: (#[0-9a-f]{6})/).map { String($0.output.1) }
    #expect(ends.count == 12)
    for colours in [
      Cause.allCases.map { Palette.colour(of: $0) }, Array(ends.prefix(6)), Array(ends.suffix(6)),
    ] {
      for (first, second) in zip(colours, colours.dropFirst()) {
        let seen = [first, second].map { Self.cielab(Self.linear($0), seenBy: Self.deuteranopia) }
        #expect(Self.distance(seen[0], seen[1]) >= 20, "\(first) and \(second)")
      }
    }
  }

  @Test("an SDK has one colour, whatever else is drawn; others have theirs by their name")
  func places() {
    for (place, name) in Palette.sdks.enumerated() {
      #expect(Palette.places(of: [name]) == [name: place])
    }
    #expect(Palette.places(of: ["web", "w3c", "pexip"]) == ["web": 8, "w3c": 5, "pexip": 3])
    // Two whose hashes are the same.
    #expect(Palette.places(of: ["web", "ios"]) == ["ios": 8, "web": 9])
    let many = (0..<20).map { "sdk \($0)" } + ["rebtel"]
    let places = Palette.places(of: many)
    #expect(places == Palette.places(of: many.reversed()))
    #expect(places["rebtel"] == 4 && places.count == many.count)
    #expect(Set(places.values) == Set(Palette.series.indices))
  }

  @Test("the page has the series' colours for dark ground")
  func dark() throws {
    let reports = try #require(ResourceFolder("reports")).path
    let style = try String(contentsOfFile: reports + "/nightly/page.css", encoding: .utf8)
    for (place, colour) in Palette.darkSeries.enumerated() {
      #expect(style.contains("--series\(place): \(colour);"))
    }
  }

  @Test("bars of causes have their colours and letters, whichever of them there are; other bars have neither")
  func bars() {
    var plot = Plot(name: "p", shape: .lying, title: "")
    plot.categories = ["web"]
    plot.series = [PlotSeries("freeze", [PlotPoint(0, 3)]), PlotSeries("bitrate", [PlotPoint(0, 0.01)])]
    let script = plot.script(for: .svg)
    #expect(script.contains("linecolor rgb '#069CE4' title 'F freeze'"))
    #expect(script.contains("\n1.5 0 F\n"))
    #expect(!script.contains(" B\n"), "too narrow for a letter")
    plot.series = [PlotSeries("web", [PlotPoint(0, 3)]), PlotSeries("w3c", [PlotPoint(0, 3)])]
    #expect(plot.script(for: .svg).contains("linecolor rgb '\(Palette.series[8])' title 'web'"))
    #expect(plot.script(for: .svg).contains("linecolor rgb '\(Palette.series[5])' title 'w3c'"))
  }

  /// Contrast ratio of WCAG 2.1.
  private static func contrast(_ a: String, _ b: String) -> Double {
    let values = [luminance(a), luminance(b)].sorted()
    return (values[1] + 0.05) / (values[0] + 0.05)
  }

  private static func luminance(_ colour: String) -> Double {
    let parts = linear(colour)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// Red, green and blue of a colour in linear light.
  private static func linear(_ colour: String) -> [Double] {
    let value = Int(colour.dropFirst(), radix: 16) ?? 0
    return [value >> 16 & 255, value >> 8 & 255, value & 255].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
  }

  private static let typical: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  /// Machado, Oliveira and Fernandes (2009), the severest.
  private static let protanopia: [[Double]] = [
    [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
  ]
  private static let deuteranopia: [[Double]] = [
    [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
  ]

  private static func times(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
    matrix.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// Ottosson's Oklab of a linear colour as seen by eyes of a kind.
  private static func oklab(_ colour: [Double], seenBy eyes: [[Double]]) -> [Double] {
    let seen = times(eyes, colour).map { min(1, max(0, $0)) }
    let cones = times(
      [
        [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ], seen)
    return times(
      [
        [0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
      ], cones.map { cbrt($0) })
  }

  /// CIELAB (D65) of a linear colour as seen by eyes of a kind.
  private static func cielab(_ colour: [Double], seenBy eyes: [[Double]]) -> [Double] {
    let seen = times(eyes, colour).map { min(1, max(0, $0)) }
    let white = [0.95047, 1, 1.08883]
    let xyz = times(
      [
        [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
      ], seen)
    let f = zip(xyz, white).map { value, white in
      value / white > 0.008856 ? cbrt(value / white) : 7.787 * value / white + 16 / 116
    }
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
  }

  private static func distance(_ a: [Double], _ b: [Double]) -> Double {
    zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }
}
