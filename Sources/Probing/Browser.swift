import FoundationEssentials

/// A browser that pages of a call are opened in. For one thread.
protocol Browser: AnyObject {
  /// Handles what a page does; must not wait for the browser.
  var onEvent: (_ page: String, PageEvent) -> Void { get set }

  /// Opens an empty page, in which whatever is loaded finds `callqaProbe`, a function that hands a text to the probe,
  /// and then runs scripts before its own. Returns the page's id.
  func open(_ page: PageSetup) throws -> String

  /// Begins to load an address. Throws a `ProbeError` if there is nothing to load.
  func load(_ url: String, in page: String) throws

  /// Runs JavaScript in a page and awaits its promise. Throws a `ProbeError` for an exception.
  func run(_ script: String, in page: String, within seconds: Double) throws

  /// Runs JavaScript in a page without waiting for the end.
  func send(_ script: String, to page: String) throws

  /// What a page shows, as PNG in base64.
  func screenshot(of page: String) throws -> String?

  func close(_ page: String) throws

  /// Ends the browser and deletes its profile.
  func close()
}

/// What a page is opened with.
struct PageSetup {
  var scripts: [String]
  /// The HTML of addresses at `ownHost`, which the probe answers itself.
  var ownHTML: String?

  static let ownHost = "probe.callqa.invalid"
}

/// What a page does.
enum PageEvent {
  case loaded
  /// It crashed, or is closed.
  case gone
  /// It called `callqaProbe`.
  case told(String)
  /// A line of its console: a message, an uncaught exception, or what the browser says of the page.
  case console(String)
}

/// The browsers by their names in a plan.
public enum BrowserKind: String, CaseIterable, Sendable, PlanWord {
  case chromium, firefox

  static let noun = "browser"

  public var name: String { self == .chromium ? "Chromium" : "Firefox" }

  /// The names of its program on the PATH, the first of them those of Debian's package.
  public var programs: [String] {
    switch self {
    case .chromium: ["chromium", "google-chrome", "chrome", "chromium-browser"]
    case .firefox: ["firefox-esr", "firefox"]
    }
  }

  func start(_ place: BrowserPlace) throws -> any Browser {
    switch self {
    case .chromium: try Chromium(place)
    case .firefox: try Firefox(place)
    }
  }
}

/// What a browser is started with.
struct BrowserPlace {
  var program: String
  /// The file that its output is appended to.
  var log: String
  var loop: BrowserLoop
  /// The files that the fake devices give.
  var microphone: String
  var camera: String
}

extension ProbeError {
  /// An exception of a page's script, in the first line of its description.
  init(exception words: String?) {
    self.init("the page's script failed: \(words?.split(separator: "\n").first ?? "an exception")")
  }
}
