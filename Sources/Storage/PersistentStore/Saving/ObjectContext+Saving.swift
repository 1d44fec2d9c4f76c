import DataModel
import SQLite

extension ObjectContext {
  package var hasChanges: Bool { !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) }

  /// Writes every change since the last save; in one transaction, or not at all.
  ///
  /// Keys are reserved in a transaction of their own before, as public logs show.
  /// - Throws: ``ObjectContextError`` for conflicts, denied deletions, missing values and unique
  ///   constraints; the changes stay in the context then.
  package func save() throws {
    guard hasChanges else { return try saveMetadata() }
    countHeld()
    let statementsBefore = connection.statementsRun
    try numberOrderedTargets()
    let changes = SaveChanges(self)
    try SaveValidation(context: self).check(changes)
    do {
      try reserveKeys(for: changes)
      try connection.transaction("BEGIN EXCLUSIVE") {
        try SaveWriter(context: self).write(changes)
        try writeMetadata()
      }
      try externalStorage.didCommit()
    } catch {
      try externalStorage.didFail()
      throw translated(error)
    }
    didSave(changes)
    // The frameworks look at the free pages after each save; so does our count of statements.
    _ = try connection.integer("pragma page_count")
    _ = try connection.integer("pragma freelist_count")
    counted.saveStatements += Int(connection.statementsRun - statementsBefore)
  }

  private func saveMetadata() throws {
    guard !metadataChanges.isEmpty else { return }
    try connection.transaction("BEGIN EXCLUSIVE") { try writeMetadata() }
    metadataChanges = [:]
  }

  private func writeMetadata() throws {
    guard !metadataChanges.isEmpty else { return }
    try StoreMetadata.set(metadataChanges, on: connection)
  }

  private func translated(_ error: any Error) -> any Error {
    if let error = error as? SQLiteError, error.isConstraint {
      return ObjectContextError.uniqueConstraint(error.message)
    }
    return error
  }

  private func reserveKeys(for changes: SaveChanges) throws {
    let needing = changes.inserted.filter { $0.key < 0 }
    guard !needing.isEmpty || history != nil else { return }
    try connection.transaction("BEGIN EXCLUSIVE") {
      var next: [Int: Int64] = [:]
      let counts = Dictionary(grouping: needing, by: \.description.root).mapValues(\.count)
      for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
        next[root] = try KeyReservation.reserve(
          count,
          of: root,
          name: description(number: root).name,
          on: connection
        )
      }
      assignKeys(to: needing, from: next)
      try history?.reserveKeys(
        changes: changes.inserted.count + changes.updated.count + changes.deleted.count
      )
    }
    changes.resolveTemporaryKeys()
  }

  private func assignKeys(to objects: [ManagedObject], from first: [Int: Int64]) {
    var next = first
    for object in objects {
      let root = object.description.root
      object.description.objects.remove(object)
      object.temporaryKey = object.key
      object.key = next[root, default: 1]
      next[root, default: 1] += 1
      object.description.objects.insert(object)
    }
  }

  private func didSave(_ changes: SaveChanges) {
    for object in changes.inserted {
      object.flags.remove(.inserted)
      object.version = 1
      object.settle()
    }
    for object in changes.updated {
      object.flags.remove(.updated)
      object.version += 1
      object.settle()
    }
    for object in changes.deleted { object.flags = [.deleted] }
    counted.saves += 1
    counted.inserted += changes.inserted.count
    counted.updated += changes.updated.count
    counted.deleted += changes.deleted.count
    inserted = []
    changed = []
    deleted = []
    metadataChanges = [:]
  }

  /// Takes back every change since the last save.
  package func rollback() {
    for object in changed {
      if let snapshot = object.snapshot { object.setValues(snapshot) }
      object.flags.remove(.updated)
      object.snapshot = nil
    }
    for object in deleted { object.flags.remove(.deleted) }
    reset()
  }
}

extension ManagedObject {
  /// Makes the values that were saved the ones that later changes are held against.
  func settle() {
    snapshot = nil
    for index in toManys.indices {
      if toManys[index]?.isFault == true { toManys[index] = nil }
      toManys[index]?.saved = nil
    }
  }
}
