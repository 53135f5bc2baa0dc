import CallModel
import CallStore

/// One call as one self-contained page: nothing is fetched, nothing of the call is taken for markup.
public struct CallPage {
  let account: CallAccount
  let zone: Zone
  let lanes: [Lane]
  private let resources: PageResources
  let zeroMs: Double

  /// The page of a call that was gathered from a store. Throws what the store throws.
  public init(_ account: CallAccount, in store: Store, zone: Zone, resources: PageResources) throws {
    let zeroMs = account.zeroMs ?? 0
    self.init(
      account, lanes: try LaneBuilder.lanes(account, in: store, zeroMs: zeroMs), zone: zone,
      resources: resources)
  }

  init(_ account: CallAccount, lanes: [Lane], zone: Zone, resources: PageResources) {
    self.account = account
    self.zone = zone
    self.lanes = lanes
    self.resources = resources
    zeroMs = account.zeroMs ?? 0
  }

  /// The page, UTF-8.
  public func bytes() -> [UInt8] {
    var html = HTML()
    html.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    html.open("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
    html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    html.markup("<meta name=\"referrer\" content=\"no-referrer\">\n")
    html.element("title", VisibleText.cut(account.call.id, to: 120) + " · callqa")
    html.open("style")
    html.trusted(resources.style)
    html.close("style")
    html.markup("\n</head>\n<body>\n")
    html.element("main") { body(&$0) }
    html.json(id: "call-data", PageData(account, lanes: lanes, zone: zone, zeroMs: zeroMs).text)
    html.markup("\n")
    html.open("script")
    html.trusted(resources.script)
    html.close("script")
    html.markup("\n</body>\n</html>\n")
    return html.bytes
  }

  private var policy: String { PageSecurity.policy(script: resources.script, style: resources.style) }

  private func body(_ main: inout HTML) {
    PageHead(account, zone).write(to: &main)
    main.element("div", ["class": "above"]) { grid in
      PageEnds(account).write(to: &grid)
      PageSetup(account).write(to: &grid)
      PageTrust(account).write(to: &grid)
    }
    PageTimeline(hasLanes: hasTimeline, spanS: PageData.spanS(account, zeroMs: zeroMs)).write(to: &main)
    PageMoments(account, zone).write(to: &main)
    PageWire(account, zone).write(to: &main)
    PageRoster(account, zone, zeroMs: zeroMs).write(to: &main)
    PageStreams(account).write(to: &main)
    PageEvents(account, zone, zeroMs: zeroMs).write(to: &main)
  }

  private var hasTimeline: Bool {
    !lanes.isEmpty || account.ends.contains { !$0.windows.isEmpty } || !account.events.isEmpty
  }
}
