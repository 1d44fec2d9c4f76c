import PersistentStore

/// What is wrong or risky about the files of a store and the schema in them.
struct FileFindings {
  let reader: StoreReader

  var all: [Finding] { wal + journal + schema }

  private var name: String { reader.store.name }

  private var wal: [Finding] {
    guard let wal = reader.wal else { return [] }
    var findings: [Finding] = []
    func add(_ rule: String, _ message: String, _ remedy: String) {
      findings.append(
        Finding(rule, .wrong, place: name + "-wal", message: message, remedy: remedy)
      )
    }
    if let problem = reader.walProblem {
      add(
        "foreignWAL",
        "the -wal was left out: \(problem)",
        "copy the store again with the -wal that belongs to it; never mix the two files"
      )
    } else if wal.pageSize != reader.header.pageSize {
      add(
        "foreignWAL",
        "the -wal has pages of \(wal.pageSize) bytes, the store of \(reader.header.pageSize)",
        "copy the store again with the -wal that belongs to it; never mix the two files"
      )
    } else if let other = otherUUID {
      add(
        "foreignWAL",
        "the -wal is of another store: without it the store's UUID is \(other)",
        "copy the store again with the -wal that belongs to it; never mix the two files"
      )
    } else if wal.committedFrames == 0, wal.ignoredBytes > 0 {
      add(
        "unreadableWAL",
        "no save in the -wal can be read: its checksums do not fit, or it was cut short",
        "copy store and -wal again while no app has them open"
      )
    }
    if wal.disagreesWithSharedMemory {
      add(
        "foreignSharedMemory",
        "the -shm was made for another -wal than the one beside it",
        "copy store and -wal again, and leave the -shm out: SQLite makes it anew"
      )
    }
    return findings
  }

  /// The UUID of the main file alone, where it differs from the one that the WAL brings.
  private var otherUUID: String? {
    func uuid(_ mode: StoreReader.Part) -> String? { reader.uuid(in: mode) }
    guard let alone = uuid(.mainFile), let together = uuid(.all), alone != together else {
      return nil
    }
    return alone
  }

  private var journal: [Finding] {
    guard StoreFile.bytes(at: reader.store.journal) > 0 else { return [] }
    return [
      Finding(
        "hotJournal",
        .risk,
        place: name + "-journal",
        message: "a save was cut short, and the journal that undoes it was not applied here",
        remedy: "open a copy with sqlite3 once, which rolls it back, and inspect that"
      )
    ]
  }

  private var schema: [Finding] {
    let contents = reader.schema
    let known = ["Z_DA_", "ZT_", "Z_RT_"]
    let triggers = contents.triggers.filter { name in !known.contains { name.hasPrefix($0) } }
    let tables = contents.virtualTables.filter { !$0.hasPrefix("Z_RT_") }
    return [
      foreign("foreignTrigger", triggers, "triggers that the frameworks never make"),
      foreign("foreignView", contents.views, "views, which the frameworks never make"),
      foreign("virtualTable", tables, "virtual tables: code runs when they are read"),
      foreign("computedColumn", contents.generatedColumns, "computed columns, which were not read"),
      foreign("expressionIndex", contents.expressionIndexes, "indexes over expressions"),
    ].compactMap { $0 }
  }

  private func foreign(_ rule: String, _ names: [String], _ message: String) -> Finding? {
    guard let first = names.first else { return nil }
    return Finding(
      rule,
      .risk,
      place: first,
      count: Int64(names.count),
      message: message,
      remedy: "find out who added them; nothing of the kind was run here"
    )
  }
}
