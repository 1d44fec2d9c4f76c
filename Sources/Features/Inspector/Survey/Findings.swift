import PersistentStore
import SQLite

struct SurveyFindings {
  let survey: StoreSurvey

  var all: [Finding] {
    [opening].compactMap(\.self) + blobs + keys + [space, history, model].compactMap(\.self)
  }

  private var opening: Finding? {
    guard let first = survey.metadata.missingForOpening.first else { return nil }
    let count = survey.metadata.missingForOpening.count
    return Finding(
      "incompleteMetadata",
      survey.metadata.fitsNoModel ? .risk : .note,
      place: "Z_METADATA",
      message: (survey.metadata.fitsNoModel
        ? "Apple's frameworks will not open it as it is: it lacks \(first)"
        : "unlike stores of Apple's frameworks, it lacks \(first)")
        + (count > 1 ? " and \(count - 1) more" : ""),
      remedy: survey.metadata.fitsNoModel
        ? "if 'generate' made it, do so again with --version-info, the app's VersionInfo.plist or a store"
        : "generate it with --version-info, from the app's VersionInfo.plist or a store"
    )
  }

  /// The findings about large blobs.
  ///
  /// Blobs of less than 100 KB belong in the row, blobs of up to 1 MB in a separate entity, and
  /// larger blobs in files.
  private var blobs: [Finding] {
    survey.entities.flatMap { entity in
      entity.attributes.compactMap { attribute in
        guard attribute.blobsOver100KB > 0 else { return nil }
        let large = attribute.blobsOver1MB
        let place = "\(entity.name).\(attribute.name)"
        let message =
          large > 0
          ? "values of more than 100 KB in the row, \(large) of them of more than 1 MB"
          : "values of more than 100 KB in the row: each fetch of the object reads them"
        return Finding(
          "largeBlob",
          .risk,
          place: place,
          count: Int64(attribute.blobsOver100KB),
          message: message,
          remedy: large > 0
            ? "keep values over 1 MB in files and their paths here; move the other values to a "
              + "separate entity"
            : "move the attribute to a separate entity with a to-one relationship"
        )
      }
    }
  }

  private var keys: [Finding] {
    survey.entities.flatMap { entity in
      entity.keys.compactMap { key in
        // Skip unique constraints, because a separate rule reports their violations.
        guard !key.isConstraint, key.surplus > 0, key.surplus * 5 < key.count else { return nil }
        return Finding(
          "duplicateKey",
          .risk,
          place: "\(entity.name).\(key.properties.joined(separator: "+"))",
          count: key.surplus + key.duplicatedValues,
          message: "objects have a value that another object has too: "
            + (key.duplicatedValues == 1
              ? "one value occurs \(key.largestGroup) times"
              : "\(key.duplicatedValues) values occur more than once, one of them "
                + "\(key.largestGroup) times"),
          remedy: "remove duplicates before a unique constraint is added: the migration would fail"
        )
      }
    }
  }

  private var space: Finding? {
    let free = survey.space.freeBytes
    guard free > 1 << 20, free * 4 > survey.pageBytes else { return nil }
    return Finding(
      "freePages",
      .note,
      place: "file",
      count: free / Int64(max(1, survey.file.pageSize)),
      message: "free pages, \(survey.share(of: free)) of the file",
      remedy: "NSSQLiteManualVacuumOption, or a migration, gives them back to the disk"
    )
  }

  private var history: Finding? {
    guard let history = survey.history, let bytes = history.bytes, bytes > 256 << 10,
      bytes * 3 > survey.pageBytes
    else { return nil }
    return Finding(
      "largeHistory",
      bytes > 4 << 20 ? .risk : .note,
      place: "ACHANGE",
      count: history.changes,
      message: "changes of the persistent history, which takes "
        + "\(survey.share(of: bytes)) of the file",
      remedy: "delete history that all readers have processed (deleteHistory(before:))"
    )
  }

  private var model: Finding? {
    guard let first = survey.unknownInModel.first else { return nil }
    return Finding(
      "unknownInModel",
      .note,
      place: "Z_MODELCACHE",
      count: Int64(survey.unknownInModel.count),
      message: "parts of the model are not understood, such as \(first)",
      remedy: "StoreBench ignores them; please report them with the framework's version"
    )
  }
}

struct FileFindings {
  let reader: StoreReader

  var all: [Finding] { wal + [noFile, journal].compactMap(\.self) + schema }

  private var name: String { reader.store.name }

