// The metrics that every kind may record. A kind declares its own beside its code.

extension Metric {
  package static let wallClock = time("wallClock", "wall time of the operation")
  package static let userCPU = time("userCPU", "processor time outside the kernel")
  package static let systemCPU = time("systemCPU", "processor time inside the kernel")
  package static let firstScreen = time(
    "firstScreen",
    "time until the rows of the first screen are read, with all of their values"
  )
  package static let sqliteTime = time(
    "sqliteTime",
    "time inside SQLite: opening, preparing, running, checkpoints, backups and closing, without "
      + "binding and reading column values; measured in a separate trial, because it slows the "
      + "trial down"
  )
  package static let sqliteShare = share(
    "sqliteShare",
    "sqliteTime as a share of the wall time of the same trial"
  )
  package static let residentShare = share(
    "residentShare",
    "share of a cold store's pages that was in memory when the work began"
  )
  package static let peakMemory = Metric(
    "peakMemory",
    unit: .bytes,
    "largest resident set of the worker process within the timed region"
  )
  package static let sqliteMemory = Metric(
    "sqliteMemory",
    unit: .bytes,
    "largest amount of memory that SQLite's allocator held at once; a part of peakMemory"
  )
  package static let storeBytes = size("storeBytes", "size of the main store file afterwards")
  package static let walBytes = size("walBytes", "size of the WAL afterwards")
  package static let externalBytes = size(
    "externalBytes",
    "size of the external storage folder, or of the app's files next to the store"
  )
  package static let allocatedBytes = Metric(
    "allocatedBytes",
    unit: .bytes,
    direction: .neutral,
    "space that the file system has allocated for store, WAL and external files"
  )
  package static let peakDisk = size(
    "peakDisk",
    "largest size of store, WAL, temporary and external files together"
  )

  package static let phases = PhaseMetrics()
  package static let waits = WaitMetrics()
  package static let sqlite = SQLiteMetrics()
  package static let vfs = VFSMetrics("vfs")
  package static let files = FileMetrics()
  package static let objects = ObjectMetrics()

  /// What SQLite asked of one class of files; temporary files count as one class.
  package static func vfs(of fileClass: String) -> VFSMetrics { VFSMetrics("vfs.\(fileClass)") }

  /// Every metric that any kind may record, the families in the order in which a reader meets them.
  package static let catalogue: [Metric] =
    [
      wallClock, userCPU, systemCPU, firstScreen, sqliteTime, sqliteShare, residentShare,
      peakMemory, sqliteMemory, storeBytes, walBytes, externalBytes, allocatedBytes,
      peakDisk,
    ] + phases.all + sqlite.all + vfs.all
    + ["main", "wal", "journal", "temporary"].flatMap { vfs(of: $0).all } + files.all + objects.all

  /// The metric of a name, or `nil` for one that is not declared.
  ///
  /// A result document carries unit, direction and exactness itself, so that it can hold others.
  package static func named(_ name: String, among metrics: [Metric] = catalogue) -> Metric? {
    metrics.first { $0.name == name }
  }
}

/// Parts of an operation that several kinds have, in the order of their columns.
package struct PhaseMetrics: MetricFamily {
  package let backup = Metric.phase("backup", "copying the store before it is changed")
  package let deduplicate = Metric.phase("deduplicate", "merging objects with equal unique values")
  package let export = Metric.phase("export", "writing all objects to files")
  package let migrate = Metric.phase("migrate", "migrating the store to another model")
  package let `import` = Metric.phase("import", "reading all objects from files into a new store")
  package let save = Metric.phase("save", "saving the context")
  package let checkpoint = Metric.phase("checkpoint", "copying the WAL into the store (checkpoint)")
  package let rollback = Metric.phase("rollback", "restoring the backup")
  package let vacuum = Metric.phase("vacuum", "giving freed pages back to the file system")
  package let delete = Metric.phase("delete", "deleting the objects, before any vacuum")
}

