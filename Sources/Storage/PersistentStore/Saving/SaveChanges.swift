import DataModel

/// What one save has to write, in the order it is written: by entity, then by key.
struct SaveChanges {
  let inserted: [ManagedObject]
  let updated: [ManagedObject]
  let deleted: [ManagedObject]

  init(_ context: ObjectContext) {
    // Keys of new objects fall in the order in which they were inserted.
    inserted = context.inserted.filter { !$0.isDeleted }
      .sorted { ($0.description.number, -$0.key) < ($1.description.number, -$1.key) }
    updated = context.changed.filter { $0.flags.isDisjoint(with: [.deleted, .inserted]) }
      .sorted { $0.id < $1.id }
    deleted = context.deleted.filter { !$0.isInserted }.sorted { $0.id < $1.id }
  }

  static func position(_ index: Int) -> Value { .integer(Int64(2048 + 1024 * index)) }

  /// Replaces the temporary keys in to-one slots by the keys that were reserved.
  func resolveTemporaryKeys() {
    let keys = Dictionary(
      inserted.filter { $0.temporaryKey < 0 }.map { ($0.temporaryKey, $0.key) },
      uniquingKeysWith: { first, _ in first }
    )
    guard !keys.isEmpty else { return }
    for object in inserted + updated {
      for (slot, column) in object.description.columns.enumerated() {
        switch column.content {
        case .foreignKey, .inverselessKey:
          if case .integer(let key) = object.values[slot], key < 0, let permanent = keys[key] {
            object.values[slot] = .integer(permanent)
          }
        default: continue
        }
      }
    }
  }
}

extension ObjectContext {
  /// Gives the targets of changed ordered to-manys their positions: 2048, then 1024 more each.
  ///
  /// See coredata-format.md, section 4; that all of them are numbered anew is assumed. Targets
  /// whose position changes join the objects that the save updates.
  func numberOrderedTargets() throws {
    for source in inserted + changed where !source.isDeleted {
      for toMany in source.description.toManys {
        guard case .inverseForeignKey(_, _, let column?) = toMany.storage,
          let cache = source.loaded(toMany), cache.saved != nil
        else { continue }
        for (index, target) in cache.targets.enumerated() {
          let slot = target.description.columns.firstIndex { $0.name == column }
          let position = SaveChanges.position(index)
          guard let slot, try target.rawValue(at: slot) != position else { continue }
          try target.willChange()
          target.values[slot] = position
        }
      }
    }
  }
}
