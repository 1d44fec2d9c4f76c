import Basics
import Foundation
import Generators
import PersistentStore

/// The disk space and time that a plan needs; workload kinds declare the disk space, and the time
/// is a rough estimate.
package struct PlanEstimate: Hashable, Sendable {
  /// The size in bytes of the stores that must be generated and then stay in the cache.
  package private(set) var newStoreBytes: Int64 = 0
  /// The maximum size in bytes of copies and their derived files at any time.
  package private(set) var workBytes: Int64 = 0
  /// The estimated time in seconds, before any case has been measured.
  package private(set) var seconds = 0.0
  /// The number of processes started for trials.
  package private(set) var trialCount = 0
  private var mostObjects = 0

  package var bytes: Int64 { newStoreBytes + workBytes }

  /// Estimates a plan whose generated stores are kept in a cache folder.
  ///
  /// - Throws: ``Refusal`` if a recipe cannot be read.
  package init(_ plan: Plan, cacheFolder: String) throws {
    var sizes: [StoreSource: Int64] = [:]
    for workload in plan.workloads {
      let source = workload.file.store
      let known = sizes[source]
      let store =
        try known.map { StoreSize(bytes: $0, isMade: true) }
        ?? .of(workload.file, cacheFolder: cacheFolder)
      let isFile = if case .file = source { true } else { false }
      if known == nil, isFile || !store.isMade { newStoreBytes += store.bytes }
      if known == nil, !store.isMade { try addObjects(of: workload.file) }
      sizes[source] = store.bytes
      add(workload, store)
    }
  }

  private mutating func add(_ workload: PlannedWorkload, _ store: StoreSize) {
    let policy = workload.file.trials
    var hasSharedCopy = false
    var largest: Int64 = 0
    // A starting store is kept as long as any case in its group (the cases that share starting
    // stores) needs it.
    for group in JobOrder(workload.cases).groups {
      var stores: [String: Int64] = [:]
      for planned in group.flatMap(\.cases) {
        guard let name = planned.traits.startingStore else { continue }
        stores[name] = max(stores[name] ?? 0, planned.traits.diskBytes(from: store.bytes))
      }
      largest = max(largest, stores.values.reduce(0) { min($0 + $1, 1 << 60) })
    }
    for planned in workload.cases {
      let traits = planned.traits
      hasSharedCopy = hasSharedCopy || traits.onlyReads
      let bytes = traits.diskBytes(from: store.bytes)
      // Cases that only read share one copy of the store, so do not count the copy for each case.
      largest = max(largest, traits.onlyReads ? bytes - store.bytes : bytes)
      let runs = policy.processes(of: planned)
      trialCount += runs
      seconds += Double(runs) * Self.seconds(ofTrialOn: store)
    }
    workBytes = max(workBytes, max(largest, 0) + (hasSharedCopy ? store.bytes : 0))
    if !store.isMade { seconds += Self.seconds(toMake: store) }
  }

  // A trial takes 50 ms for its process, and a second per 40 MB of the store for copying and work.
  // These rates were measured with small stores on a two-core machine.
  static func seconds(ofTrialOn store: StoreSize) -> Double { 0.05 + Double(store.bytes) / 40e6 }

  static func seconds(toMake store: StoreSize) -> Double { Double(store.bytes) / 20e6 }

  private mutating func addObjects(of file: WorkloadFile) throws {
    guard case .recipe(_, let reference) = file.store else { return }
    let recipe = try file.recipe ?? reference.read()
    mostObjects = max(mostObjects, recipe.entities.reduce(0) { $0 + min($1.count, 1 << 40) })
  }

  /// Returns the memory in bytes for making a store: the process, buffers, and 16 bytes per object.
  ///
  /// These figures were measured with stores of 10,000 to 8 million objects with one relationship;
  /// objects without relationships take less memory.
  private static func memory(toMake objects: Int) -> Double {
    45e6 + min(64 * Double(objects), 64e6) + 16 * Double(objects)
  }

  /// Rejects a plan if making one of its stores takes more memory than this process may use.
  ///
  /// - Throws: ``Refusal`` with the size of the store.
  package func checkMemory(within limit: MemoryLimit = .current) throws {
    guard mostObjects > 0 else { return }
    let needed = Self.memory(toMake: mostObjects)
    guard needed > Double(limit.bytes) else { return }
    throw Refusal.badInput(
      "a store of \(mostObjects.grouped) objects takes about "
        + "\(Figures.bytes(needed, .significant)) of memory to make, and "
        + "\(limit.owner) \(Figures.bytes(Double(limit.bytes), .significant)): reduce 'objects' or "
        + "the recipe's counts"
    )
  }

  /// Rejects a plan if the disk does not have enough free space.
  ///
  /// - Throws: ``Refusal`` with the free and the needed bytes.
  package func checkDisk(cacheFolder: String, scratchFolder: String) throws {
    let isOneDisk = FreeDisk.device(of: cacheFolder) == FreeDisk.device(of: scratchFolder)
    let needs =
      isOneDisk
      ? [(scratchFolder, bytes)] : [(cacheFolder, newStoreBytes), (scratchFolder, workBytes)]
    for (folder, needed) in needs {
      guard let free = FreeDisk.bytes(at: folder), free < needed else { continue }
      throw Refusal(
        .failedIO,
        "the disk of '\(folder)' has \(Figures.bytes(free, .significant)) free, "
          + "but the plan needs \(Figures.bytes(needed, .significant)), including "
          + "copies and backups: free some space, use another disk with --work-folder, "
          + "or run fewer cases"
      )
    }
  }

  struct StoreSize {
    private static let mostSampled = 1_000_000.0

    let bytes: Int64
    let isMade: Bool

    static func of(_ file: WorkloadFile, cacheFolder: String) throws -> StoreSize {
      switch file.store {
      case .file(let path, _): return StoreSize(bytes: StoreFile(path: path).bytes, isMade: true)
      case .recipe(_, let reference):
        let recipe = try file.recipe ?? reference.read()
        let entry =
          cacheFolder + "/"
          + StoreCache(folder: cacheFolder, writer: file.storeWriter).key(of: recipe)
        let made = StoreFile.bytes(at: entry)
        return StoreSize(bytes: made > 0 ? made : try sampled(recipe), isMade: made > 0)
      }
    }

    /// Estimates the size in bytes of a store that does not exist yet, from a sample of each
    /// entity's rows.
    ///
    /// A dataset's memory use grows with the number of objects, so the size of a large store is
    /// extrapolated from a smaller store.
    static func sampled(_ whole: Recipe) throws -> Int64 {
      let objects = whole.entities.reduce(0.0) { $0 + Double($1.count) }
      let factor = max(objects / mostSampled, 1)
      var recipe = whole
      for index in recipe.entities.indices {
        recipe.entities[index].count = Int(
          (Double(recipe.entities[index].count) / factor).rounded(.up)
        )
      }
      let dataset = Dataset(recipe)
      var total = 0.0
      for (entity, original) in zip(recipe.entities, whole.entities) where entity.count > 0 {
        let rows = min(entity.count, 16)
        var sampled = 0
        var cell = Cell()
        for sample in 0..<rows {
          let row = Int(Double(entity.count) / Double(rows) * Double(sample))
          // Add 14 bytes for the row's header, key and version, and 14 bytes per relationship for
          // its key and its index entry.
          sampled += 14 + 14 * recipe.relationships.count { $0.entity == entity.name }
          for attribute in entity.attributeNames {
            try dataset.fill(&cell, entity: entity.name, row: row, attribute: attribute)
            sampled += cell.storedBytes
            let file = try dataset.fileContents(entity: entity.name, row: row, attribute: attribute)
            sampled += file?.count ?? 0
          }
        }
        total += Double(sampled) / Double(rows) * Double(original.count)
      }
      // Allow for partly filled pages, and for join tables, indexes and system tables.
      return Int64(min(total * 1.25 + 131_072, 1e18))
    }
  }
}

extension Cell {
  fileprivate var storedBytes: Int {
    switch kind {
    case .null: 1
    case .integer: 4
    case .real: 9
    case .text, .blob: bytes.count + 3
    }
  }
}

extension TrialPolicy {
  /// Returns the number of processes that a case needs, including one for a profiled trial, which
  /// measures the time inside SQLite.
  func processes(of planned: Case) -> Int {
    trials * (cache == .cold && planned.traits.onlyReads ? iterations : 1) + 1
  }
}

/// The free space on the disk of a folder, which need not exist yet.
package enum FreeDisk {
  /// Returns the free bytes; `nil` if the system does not report them.
  package static func bytes(at folder: String) -> Int64? {
    var status = statvfs()
    guard statvfs(existing(folder), &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }

  static func device(of folder: String) -> UInt64? {
    FileStatus(existing(folder))?.disk
  }

  private static func existing(_ folder: String) -> String {
    var url = URL(fileURLWithPath: folder).standardizedFileURL
    while !FileManager.default.fileExists(atPath: url.path), url.path != "/" {
      url = url.deletingLastPathComponent()
    }
    return url.path
  }
}