/// What a user or another process waits for; only the kinds that declare them record them.
package struct WaitMetrics: MetricFamily {
  package let stall = Metric.time(
    "stalls.longest",
    "longest time during which the main loop was blocked"
  )
  package let firstFetch = Metric.time("firstFetch", "time until the first fetch succeeded")
  package let lag = Metric.time("lag.p50", "median time until the other process saw a save")
  package let longestLag = Metric.time("lag.max", "longest time until the other process saw a save")
}

/// `sqlite3_stmt_status` and `sqlite3_db_status` of the observed connections: in all, or within a part
/// of the work.
///
/// More hits are no cost of their own: a hit replaces a miss.
package struct SQLiteMetrics: MetricFamily {
  package let vmSteps, fullScanSteps, sorts, autoIndexRows, reprepares: Metric
  package let statementsPrepared, statementsRun: Metric
  package let cacheMisses, cacheWrites, cacheSpills, cacheHits: Metric

  /// The counters below a name, `session.scroll` for those of a part.
  package init(_ family: String = "sqlite") {
    let part = family.split(separator: ".").dropFirst().first.map { " (\($0))" } ?? ""
    func counter(_ name: String, _ description: String) -> Metric {
      .counter("\(family).\(name)", "\(description)\(part)")
    }
    vmSteps = counter("vmSteps", "operations of SQLite's virtual machine")
    fullScanSteps = counter("fullScanSteps", "steps forward in scans of whole tables")
    sorts = counter("sorts", "sort operations")
    autoIndexRows = counter("autoIndexRows", "rows inserted into automatic indexes")
    reprepares = counter("reprepares", "statements prepared again after a schema change")
    statementsPrepared = counter("statementsPrepared", "statements prepared")
    statementsRun = counter("statementsRun", "statements run")
    cacheMisses = counter("cacheMisses", "pages read because the page cache lacked them")
    cacheWrites = counter("cacheWrites", "dirty pages written")
    cacheSpills = counter(
      "cacheSpills",
      "dirty pages written during a transaction because the cache was full"
    )
    cacheHits = .tally("\(family).cacheHits", "pages found in the page cache\(part)")
  }
}

/// What SQLite asked of its files, by the VFS that counts: in all, or of one class.
package struct VFSMetrics: MetricFamily {
  package let opens, reads, readBytes, writes, writeBytes, syncs, truncates, deletes: Metric

  fileprivate init(_ family: String) {
    let place = family.split(separator: ".").dropFirst().first.map { " (\($0) files)" } ?? ""
    func counter(_ name: String, _ description: String) -> Metric {
      .counter("\(family).\(name)", "\(description)\(place)")
    }
    opens = counter("opens", "files that SQLite opened")
    reads = counter("reads", "read calls of SQLite")
    readBytes = counter("readBytes", "bytes that SQLite read")
    writes = counter("writes", "write calls of SQLite")
    writeBytes = counter("writeBytes", "bytes that SQLite wrote")
    syncs = counter("syncs", "syncs that SQLite asked for")
    truncates = counter("truncates", "files that SQLite truncated")
    deletes = counter("deletes", "files that SQLite deleted")
  }
}

/// What a case does to files of its own: external storage, or files beside the store.
package struct FileMetrics: MetricFamily {
  package let opens = Metric.counter("files.opens", "files opened outside SQLite")
  package let reads = Metric.counter("files.reads", "read calls outside SQLite")
  package let readBytes = Metric.counter("files.readBytes", "bytes read outside SQLite")
  package let writes = Metric.counter("files.writes", "write calls outside SQLite")
  package let writeBytes = Metric.counter("files.writeBytes", "bytes written outside SQLite")
  package let syncs = Metric.counter("files.syncs", "files synced outside SQLite")
  package let folderSyncs = Metric.counter("files.folderSyncs", "folders synced")
  package let renames = Metric.counter("files.renames", "files and folders renamed")
  package let deletes = Metric.counter("files.deletes", "files deleted outside SQLite")
}

