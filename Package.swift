// swift-tools-version: 6.1
import PackageDescription

// The modules in order of dependency, independent ones first. CONTRIBUTING.md describes each.
let package = Package(
  name: "callqa",
  products: [
    .executable(name: "callqa", targets: ["callqa"]),
    .executable(name: "callqa-probe", targets: ["callqa-probe"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // C and C++ libraries.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCSV", providers: [.apt(["libcsv-dev"])]),
    .systemLibrary(name: "CPcap", providers: [.apt(["libpcap-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .target(name: "CProcess"),
    .target(
      name: "CxxGnuplot",
      linkerSettings: [
        .linkedLibrary("boost_iostreams"), .linkedLibrary("boost_filesystem"), .linkedLibrary("boost_system"),
      ]),

    // Used by all other modules.
    .target(name: "CallModel"),
    .target(name: "Bytes"),
    .target(name: "Concurrency"),
    .target(name: "Redaction", dependencies: ["Bytes"]),
    .target(
      name: "IO",
      dependencies: [
        "CallModel", "Bytes", "Concurrency", "CCSV", "COpenSSL", "CZlib", "CZstd", "CBrotli", "CArchive",
      ]),

    // Readers: bytes in, records out. The last four, from Packets on, read captures.
    .target(name: "GetStats", dependencies: ["CallModel", "Bytes", "IO", "Redaction"]),
    .target(name: "LogText", dependencies: ["CallModel", "Bytes", "Redaction"]),
    .target(
      name: "EventLogs",
      dependencies: ["CallModel", "Bytes", "IO", "Redaction", "LogText", "SQLite", "CSQLite"],
      exclude: ["Dialects"]),
    .target(name: "Packets", dependencies: ["CallModel", "Bytes", "CPcap"]),
    .target(name: "Signalling", dependencies: ["CallModel", "Bytes", "Packets"]),
    .target(name: "Playout", dependencies: ["CallModel", "Packets"]),
    .target(
      name: "Captures",
      dependencies: ["CallModel", "Bytes", "IO", "Redaction", "Packets", "Signalling", "Playout"]),

    // Scores and verdicts: pure functions.
    .target(name: "Scoring", dependencies: ["CallModel"]),
    // What became of each medium for its listener.
    .target(name: "Timeline", dependencies: ["CallModel"]),
    .target(name: "SetupTime", dependencies: ["CallModel"]),
    .target(name: "Verdicts", dependencies: ["CallModel"]),

    // The SQLite database.
    .target(name: "SQLite", dependencies: ["CallModel", "Bytes", "Concurrency", "CSQLite"]),
    .target(
      name: "CallStore", dependencies: ["CallModel", "Timeline", "IO", "Concurrency", "CSQLite", "SQLite"]),

    // From files into the database, and from stored samples to scores and verdicts.
    .target(
      name: "Importing",
      dependencies: [
        "SQLite", "CallModel", "Bytes", "IO", "Redaction", "Concurrency", "GetStats", "EventLogs", "Packets",
        "Captures", "CallStore",
      ]),
    // Compares the score with the known quality of recorded calls. No other library uses it.
    .target(
      name: "Validation", dependencies: ["CallModel", "Bytes", "IO", "GetStats", "Captures", "Scoring"]),
    .target(
      name: "Assessing",
      dependencies: [
        "SQLite", "CallModel", "Bytes", "IO", "Concurrency", "Scoring", "SetupTime", "Timeline", "Verdicts",
        "CallStore",
      ]),
    .target(
      name: "Pipeline", dependencies: ["Importing", "Assessing", "CallStore", "Concurrency"]),
    .target(
      name: "Rendering", dependencies: ["CallModel", "Bytes", "IO", "Concurrency", "CallStore", "CCSV"]),
    .target(
      name: "CallViews",
      dependencies: ["SQLite", "CallModel", "Bytes", "IO", "CallStore", "Rendering", "Scoring", "Timeline"]),
    .target(
      name: "Reporting",
      dependencies: [
        "SQLite", "Rendering", "CProcess", "CallModel", "Bytes", "IO", "Concurrency", "CallStore",
        "CxxGnuplot",
      ]),

    // A simulated fleet of calls, for tests and for trying out reports.
    .target(
      name: "Simulating", dependencies: ["CallModel", "Verdicts", "CallStore", "Rendering", "Reporting"]),

    // The command-line program.
    .executableTarget(
      name: "callqa",
      dependencies: [
        "Assessing", "Bytes", "CProcess", "CallModel", "CallStore", "CallViews", "Captures", "Concurrency",
        "IO", "Importing", "Pipeline", "Rendering", "Reporting", "SQLite", "Scoring", "Simulating",
        "Validation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Test calls: a separate program, because callqa itself needs no browser.
    .target(name: "Probing", dependencies: ["CallModel", "IO", "Concurrency", "COpenSSL"]),
    .executableTarget(
      name: "callqa-probe",
      dependencies: ["Probing", "IO", .product(name: "ArgumentParser", package: "swift-argument-parser")]),

    // Locates test recordings that cannot be distributed with the project.
    .target(name: "SharedRecordings", path: "Tests/SharedRecordings"),
    .testTarget(
      name: "CapturesTests",
      dependencies: [
        "Captures", "Packets", "Signalling", "Playout", "CallModel", "Bytes", "IO", "SharedRecordings",
      ]),
    .testTarget(
      name: "CallStoreTests", dependencies: ["Concurrency", "CallModel", "CallStore", "SQLite", "CSQLite"],
      exclude: ["Golden"]),
    .testTarget(
      name: "ReportingTests",
      dependencies: ["Rendering", "CallViews", "Reporting", "CallModel", "CallStore", "IO", "Simulating"],
      exclude: ["Golden"]),
    .testTarget(
      name: "BrowserTests",
      dependencies: [
        "Rendering", "CallViews", "Reporting", "CallModel", "CallStore", "Importing", "Assessing",
      ]),
    .testTarget(
      name: "AssessingTests",
      dependencies: ["SQLite", "CSQLite", "Assessing", "CallModel", "CallStore", "Scoring"]),
    .testTarget(name: "CallModelTests", dependencies: ["CallModel"]),
    .testTarget(
      name: "ImportingTests", dependencies: ["Importing", "Bytes", "IO", "Concurrency", "CallModel"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "callqa", "CallModel", "CallStore", "IO", "Importing", "Rendering", "Reporting", "SQLite", "CSQLite",
        "CZlib", "CZstd", "SharedRecordings",
      ],
      exclude: ["Interface/Golden", "Unattended"]),
    .testTarget(
      name: "EventLogsTests",
      dependencies: [
        "EventLogs", "LogText", "CallModel", "Bytes", "Redaction", "Concurrency", "SetupTime",
        "SharedRecordings",
      ]),
    .testTarget(name: "SetupTimeTests", dependencies: ["CallModel", "SetupTime"]),
    .testTarget(
      name: "GetStatsTests", dependencies: ["CallModel", "Bytes", "IO", "GetStats", "SharedRecordings"]),
    .testTarget(name: "BytesTests", dependencies: ["Bytes", "CallModel"]),
    .testTarget(name: "IOTests", dependencies: ["Bytes", "IO", "CZlib", "CZstd"]),
    .testTarget(name: "RedactionTests", dependencies: ["CallModel", "Redaction"]),
    .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency"]),
    .testTarget(name: "ValidationTests", dependencies: ["Validation", "Scoring", "SharedRecordings"]),
    .testTarget(name: "TimelineTests", dependencies: ["Timeline", "CallModel"]),
    .testTarget(
      name: "ScoringTests", dependencies: ["Scoring", "Timeline", "Verdicts", "CallModel"],
      exclude: ["Vectors"]),
    .testTarget(name: "ProbingTests", dependencies: ["Probing"]),
    .testTarget(name: "VerdictsTests", dependencies: ["Verdicts", "CallModel"]),
    .testTarget(
      name: "ScoringOnRecordingsTests",
      dependencies: ["Scoring", "CallModel", "IO", "GetStats", "EventLogs", "SharedRecordings"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// Release builds omit the dynamic check of exclusive access, which tests perform; this saves a few per cent.
// Functions that other modules call for every packet, line or sample may be inlined there; without that, importing
// captures takes 16 % more CPU time, and recorded calls 5 %.
let inlined: Set = [
  "Bytes", "CallModel", "LogText", "Packets", "Playout", "Redaction", "SQLite", "Scoring", "Signalling",
]
// Modules that only print, or are for developers: to optimise them takes a fifth of the build, and nobody would notice.
let unoptimised: Set = ["CallViews", "Simulating", "Validation", "callqa"]
for target in package.targets where target.type == .regular || target.type == .executable {
  let more =
    inlined.contains(target.name)
    ? ["-cross-module-optimization"] : unoptimised.contains(target.name) ? ["-Onone"] : []
  target.swiftSettings = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"] + more, .when(configuration: .release))
  ]
  // The tests take about half the time with readers and judges that are optimised. What debug builds assert they still do.
  if !unoptimised.contains(target.name), Context.environment["CALLQA_UNOPTIMISED"] == nil {
    target.swiftSettings?.append(
      .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
  }
}

// The readers, instrumented for libFuzzer: only for `make fuzz`, in a separate build (see fuzz/).
if Context.environment["CALLQA_FUZZING"] != nil {
  let readers = [
    "CallModel", "Bytes", "IO", "Redaction", "Concurrency", "GetStats", "LogText", "EventLogs", "Packets",
    "Signalling", "Playout", "Captures", "Scoring", "SetupTime", "Verdicts", "SQLite", "CallStore",
    "Importing",
    "Assessing", "Pipeline", "Rendering", "CallViews", "Reporting",
  ]
  for target in package.targets where readers.contains(target.name) {
    target.swiftSettings = [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"])]
  }
  package.targets.append(
    .target(
      name: "Fuzzing", dependencies: readers.map { .byName(name: $0) }, path: "fuzz/Fuzzing",
      swiftSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
  package.products.append(.library(name: "Fuzzing", type: .dynamic, targets: ["Fuzzing"]))
}
