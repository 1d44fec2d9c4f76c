// swift-tools-version: 6.2
import PackageDescription

// The proofs that StoreBench is right: `make -C Evidence` sets this. Users compile none of them.
let hasEvidence = Context.environment["EVIDENCE"] == "1"

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
// Without the trait nothing asks for the package, so it is not even resolved.
let grdb = Target.Dependency.product(
  name: "GRDB",
  package: "GRDB.swift",
  condition: .when(traits: ["GRDB"])
)

/// Parses Swift, behind the trait `SwiftSource`: whoever asks for no source builds none of it.
func swiftSyntax(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["SwiftSource"]))
}

/// A module of `Sources/`, in the folder of its name.
func module(
  _ folder: String,
  _ dependencies: [Target.Dependency],
  resources: [Resource] = [],
  plugins: [Target.PluginUsage] = []
) -> Target {
  let name = String(folder.split(separator: "/").last ?? "")
  return .target(
    name: name,
    dependencies: dependencies,
    path: "Sources/\(folder)",
    resources: resources,
    plugins: plugins
  )
}

let core: [Target] = [
  .systemLibrary(
    name: "CSQLite",
    path: "Sources/Core/CSQLite",
    pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
  ),
  .systemLibrary(
    name: "CZlib",
    path: "Sources/Core/CZlib",
    pkgConfig: "zlib",
    providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
  ),
  module("Core/Basics", ["CZlib"]),
  module("Core/SQLite", ["Basics", "CSQLite"]),
  module("Core/DataModel", ["Basics", "Yams"]),
  module("Core/SwiftModels", ["Basics", "DataModel"]),
  module(
    "Core/SwiftModelReader",
    [
      "Basics", "DataModel", "SwiftModels", swiftSyntax("SwiftParser"),
      swiftSyntax("SwiftSyntax"),
    ]
  ),
  module("Core/PersistentStore", ["Basics", "DataModel", "SQLite"]),
  module(
    "Core/Reporting",
    ["Basics", mustache],
    resources: [
      "page.mustache", "table.mustache", "figure.mustache", "style.css", "script.js",
    ].map { .embedInCode("HTML/\($0)") }
  ),
]

let features: [Target] = [
  module("Features/Generators", ["Basics", "DataModel", "PersistentStore", "SQLite"]),
  module(
    "Features/Runner",
    ["Basics", "DataModel", "Generators", "PersistentStore", "Reporting", "SQLite"],
    plugins: ["ResolvedVersions"]
  ),
  module(
    "Features/WorkloadKinds",
    ["Basics", "DataModel", "Generators", "PersistentStore", "Runner", "SQLLog", "SQLite", grdb]
  ),
  module(
    "Features/Compare",
    ["Basics", "DataModel", "PersistentStore", "Reporting", "Runner", "SQLite"]
  ),
  // Calibrates machines by one file, which is printed for apps as well.
  module(
    "Features/Forecasting",
    ["Basics", "CSQLite", "DataModel", "Generators", "Reporting", "Runner", "SQLite"],
    resources: [.embedInCode("Ladder/StoreCalibration.txt")]
  ),
  module(
    "Features/Inspector",
    ["Basics", "DataModel", "PersistentStore", "Reporting", "SQLite", "SwiftModels"]
  ),
  module(
    "Features/SQLLog",
    ["Basics", "DataModel", "PersistentStore", "Reporting", "SQLite", "SwiftModels"]
  ),
]

let app: [Target] = [
  // What a package with kinds of its own imports.
  module("App/StoreBench", ["Basics", "PersistentStore", "Runner", "SQLite"]),
  // The whole command line, without any kind: programs pass theirs.
  module(
    "App/StoreBenchCommand",
    [
      "Basics", "Compare", "DataModel", "Forecasting", "Generators", "Inspector",
      "PersistentStore", "Reporting", "Runner", "SQLLog", "SQLite", "StoreBench", "SwiftModels",
      argumentParser,
    ],
    // Printed for apps: it needs frameworks that are not on Linux.
    resources: [.embedInCode("StoreObservation.txt")]
  ),
  .executableTarget(
    name: "StoreBenchProgram",
    dependencies: [
      "StoreBenchCommand", "WorkloadKinds",
      .target(name: "SwiftModelReader", condition: .when(traits: ["SwiftSource"])),
    ],
    path: "Sources/App/StoreBenchProgram"
  ),
]

#if os(macOS)
  // Plugins run in a sandbox there.
  let writing: [PluginPermission] = [
    .writeToPackageDirectory(reason: "StoreBench writes stores to .storebench, and results.")
  ]
#else
  let writing: [PluginPermission] = []
#endif

let plugins: [Target] = [
  .plugin(name: "ResolvedVersions", capability: .buildTool()),
  .plugin(
    name: "RunStoreBench",
    capability: .command(
      intent: .custom(
        verb: "storebench",
        description: "Build and run the package's program with workload kinds of its own."
      ),
      permissions: writing
    )
  ),
]

/// Tests of the modules of the same name, with others that they use.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude)
}

