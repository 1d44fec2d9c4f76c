extension Metric {
  package static let wallClock = Metric("wallClock", unit: .seconds)
  package static let userCPU = Metric("userCPU", unit: .seconds)
  package static let systemCPU = Metric("systemCPU", unit: .seconds)
  /// The time until the rows of the first screen are there with all that is read of them.
  package static let firstScreen = Metric("firstScreen", unit: .seconds)
  /// The time inside SQLite's own calls, in a trial of its own that taking it slows down.
  package static let sqliteTime = Metric("sqliteTime", unit: .seconds)
  /// `sqliteTime` of the wall clock of that same trial.
  package static let sqliteShare = Metric("sqliteShare", unit: .ratio, direction: .neutral)
  /// The share of a cold store's pages that was in memory when the work began.
  package static let residentShare = Metric("residentShare", unit: .ratio, direction: .neutral)
  /// The largest resident set of the worker process within the timed region.
  package static let peakMemory = Metric("peakMemory", unit: .bytes)
  /// The most memory that SQLite's allocator held at once, of `peakMemory`.
  package static let sqliteMemory = Metric("sqliteMemory", unit: .bytes)
  /// Apparent size of the main store file after the operation.
  package static let storeBytes = Metric("storeBytes", unit: .bytes, isExact: true)
  package static let walBytes = Metric("walBytes", unit: .bytes, isExact: true)
  /// Apparent size of the external storage folder or of the files beside the store.
  package static let externalBytes = Metric("externalBytes", unit: .bytes, isExact: true)
  /// What the file system has set aside for all of these, holes and slack included or not as it does.
  package static let allocatedBytes = Metric("allocatedBytes", unit: .bytes, direction: .neutral)
  /// The most that store, WAL, temporary and external files took at once.
  package static let peakDisk = Metric("peakDisk", unit: .bytes, isExact: true)

  /// The time of a named part of the operation: `phase.backup`, `phase.migrate`.
  package static func phase(_ name: String) -> Metric {
    Metric(phasePrefix + name, unit: .seconds)
  }

  /// Every metric with a fixed name, the families in the order in which a reader meets them.
  package static let catalogue: [Metric] =
    [
      wallClock, userCPU, systemCPU, firstScreen, sqliteTime, sqliteShare, residentShare,
      peakMemory, sqliteMemory, storeBytes, walBytes, externalBytes, allocatedBytes,
      peakDisk,
    ] + phases + sqliteCounters + vfsCounters + fileCounters + objectCounters

  /// The metric of a name, or `nil` for one that neither the catalogue nor the phases have.
  ///
  /// A result document carries unit, direction and exactness itself, so that it can hold others.
  package static func named(_ name: String) -> Metric? {
    if let known = metricsByName[name] { return known }
    guard name.hasPrefix(phasePrefix), name.count > phasePrefix.count else { return nil }
    return Metric(name, unit: .seconds)
  }
}

private let phasePrefix = "phase."

private let metricsByName = Dictionary(
  Metric.catalogue.map { ($0.name, $0) },
  uniquingKeysWith: { first, _ in first }
)

private let phases = [
  "backup", "open", "deduplicate", "export", "migrate", "import", "save", "checkpoint", "verify",
  "rollback", "vacuum",
].map(Metric.phase)

// `sqlite3_stmt_status` and `sqlite3_db_status`. More hits or more bound rows are no cost of
// their own: a hit replaces a miss.
private let sqliteCounters = family(
  "sqlite",
  cost: [
    "vmSteps", "fullScanSteps", "sorts", "autoIndexRows", "reprepares", "statementsPrepared",
    "statementsRun", "cacheMisses", "cacheWrites", "cacheSpills",
  ],
  neutral: ["cacheHits"]
)

// The totals, then by class of file: SQLite's own classes, the temporary ones together.
private let vfsCounters = ["vfs", "vfs.main", "vfs.wal", "vfs.journal", "vfs.temporary"].flatMap {
  family(
    $0,
    cost: ["opens", "reads", "readBytes", "writes", "writeBytes", "syncs", "truncates", "deletes"]
  )
}

// What a case does to files of its own: external storage, or files beside the store.
private let fileCounters = family(
  "files",
  cost: [
    "opens", "reads", "readBytes", "writes", "writeBytes", "syncs", "folderSyncs", "renames",
    "deletes",
  ],
  neutral: ["count"]
)

private let objectCounters = family(
  "objects",
  cost: [
    "materialised", "faultsFired", "fetches", "batchesLoaded", "prefetches", "saves",
    "saveStatements",
  ],
  neutral: ["fetched", "inserted", "updated", "deleted"]
)

private func family(_ prefix: String, cost: [String], neutral: [String] = []) -> [Metric] {
  let costs = cost.map { counter("\(prefix).\($0)", .cost) }
  return costs + neutral.map { counter("\(prefix).\($0)", .neutral) }
}

private func counter(_ name: String, _ direction: Metric.Direction) -> Metric {
  // Bytes say so in their names, and print as bytes.
  let unit: Metric.Unit = name.hasSuffix("Bytes") ? .bytes : .count
  return Metric(name, unit: unit, direction: direction, isExact: true)
}
