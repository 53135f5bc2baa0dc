import ArgumentParser

/// The exit codes that scripts rely on.
enum ExitStatus: Int32 {
  case done = 0
  case someRefused = 1
  case wrongCommandLine = 2
  case storeFailed = 3
  case gateFailed = 4
  case gateInconclusive = 5
  case interrupted = 130

  /// The error that makes the process exit with this code without printing anything more.
  var exit: ExitCode { ExitCode(rawValue) }
}

/// A message for the user, and the exit code.
struct Failure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