let testTargets: [Target] = [
  .target(
    name: "TestSupport",
    dependencies: ["DataModel", "Generators", "PersistentStore", "Runner", "SQLite"],
    path: "Tests/TestSupport"
  ),
  // Pages of database files, read without any other code.
  .target(name: "DatabaseReading", path: "Tests/DatabaseReading"),
  tests("ArchitectureTests", []),
  tests("BasicsTests", ["Basics"]),
  tests("SQLiteTests", ["SQLite"]),
  tests("DataModelTests", ["Basics", "DataModel", "SQLite"]),
  tests("SwiftModelsTests", ["Basics", "DataModel", "SwiftModels"]),
  tests(
    "SwiftModelReaderTests",
    [
      "Basics", "DataModel", "Inspector", "PersistentStore", "SQLite", "SwiftModelReader",
      "SwiftModels",
    ]
  ),
  tests("ReportingTests", ["Basics", "Reporting"]),
  tests("PersistentStoreTests", ["DataModel", "PersistentStore", "SQLite"]),
  tests(
    "GeneratorsTests",
    ["Basics", "DataModel", "DatabaseReading", "Generators", "PersistentStore", "SQLite"]
  ),
  tests(
    "RunnerTests",
    [
      "Basics", "Compare", "DataModel", "Generators", "PersistentStore", "Reporting", "Runner",
      "SQLite",
    ],
    exclude: ["View/main-job.json.gz"]
  ),
  tests(
    "WorkloadKindsTests",
    [
      "Basics", "DataModel", "Generators", "PersistentStore", "Runner", "SQLLog", "SQLite",
      "StoreBench", "WorkloadKinds",
    ]
  ),
  tests(
    "ForecastingTests",
    ["Basics", "Forecasting", "Generators", "PersistentStore", "Reporting", "Runner"]
  ),
  tests("CompareTests", ["Basics", "Compare", "Generators", "Reporting", "Runner"]),
  tests(
    "InspectorTests",
    ["Basics", "DataModel", "Inspector", "PersistentStore", "Reporting", "SQLite", "SwiftModels"]
  ),
  tests(
    "SQLLogTests",
    ["Basics", "DataModel", "PersistentStore", "Reporting", "SQLLog", "SQLite", "SwiftModels"]
  ),
  tests(
    "StoreBenchTests",
    ["Basics", "DataModel", "PersistentStore", "Runner", "SQLite", "StoreBench"]
  ),
  tests(
    "CommandTests",
    [
      "Basics", "Compare", "DataModel", "Forecasting", "PersistentStore", "Reporting",
      "Runner", "SQLite", "StoreBenchCommand", "StoreBenchProgram", "SwiftModels",
      "WorkloadKinds",
    ]
  ),
]

let evidence: [Target] = [
  .executableTarget(
    name: "bench",
    dependencies: [
      "Basics", "CSQLite", "Compare", "DataModel", "Forecasting", "Generators", "Inspector",
      "PersistentStore", "Reporting", "Runner", "SQLLog", "SQLite", "WorkloadKinds", argumentParser,
      .product(name: "GRDB", package: "GRDB.swift"),
    ],
    path: "Evidence/Bench"
  ),
  .testTarget(
    name: "BenchTests",
    dependencies: [
      "Basics", "Compare", "DataModel", "Forecasting", "Runner", "TestSupport", "WorkloadKinds",
      "bench",
    ],
    path: "Evidence/Tests/BenchTests"
  ),
  // Whether stores made like others have their shape, within what rounding and chance explain.
  .testTarget(
    name: "LikeProofTests",
    dependencies: [
      "Basics", "DataModel", "Generators", "PersistentStore", "SQLite", "TestSupport",
    ],
    path: "Evidence/Tests/LikeProofTests"
  ),
]

let package = Package(
  name: "StoreBench",
  platforms: [.macOS(.v15)],
  products: [
    // The names of the targets differ by more than case, for file systems that ignore it.
    .executable(name: "storebench", targets: ["StoreBenchProgram"]),
    .library(name: "StoreBench", targets: ["StoreBench"]),
    .library(name: "StoreBenchCommand", targets: ["StoreBenchCommand"]),
    .plugin(name: "RunStoreBench", targets: ["RunStoreBench"]),
  ],
  traits: [
    .default(enabledTraits: ["BuiltInKinds"]),
    .trait(
      name: "BuiltInKinds",
      description: "The kinds of the program storebench."
    ),
    .trait(name: "GRDB", description: "The engine 'grdb' of the built-in kinds."),
    .trait(name: "SwiftSource", description: "Models that are read from Swift source."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", "5.0.1"..<"7.0.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
  ],
  targets: core + features + app + plugins + testTargets + (hasEvidence ? evidence : [])
)

/// Where tests spend most of their time: optimized in debug builds as well, with assertions.
let optimized: Set = [
  "Basics", "Compare", "DataModel", "DatabaseReading", "Forecasting", "Generators", "Inspector",
  "PersistentStore", "Runner", "SQLLog", "SQLite", "WorkloadKinds",
]

/// Texts, pages and commands: nothing timed or large runs in them, and optimizing them takes a fifth
/// of a release build.
let unoptimized: Set = ["Reporting", "StoreBenchCommand", "StoreBenchProgram"]

for target in package.targets where target.type != .system && target.type != .plugin {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  if optimized.contains(target.name) {
    let flags = ["-O", "-assert-config", "Debug"]
    target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
  }
  if unoptimized.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
  }
}
