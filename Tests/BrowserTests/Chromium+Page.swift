import Foundation

/// What a person does with a page.
extension Chromium {
  /// Opens a page and waits until its script says that it is ready.
  func open(_ page: URL, hash: String = "") throws {
    // By way of nowhere: another hash alone would not load the page again.
    try send("Page.navigate", ["url": "about:blank"])
    try send("Page.navigate", ["url": page.absoluteString + hash])
    let end = Date().addingTimeInterval(60)
    while try text("document.readyState + (document.documentElement?.dataset.ready ?? '')") != "completeyes" {
      guard Date() < end else { throw Failure(description: "the page does not get ready: \(complaints)") }
      usleep(20_000)
    }
  }

  /// Waits until an expression is true, thirty seconds at most; a page that is on its way to another has no answer yet.
  func wait(for condition: String) throws {
    let end = Date().addingTimeInterval(30)
    func isTrue() throws -> Bool {
      do { return try value(condition) as? Bool == true } catch let failure as Failure
        where failure.isNavigation
      { return false }
    }
    while try !isTrue() {
      guard Date() < end else { throw Failure(description: "never true: \(condition)") }
      usleep(20_000)
    }
  }

  /// The value of an expression.
  func value(_ expression: String) throws -> Any? {
    let answer = try send(
      "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
    if let failure = answer["exceptionDetails"] as? [String: Any] {
      throw Failure(description: "\(expression): \(failure)")
    }
    return (answer["result"] as? [String: Any])?["value"]
  }

  func text(_ expression: String) throws -> String { try value(expression) as? String ?? "" }
  func number(_ expression: String) throws -> Double { try value(expression) as? Double ?? .nan }

  /// Presses a key.
  func press(_ key: String) throws {
    let codes = ["ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Escape": 27]
    var parameters: [String: Any] = ["type": "keyDown", "key": key]
    if let code = codes[key] { parameters["windowsVirtualKeyCode"] = code } else { parameters["text"] = key }
    try send("Input.dispatchKeyEvent", parameters)
    parameters["type"] = "keyUp"
    parameters["text"] = nil
    try send("Input.dispatchKeyEvent", parameters)
    try settle()
  }

  /// Moves, presses or releases the mouse.
  func mouse(_ type: String, _ x: Double, _ y: Double, isDown: Bool = false) throws {
    try send(
      "Input.dispatchMouseEvent",
      [
        "type": type, "x": x, "y": y, "button": isDown || type != "mouseMoved" ? "left" : "none",
        "buttons": isDown ? 1 : 0, "clickCount": type == "mouseMoved" ? 0 : 1,
      ])
    try settle()
  }

  /// Waits until what was asked for is drawn.
  func settle() throws {
    _ = try value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
  }

  func resize(_ width: Int, _ height: Int) throws {
    try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
  }

  func colours(_ scheme: String) throws {
    try send("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
  }

  /// A picture of the page, for people to look at: written where `CALLQA_SCREENSHOTS` says, if it says so.
  func photograph(_ name: String, whole: Bool = false) throws {
    guard let folder = ProcessInfo.processInfo.environment["CALLQA_SCREENSHOTS"] else { return }
    try settle()
    let answer = try send("Page.captureScreenshot", ["format": "png", "captureBeyondViewport": whole])
    guard let data = (answer["data"] as? String).flatMap({ Data(base64Encoded: $0) }) else { return }
    try data.write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
  }

  /// What the console, the engine and the policy complained of, and every dialogue that opened.
  var complaints: [String] {
    events.compactMap { event in
      switch event.name {
      case "Runtime.exceptionThrown", "Page.javascriptDialogOpening": "\(event.name) \(event.parameters)"
      case "Runtime.consoleAPICalled": "console: \(event.parameters["args"] ?? "")"
      case "Log.entryAdded": "log: \((event.parameters["entry"] as? [String: Any])?["text"] ?? "")"
      default: nil
      }
    }
  }

  /// Addresses that were asked for, but for the page itself.
  func requests(besides page: URL) -> [String] {
    events.compactMap { event in
      guard event.name == "Network.requestWillBeSent",
        let request = event.parameters["request"] as? [String: Any],
        let address = request["url"] as? String
      else { return nil }
      return address.hasPrefix(page.absoluteString) || address == "about:blank" ? nil : address
    }
  }
}
