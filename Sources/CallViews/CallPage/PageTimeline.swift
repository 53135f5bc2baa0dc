import Rendering

/// The container in which the script draws the lanes, with its controls.
struct PageTimeline {
  let hasLanes: Bool
  /// Length of the timeline, s.
  let spanS: Double

  package func write(to html: inout HTML) {
    guard hasLanes else { return }
    html.element("section", ["class": "card timeline", "id": "timeline", "aria-label": "Timeline"]) { card in
      card.element("div", ["class": "bar"]) { bar in
        bar.element("h2", "Timeline")
        bar.element("div", ["class": "buttons", "role": "toolbar", "aria-label": "Timeline"]) { tools in
          for (id, label, sign) in Self.buttons {
            tools.element("button", ["type": "button", "id": id, "title": label, "aria-label": label], sign)
          }
        }
        bar.element("label", ["class": "member", "hidden": "", "id": "member-label"]) { label in
          label.text("Draw ")
          label.element("select", ["id": "member"]) {
            $0.element("option", ["value": ""], "any other figure…")
          }
        }
        bar.element("output", ["id": "moment", "class": "moment"], "")
      }
      card.element("noscript") {
        $0.element("p", "The lanes are drawn by a script; everything else on this page works without.")
      }
      card.element(
        "div",
        [
          "id": "lanes", "class": "lanes", "tabindex": "0", "role": "slider",
          "aria-label": "Moment of the call",
          "aria-valuemin": "0", "aria-valuemax": CellText.fixed(spanS, decimals: 2), "aria-valuenow": "0",
          "aria-valuetext": "no moment chosen",
          "aria-describedby": "moment",
        ]
      ) { _ in }
      card.element("div", ["id": "legend", "class": "legend"]) { _ in }
      card.element(
        "p", ["class": "note keys"],
        "Drag to zoom, double-click for the whole call, point or use ← → for values, + − to zoom, n for the next bad moment, ? for all keys."
      )
    }
    html.element("dialog", ["id": "help", "aria-label": "Keys"]) { dialog in
      dialog.element("h2", "Keys")
      dialog.element("dl", ["class": "help"]) { list in
        for (key, meaning) in Self.keys {
          list.element("div") { pair in
            pair.element("dt") { $0.element("kbd", key) }
            pair.element("dd", meaning)
          }
        }
      }
      dialog.element("form", ["method": "dialog"]) { $0.element("button", ["autofocus": ""], "Close") }
    }
  }

  private static let buttons: [(id: String, name: String, sign: String)] = [
    ("zoom-in", "Zoom in", "+"), ("zoom-out", "Zoom out", "−"), ("earlier", "Earlier", "←"),
    ("later", "Later", "→"),
    ("all", "Whole call", "All"), ("previous-bad", "Previous bad moment", "‹ bad"),
    ("next-bad", "Next bad moment", "bad ›"),
    ("csv", "Download what is shown as CSV", "CSV"), ("keys", "Keys", "?"),
  ]

  private static let keys = [
    ("← →", "move the cursor; with Shift ten times as far"), ("+ −", "zoom in and out around the cursor"),
    ("[ ]", "pan earlier and later"), ("0", "the whole call"), ("Home End", "first and last moment shown"),
    ("n p", "next and previous bad moment or finding"), ("Esc", "no cursor"), ("?", "this list"),
    ("Ctrl + wheel", "zoom; Shift + drag pans"),
  ]
}