  private var wal: [Finding] {
    guard let wal = reader.wal else { return [] }
    func finding(_ rule: String, _ message: String, _ remedy: String) -> Finding {
      Finding(rule, .wrong, place: name + "-wal", message: message, remedy: remedy)
    }
    var findings: [Finding] = []
    if let problem = foreignWAL(wal) {
      let remedy = "copy the store again with the -wal that belongs to it; never mix the two files"
      findings.append(finding("foreignWAL", problem, remedy))
    } else if wal.committedFrames == 0, wal.ignoredBytes > 0 {
      findings.append(
        finding(
          "unreadableWAL",
          "no save in the -wal can be read: its checksums are wrong, or it was cut short",
          "copy store and -wal again while no app has them open"
        )
      )
    }
    if wal.disagreesWithSharedMemory {
      findings.append(
        finding(
          "foreignSharedMemory",
          "the -shm does not belong to this -wal",
          "copy store and -wal again without the -shm: SQLite creates a new -shm"
        )
      )
    }
    return findings
  }

  /// The risk posed by a `-wal` that is not a regular file: SQLite would follow a link, but
  /// StoreBench does not read it.
  private var noFile: Finding? {
    guard reader.store.hasStrangeWAL else { return nil }
    return Finding(
      "walIsNoFile",
      .risk,
      place: name + "-wal",
      message: "the -wal is a link, a folder or a pipe, so the saves in it are not shown",
      remedy: "copy the store and the file that the -wal stands for into one folder"
    )
  }

  /// Returns the reason why the WAL cannot belong to the store; `nil` if it can.
  private func foreignWAL(_ wal: WriteAheadLog) -> String? {
    if let problem = reader.walProblem { return "the -wal was left out: \(problem)" }
    if wal.pageSize != reader.header.pageSize {
      return "the page sizes differ: \(wal.pageSize) bytes in the -wal, "
        + "\(reader.header.pageSize) bytes in the store"
    }
    // Compare the store's UUID with and without the WAL, because a matching WAL does not change it.
    guard let alone = reader.uuid(in: .mainFile), let together = reader.uuid(in: .all),
      alone != together
    else { return nil }
    return "the -wal belongs to another store: without it the store's UUID is \(alone)"
  }

  private var journal: Finding? {
    guard StoreFile.bytes(at: reader.store.journal) > 0 else { return nil }
    return Finding(
      "hotJournal",
      .risk,
      place: name + "-journal",
      message: "a save was interrupted; the journal that undoes it was not applied to what is "
        + "shown here",
      remedy: "open a copy with sqlite3 once, which undoes the save, and inspect the copy"
    )
  }

  private var schema: [Finding] {
    let contents = reader.schema
    let known = ["Z_DA_", "ZT_", "Z_RT_"]
    let triggers = contents.triggers.filter { name in !known.contains { name.hasPrefix($0) } }
    let tables = contents.virtualTables.filter { !$0.hasPrefix("Z_RT_") }
    // Ignore Core Data's fetch indexes, which may be partial, as in the Photos library.
    let partial = contents.partialIndexes.keys.filter { !$0.hasPrefix("Z_") }.sorted()
    return [
      foreign("foreignTrigger", triggers, "triggers, which the frameworks never make"),
      foreign("foreignView", contents.views, "views, which the frameworks never make"),
      foreign("virtualTable", tables, "virtual tables: code runs when they are read"),
      foreign("computedColumn", contents.generatedColumns, "computed columns, which were not read"),
      foreign("expressionIndex", contents.expressionIndexes, "indexes over expressions"),
      foreign("partialIndex", partial, "indexes over a part of the rows, which no model asks for"),
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
      remedy: "find out which code added them; StoreBench did not run them"
    )
  }
}

/// Finds violations of the layout's rules, each with its meaning and the recommended action.
struct RuleFindings {
  let reader: StoreReader
  let layout: StoreLayout

  var all: [Finding] {
    do {
      var audit = StoreAudit(store: reader.store, layout: layout)
      audit.connection = reader.connection
      // Skip the integrity check if it would evaluate expressions written by the file's author.
      audit.checksIntegrity = !reader.schema.runsExpressions(besides: layout)
      // Skip the check of objects, because the scans have already checked all of them.
      audit.checksObjects = false
      let outcome = try audit.findingsSoFar()
      let findings = outcome.findings.map { Finding($0) }
      return findings + (outcome.failure.map { [.unreadable("rules", $0.message)] } ?? [])
    } catch {
      return [.unreadable("rules", "\(error)")]
    }
  }
}

extension Finding {
  init(_ broken: AuditFinding) {
    if broken.rule == .missingTable, broken.place == "Z_MODELCACHE" {
      self = .noModelCache
      return
    }
    self.init(
      broken.rule.rawValue,
      broken.rule.severity,
      place: broken.place,
      count: broken.count,
      message: "\(broken.words) (\(broken.example))",
      remedy: broken.rule.remedy
    )
  }
}
