import Glibc

/// The process as the command on this thread sees it: where its output goes, and its environment.
///
/// Tests run commands inside their own process, several at a time; each gets surroundings of its own. Threads that a
/// command starts see those of the process.
public struct Surroundings: Sendable {
  /// The descriptor of standard output.
  public let output: Int32
  /// The descriptor of standard error.
  public let errors: Int32
  /// Environment variables that differ from those of the process.
  private let variables: [String: String]

  package init(output: Int32, errors: Int32, variables: [String: String]) {
    (self.output, self.errors, self.variables) = (output, errors, variables)
  }

  private static let process = Surroundings(output: 1, errors: 2, variables: [:])

  /// Those of the command on this thread.
  public static var current: Surroundings { replaced ?? process }

  /// Whether the command has a process of its own, whose signals and permissions it may set.
  public static var areOfProcess: Bool { replaced == nil }

  /// An environment variable; nil if it is empty or not set.
  public static func variable(_ name: String) -> String? {
    let value = current.variables[name] ?? getenv(name).map { String(cString: $0) }
    return value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Runs a command on this thread that sees these.
  package func with<Result>(_ command: () throws -> Result) rethrows -> Result {
    try withUnsafePointer(to: self) { pointer in
      pthread_setspecific(Self.key, pointer)
      defer { pthread_setspecific(Self.key, nil) }
      return try command()
    }
  }

  private static var replaced: Surroundings? {
    pthread_getspecific(key)?.assumingMemoryBound(to: Surroundings.self).pointee
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
