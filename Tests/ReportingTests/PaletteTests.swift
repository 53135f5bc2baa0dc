import CallModel
import Foundation
import IO
import Testing
@testable import CallViews
@testable import Reporting

@Suite("Colours")
struct PaletteTests {
  @Test("a cause has one colour and one letter: in plots, and on the page of a call in light and dark")
  func shared() throws {
    let reports = try #require(ResourceFolder("reports")).path
    let style = try String(contentsOfFile: reports + "/call/page.css", encoding: .utf8)
    let lane = try String(contentsOfFile: reports + "/call/score-lane.js", encoding: .utf8)
    for cause in Cause.allCases {
      let told = style.components(separatedBy: "--\(cause.rawValue): ").dropFirst().map {
        $0.prefix(7).uppercased()
      }
      #expect(told == [Palette.colour(of: cause)], "\(cause)")
      #expect(lane.contains("\(cause.rawValue): \"\(cause.letter)\""))
    }
  }

  @Test("every colour stands out from white and from the dark card, and every letter can be read on its bar")
  func contrast() {
    for colour in Cause.allCases.map({ Palette.colour(of: $0) }) + Palette.series {
      #expect(Self.contrast(colour, "#FFFFFF") >= 3, "\(colour)")
      #expect(Self.contrast(colour, "#1B1F23") >= 3, "\(colour)")
    }
    for cause in Cause.allCases {
      #expect(Self.contrast(Palette.letterColour(on: cause), Palette.colour(of: cause)) >= 4.5, "\(cause)")
    }
    #expect(Set(Palette.series).isDisjoint(with: Cause.allCases.map { Palette.colour(of: $0) }))
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
    plot.series = [PlotSeries("web", [PlotPoint(0, 3)])]
    #expect(plot.script(for: .svg).contains("linecolor rgb '\(Palette.series[0])' title 'web'"))
  }

  /// Contrast ratio of WCAG 2.1.
  private static func contrast(_ a: String, _ b: String) -> Double {
    let values = [luminance(a), luminance(b)].sorted()
    return (values[1] + 0.05) / (values[0] + 0.05)
  }

  private static func luminance(_ colour: String) -> Double {
    let value = Int(colour.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part -> Double in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
