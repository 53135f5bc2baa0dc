import CallModel
import Testing

@testable import Rendering

@Suite("Tables")
struct TableTests {
  @Test("rows of a key become lists of one length, texts and unknown values among them")
  func listed() {
    let table = Table(
      ["night", "sdk", "share"],
      [
        [.text("n1, late"), .text("web"), .real(0.5)], [.text("n1"), .text("ios"), .integer(1)],
        [.text("n2"), .text("web"), .null],
      ])
    #expect(
      table.listed(by: "sdk")
        == Table(
          ["sdk", "night_list", "share_list"],
          [
            [.text("web"), .text("n1; late,n2"), .text("0.5,")], [.text("ios"), .text("n1"), .text("1")],
          ]))
  }
}
