import Foundation
import Testing

/// The collector in real browsers: one page calls itself, hangs up, and what its server wrote is imported.
///
/// What is lost at a crash and what the collector costs is measured by `make collect-test`, which wants the machine to itself.
@Suite("The collector in a real browser", .serialized)
struct CollectorTests {
  enum Browser {
    case chromium, firefox

    /// The program on this machine, if it is there.
    var path: String? {
      let names =
        switch self {
        case .chromium: ["chromium", "google-chrome"]
        case .firefox: ["firefox-esr", "firefox"]
        }
      return names.map { "/usr/bin/" + $0 }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func arguments(profile: URL, address: String) -> [String] {
      switch self {
      case .chromium:
        [
          "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
          "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
          "--user-data-dir=\(profile.path)",
          "--remote-debugging-port=0", address,
        ]
      case .firefox: ["--headless", "--no-remote", "--profile", profile.path, address]
      }
    }

    /// Firefox is given its fake devices, and ICE on loopback, by its profile.
    static let preferences = """
      user_pref("media.navigator.streams.fake", true);
      user_pref("media.navigator.permission.disabled", true);
      user_pref("media.peerconnection.ice.loopback", true);
      user_pref("media.peerconnection.ice.obfuscate_host_addresses", false);
      user_pref("browser.shell.checkDefaultBrowser", false);
      user_pref("datareporting.policy.dataSubmissionEnabled", false);
      user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
      user_pref("media.autoplay.default", 0);
      """
  }

  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  @Test(
    "Chromium writes a log that is imported without a note and scored",
    .enabled(if: hasPython && Browser.chromium.path != nil, "Chromium or python3 is not here"))
  func chromium() throws { try hangUp(.chromium) }

  @Test(
    "Firefox writes a log that is imported without a note and scored",
    .enabled(if: hasPython && Browser.firefox.path != nil, "Firefox or python3 is not here"))
  func firefox() throws { try hangUp(.firefox) }

  private func hangUp(_ browser: Browser) throws {
    let path = try #require(browser.path)
    let folder = try TemporaryFolder()
    let logs = folder.url.appendingPathComponent("logs")
    // Short: Chromium makes a socket in it.
    let profile = URL(fileURLWithPath: "/tmp/callqa-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: profile) }
    try Data(Browser.preferences.utf8).write(to: profile.appendingPathComponent("user.js"))
    let port = Int.random(in: 20_000..<30_000)
    let server = try started(
      "/usr/bin/python3", [Tool.root.path + "/collect/server.py", logs.path, String(port)])
    defer { stop(server) }
    usleep(800_000)
    let page = try started(
      path,
      browser.arguments(
        profile: profile, address: "http://127.0.0.1:\(port)/example.html?life=hangup&seconds=12&done=1"),
      home: profile)
    defer { stop(page) }
    func log() -> String {
      let files = FileManager.default.enumerator(at: logs, includingPropertiesForKeys: nil)?.allObjects
      return (files ?? []).compactMap {
        ($0 as? URL).flatMap { try? String(contentsOf: $0, encoding: .utf8) }
      }
      .joined()
    }
    try Tool.wait(for: 120) { log().components(separatedBy: #""event":"close""#).count > 2 }
    #expect(!log().contains("ice-pwd"))
    let database = folder.url.appendingPathComponent("c.sqlite").path
    let files = try Tool.run("import", logs.path, "--db", database, "--json").objects()
    for file in files where file["type"] as? String == "file" {
      #expect((file["notes"] as? [Any])?.isEmpty == true, "\(file)")
    }
    let calls = try Tool.run("calls", "--db", database, "--json").objects()
    #expect(calls.contains { $0["score_mean"] is Double }, "\(calls)")
  }

  /// At once: what inherited that SIGTERM is ignored would stay.
  private func stop(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func started(_ path: String, _ arguments: [String], home: URL? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    if let home {
      // What a browser leaves lying about goes with its profile.
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["HOME": home.path, "TMPDIR": home.path]
      ) { $1 }
    }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
