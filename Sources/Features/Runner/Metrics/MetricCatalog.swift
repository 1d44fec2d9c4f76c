// The metrics that every workload kind may record. Each kind declares further metrics next to its
// code.

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

  /// Returns the metrics for SQLite's file operations on one class of files; all temporary files
  /// form one class.
  package static func vfs(of fileClass: String) -> VFSMetrics { VFSMetrics("vfs.\(fileClass)") }

  /// Every metric that any kind may record, in the order of the reference.
  package static let catalogue: [Metric] =
    [
      wallClock, userCPU, systemCPU, firstScreen, sqliteTime, sqliteShare, residentShare,
      peakMemory, sqliteMemory, storeBytes, walBytes, externalBytes, allocatedBytes,
      peakDisk,
    ] + phases.all + sqlite.all + vfs.all
    + ["main", "wal", "journal", "temporary"].flatMap { vfs(of: $0).all } + files.all + objects.all

  /// Returns the metric with the given name, or `nil` if it is not declared.
  ///
  /// A result document stores each metric's unit, direction and exactness, so that it can contain
  /// undeclared metrics.
  package static func named(_ name: String, among metrics: [Metric] = catalogue) -> Metric? {
    metrics.first { $0.name == name }
  }
}

/// The phases that several workload kinds have, in the order of their table columns.
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

/// The times that a user or another process waits; recorded only by kinds that declare them.
package struct WaitMetrics: MetricFamily {
  package let stall = Metric.time(
    "stalls.longest",
    "longest time during which the main loop was blocked"
  )
  package let firstFetch = Metric.time("firstFetch", "time until the first fetch succeeded")
  package let lag = Metric.time("lag.p50", "median time until the other process saw a save")
  package let longestLag = Metric.time("lag.max", "longest time until the other process saw a save")
}

/// The counters from `sqlite3_stmt_status` and `sqlite3_db_status` of the observed connections, for
/// all of the work or a part of it.
///
/// Cache hits are not a cost, because each hit replaces a miss.
package struct SQLiteMetrics: MetricFamily {
  package let vmSteps, fullScanSteps, sorts, autoIndexRows, reprepares: Metric
  package let statementsPrepared, statementsRun: Metric
  package let cacheMisses, cacheWrites, cacheSpills, cacheHits: Metric

  /// Creates the counters with the given prefix, such as `session.scroll` for a part of the work.
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

/// SQLite's file operations as counted by the VFS, for all files or for one class of files.
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

/// A case's own file operations, on external storage and on files next to the store.
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

/// The counters of object contexts.
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

/// A measured quantity: its name, unit, direction and description.
///
/// Each metric is declared once, as a property of a `MetricFamily`; results, budgets, lists and
/// reports refer to that declaration. A name with a dot belongs to a family: `phase.` for times,
/// and `sqlite.`, `vfs.`, `files.` and `objects.` for counters.
public struct Metric: Sendable {
  /// The unit of a metric's values.
  package enum Unit: String, Codable, Hashable, Sendable {
    case seconds = "s"
    case bytes = "B"
    case count = "count"
    case ratio = "ratio"
  }

  /// Whether a higher value is worse.
  package enum Direction: String, Codable, Hashable, Sendable {
    /// A higher value is worse.
    case cost
    /// A higher value is neither better nor worse.
    case neutral
  }

  /// The name in results, such as `phase.save`.
  public var name: String
  package var unit: Unit
  package var direction: Direction
  /// Whether the same SQLite build and settings always give exactly the same value.
  package var isExact: Bool
  /// The meaning of the value as a noun phrase; empty if the metric was read from a result.
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

  var isOfNamedPart: Bool { name.hasPrefix("step.") || name.hasPrefix("phase.") }

  /// Whether any increase is a regression.
  package var isExactCost: Bool { isExact && direction == .cost }

  /// Returns a metric for a time in seconds, which is never exact.
  public static func time(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .seconds, description)
  }

  /// Returns a metric for the time of a named part of the operation, such as `phase.backup`.
  public static func phase(_ name: String, _ description: String = "") -> Metric {
    time("phase." + name, description)
  }

  /// Returns a neutral metric for a share of a whole.
  public static func share(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .ratio, direction: .neutral, description)
  }

  /// Returns an exact metric for the apparent size of files, in bytes.
  public static func size(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .bytes, isExact: true, description)
  }

  /// Returns an exact counter that is a cost; its unit is bytes if the name ends with `Bytes`.
  public static func counter(_ name: String, _ description: String = "") -> Metric {
    let unit: Unit = name.hasSuffix("Bytes") ? .bytes : .count
    return Metric(name, unit: unit, isExact: true, description)
  }

  /// Returns an exact counter that is neutral.
  public static func tally(_ name: String, _ description: String) -> Metric {
    Metric(name, unit: .count, direction: .neutral, isExact: true, description)
  }
}

extension Metric: Hashable {
  /// Compares everything but the description, because results contain no descriptions.
  public static func == (first: Metric, second: Metric) -> Bool {
    first.name == second.name && first.unit == second.unit && first.direction == second.direction
      && first.isExact == second.isExact
  }

  /// Hashes only the name, because metrics rarely share a name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A group of metrics that are declared together, each as a stored property.
package protocol MetricFamily: Sendable {}

extension MetricFamily {
  /// The metrics in the order of their declaration.
  package var all: [Metric] {
    Mirror(reflecting: self).children.compactMap { $0.value as? Metric }
  }
}