/// What object contexts did.
package struct ObjectMetrics: MetricFamily {
  package let materialised = Metric.counter(
    "objects.materialised",
    "objects whose rows were loaded"
  )
  package let faultsFired = Metric.counter(
    "objects.faultsFired",
    "faults fired one at a time: objects and to-manys"
  )
  package let saves = Metric.counter("objects.saves", "saves of a context")
  package let saveStatements = Metric.counter(
    "objects.saveStatements",
    "statements run within saves, those of their transactions included"
  )
  package let held = Metric.counter(
    "objects.held",
    "largest number of objects in memory at a save or reset, all contexts together"
  )
  package let fetched = Metric.tally("objects.fetched", "objects that the fetches returned")
  package let inserted = Metric.tally("objects.inserted", "objects inserted")
  package let updated = Metric.tally("objects.updated", "objects updated")
  package let deleted = Metric.tally("objects.deleted", "objects deleted")
}

/// What is measured: a name, a unit, what a change of it means, and words for the reader.
///
/// Its owner declares it once, as a property of a `MetricFamily`; what is recorded, budgeted,
/// listed and printed refers to that declaration. Names with a dot belong to one family: the times
/// `phase.`, and the counters `sqlite.`, `vfs.`, `files.` and `objects.`.
public struct Metric: Sendable {
  /// The unit of a metric's values.
  package enum Unit: String, Codable, Hashable, Sendable {
    case seconds = "s"
    case bytes = "B"
    case count = "count"
    case ratio = "ratio"
  }

  /// What a rising value means.
  package enum Direction: String, Codable, Hashable, Sendable {
    /// More is worse.
    case cost
    /// More is neither better nor worse.
    case neutral
  }

  /// The name in results, such as `phase.save`.
  public var name: String
  package var unit: Unit
  package var direction: Direction
  /// Whether the value repeats to the last digit for the same SQLite build and settings.
  package var isExact: Bool
  /// What the value is, as a noun phrase; empty where the metric was read from a result.
  public var description: String

  package init(
    _ name: String,
    unit: Unit,
    direction: Direction = .cost,
    isExact: Bool = false,
    _ description: String = ""
  ) {
    self.name = name
    self.unit = unit
    self.direction = direction
    self.isExact = isExact
    self.description = description
  }

  /// Whether it is of a part of the work that a workload file has named.
  var isOfNamedPart: Bool { name.hasPrefix("step.") || name.hasPrefix("phase.") }

  /// Whether a rise of it is a regression, to the last digit.
  package var isExactCost: Bool { isExact && direction == .cost }

  /// A time, which no two runs repeat.
  public static func time(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .seconds, description)
  }

  /// The time of a named part of the operation: `phase.backup`, `phase.migrate`.
  public static func phase(_ name: String, _ description: String = "") -> Metric {
    time("phase." + name, description)
  }

  /// A part of a whole, neither good nor bad.
  public static func share(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .ratio, direction: .neutral, description)
  }

  /// Exact bytes on the disk, by their apparent size.
  public static func size(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .bytes, isExact: true, description)
  }

  /// An exact counter where more is worse, of bytes where the name says so.
  public static func counter(_ name: String, _ description: String = "") -> Metric {
    let unit: Unit = name.hasSuffix("Bytes") ? .bytes : .count
    return Metric(name, unit: unit, isExact: true, description)
  }

  /// An exact counter where more is neither better nor worse.
  public static func tally(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .count, direction: .neutral, isExact: true, description)
  }
}

extension Metric: Hashable {
  /// A result carries no words: metrics are equal by what their values mean.
  public static func == (first: Metric, second: Metric) -> Bool {
    first.name == second.name && first.unit == second.unit && first.direction == second.direction
      && first.isExact == second.isExact
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Metrics that one owner declares: every stored property is one.
package protocol MetricFamily: Sendable {}

extension MetricFamily {
  /// The metrics in the order of their declaration.
  package var all: [Metric] {
    Mirror(reflecting: self).children.compactMap { $0.value as? Metric }
  }
}
