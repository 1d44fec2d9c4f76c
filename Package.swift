// swift-tools-version: 6.2
import PackageDescription

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
// Without the trait nothing asks for the package, so it is not even resolved.
let grdb = Target.Dependency.product(
  name: "GRDB",
  package: "GRDB.swift",
  condition: .when(traits: ["BuiltInKinds"])
)

let package = Package(
  name: "StoreBench",
  platforms: [.macOS(.v15)],
  products: [
    // The names of the targets differ by more than case, for file systems that ignore it.
    .executable(name: "storebench", targets: ["StoreBenchProgram"]),
    .library(name: "StoreBench", targets: ["StoreBench"]),
    .library(name: "StoreBenchCommand", targets: ["StoreBenchCommand"]),
  ],
  traits: [
    .default(enabledTraits: ["BuiltInKinds"]),
    .trait(
      name: "BuiltInKinds",
      description: "The kinds of the program storebench, one of which copies rows through GRDB."
    ),
  ],
  dependencies: [
    // Exact, because Package.resolved stays out of git: the same sources on every machine.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),

    .target(name: "Basics"),
    .target(name: "SQLite", dependencies: ["Basics", "CSQLite"]),
    .target(name: "Compression", dependencies: ["CZlib"]),
    .target(name: "BulkWriter", dependencies: ["Basics"]),
    .target(name: "DataModel", dependencies: ["Basics", "Yams"]),
    // The places of a model's properties, derived a second time: verification compares them with
    // the layout that writes, which this target cannot import.
    .target(name: "PlainLayout", dependencies: ["DataModel"]),
    .target(
      name: "PersistentStore",
      dependencies: ["Basics", "Compression", "DataModel", "PlainLayout", "SQLite"]
    ),
    .target(name: "Profiling", dependencies: ["DataModel", "PersistentStore", "SQLite"]),
    .target(
      name: "Generators",
      dependencies: ["Basics", "BulkWriter", "DataModel", "PersistentStore", "Profiling", "SQLite"]
    ),
    // Deliberately corrupted stores, for everything that checks a verification.
    .target(name: "StoreMutations", dependencies: ["DataModel", "PersistentStore", "SQLite"]),
    .target(name: "Measurement", dependencies: ["Basics"]),
    .target(name: "Forecasting", dependencies: ["Basics", "Measurement"]),
    .target(
      name: "Runner",
      dependencies: [
        "Basics", "DataModel", "Generators", "Measurement", "PersistentStore", "SQLite",
      ]
    ),
    .target(name: "GRDBEngine", dependencies: ["DataModel", "PersistentStore", "SQLite", grdb]),
    .target(
      name: "WorkloadKinds",
      dependencies: [
        "Basics", "Compression", "DataModel", "GRDBEngine", "Generators", "Measurement",
        "PersistentStore", "Runner", "SQLLog", "SQLite",
      ]
    ),
    // Runs a ladder of sizes for a forecast, and calibrates machines by one file, which is printed
    // for apps as well.
    .target(
      name: "Ladder",
      dependencies: [
        "Basics", "CSQLite", "Forecasting", "Generators", "Measurement", "Runner", "SQLite",
      ],
      resources: [.embedInCode("StoreCalibration.txt")]
    ),
    .target(name: "Inspector", dependencies: ["Basics", "DataModel", "PersistentStore", "SQLite"]),
    // Reads the SQL logs of apps: statements, figures, findings, anonymous copies.
    .target(name: "SQLLog", dependencies: ["Basics", "DataModel", "PersistentStore", "SQLite"]),
    .target(
      name: "Reporter",
      dependencies: [
        "Basics", "Compression", "DataModel", "Forecasting", "Generators", "Inspector", "Ladder",
        "Measurement", "PersistentStore", "Profiling", "Runner", "SQLLog", "SQLite", mustache,
      ],
      resources: [
        "page.mustache", "block.mustache", "figure.mustache", "style.css", "script.js",
      ].map { .embedInCode("HTML/Page/\($0)") }
    ),
    // What a package with kinds of its own imports.
    .target(
      name: "StoreBench",
      dependencies: [
        "Basics", "Measurement", "PersistentStore", "Reporter", "Runner", "SQLite",
        "StoreMutations",
      ]
    ),
    // The whole command line, without any kind: programs pass theirs.
    .target(
      name: "StoreBenchCommand",
      dependencies: [
        "Basics", "DataModel", "Forecasting", "Generators", "Inspector", "Ladder", "Measurement",
        "PersistentStore", "Profiling", "Reporter", "Runner", "SQLLog", "SQLite", "StoreBench",
        argumentParser,
      ],
      // Printed for apps: it needs frameworks that are not on Linux.
      resources: [.embedInCode("StoreObservation.txt")]
    ),
    .executableTarget(
      name: "StoreBenchProgram",
      dependencies: ["StoreBenchCommand", "WorkloadKinds"]
    ),
    // For `make bench`: what the object context costs beside GRDB and beside SQLite alone.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Basics", "BulkWriter", "CSQLite", "Compression", "DataModel", "Forecasting",
        "Generators", "Ladder", "Measurement", "PersistentStore", "Profiling", "Runner", "SQLLog",
        "SQLite", "WorkloadKinds", argumentParser, grdb,
      ]
    ),

    .target(
      name: "TestSupport",
      dependencies: ["DataModel", "Measurement"],
      path: "Tests/TestSupport"
    ),
    .testTarget(name: "BasicsTests", dependencies: ["Basics", "TestSupport"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite"]),
    .testTarget(name: "CompressionTests", dependencies: ["Compression"]),
    .testTarget(
      name: "BulkWriterTests",
      dependencies: ["BulkWriter", "DatabaseReading", "SQLite", "TestSupport"]
    ),
    .testTarget(
      name: "DataModelTests",
      dependencies: ["Basics", "Compression", "DataModel", "SQLite", "TestSupport"]
    ),
    .testTarget(
      name: "PersistentStoreTests",
      dependencies: ["DataModel", "PersistentStore", "SQLite", "StoreMutations", "TestSupport"]
    ),
    // Pages of database files, read with nobody's code but its own.
    .target(name: "DatabaseReading", path: "Tests/DatabaseReading"),
    .testTarget(
      name: "GeneratorsTests",
      dependencies: [
        "Basics", "Compression", "DataModel", "DatabaseReading", "Generators", "PersistentStore",
        "SQLite", "TestSupport",
      ]
    ),
    .testTarget(
      name: "ProfilingTests",
      dependencies: [
        "DataModel", "Generators", "PersistentStore", "Profiling", "SQLite", "TestSupport",
      ]
    ),
    .testTarget(
      name: "MeasurementTests",
      dependencies: ["Generators", "Measurement", "TestSupport"]
    ),
    .testTarget(
      name: "RunnerTests",
      dependencies: [
        "Basics", "DataModel", "Generators", "Measurement", "PersistentStore", "Runner", "SQLite",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "WorkloadKindsTests",
      dependencies: [
        "DataModel", "Generators", "Measurement", "PersistentStore", "Runner", "SQLLog", "SQLite",
        "StoreBench", "StoreMutations", "TestSupport", "WorkloadKinds",
      ]
    ),
    .testTarget(
      name: "ForecastingTests",
      dependencies: [
        "Basics", "Forecasting", "Generators", "Ladder", "Measurement", "PersistentStore",
        "Reporter", "Runner", "StoreBenchCommand", "TestSupport",
      ]
    ),
    .testTarget(
      name: "ReporterTests",
      dependencies: ["Basics", "Compression", "Measurement", "Reporter", "TestSupport"],
      exclude: ["HTML/main-job.json.gz"]
    ),
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "Compression", "DataModel", "Inspector", "PersistentStore", "Reporter", "SQLite",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "BenchTests",
      dependencies: ["Forecasting", "Measurement", "Runner", "TestSupport", "bench"]
    ),
    .testTarget(
      name: "SQLLogTests",
      dependencies: [
        "Basics", "DataModel", "PersistentStore", "Reporter", "SQLLog", "SQLite", "TestSupport",
      ]
    ),
    .testTarget(
      name: "StoreBenchTests",
      dependencies: [
        "Basics", "DataModel", "Measurement", "PersistentStore", "Runner", "SQLite", "StoreBench",
        "TestSupport",
      ]
    ),
    .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"]),
    .testTarget(
      name: "StorebenchTests",
      dependencies: [
        "Basics", "DataModel", "Forecasting", "Ladder", "Measurement", "PersistentStore",
        "Reporter",
        "Runner", "SQLite", "StoreBenchCommand", "StoreBenchProgram", "TestSupport",
        "WorkloadKinds",
      ]
    ),
  ]
)

/// The folders of `Sources/`, from the bottom: a target uses those of its own layer and below.
let layers = [
  "Storage": [
    "Basics", "BulkWriter", "CSQLite", "CZlib", "Compression", "DataModel", "PersistentStore",
    "PlainLayout", "SQLite",
  ],
  "Data": ["Generators", "Inspector", "Profiling", "SQLLog", "StoreMutations"],
  "Measurement": [
    "Forecasting", "GRDBEngine", "Ladder", "Measurement", "Runner", "WorkloadKinds",
  ],
  "Reporting": ["Reporter", "StoreBench"],
  "Commands": ["StoreBenchCommand", "StoreBenchProgram", "bench"],
]

/// Where tests spend most of their time: optimized in debug builds as well, with assertions.
let optimized: Set = [
  "Basics", "BulkWriter", "DataModel", "Generators", "PersistentStore", "Profiling", "SQLLog",
  "SQLite",
]

for target in package.targets {
  for (layer, names) in layers where names.contains(target.name) {
    target.path = "Sources/\(layer)/\(target.name)"
  }
  guard target.type != .system else { continue }
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  if optimized.contains(target.name) {
    let flags = ["-O", "-assert-config", "Debug"]
    target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
  }
}
