import DataModel

extension ObjectContext {
  /// Deletes an object, and along its relationships what their delete rules say, object by object.
  ///
  /// The rows go with the next save, which also checks the rules that deny. Each object that a
  /// rule reaches is loaded first, for its optimistic-lock counter.
  package func delete(_ object: ManagedObject) throws {
    var waiting = [object]
    while let next = waiting.popLast() {
      guard !next.isDeleted else { continue }
      if next.isFault { try fire(next) }
      next.flags.insert(.deleted)
      deleted.append(next)
      waiting += try propagate(from: next).reversed()
    }
  }

  /// Applies the delete rules of one object and returns the objects that cascades delete.
  private func propagate(from object: ManagedObject) throws -> [ManagedObject] {
    var cascaded: [ManagedObject] = []
    for toOne in object.description.toOnes {
      switch toOne.relationship.deleteRule {
      case .cascade:
        if let target = try object.target(of: toOne) { cascaded.append(target) }
      case .nullify: try nullify(toOne, of: object)
      case .noAction, .deny: continue
      }
    }
    for toMany in object.description.toManys {
      switch toMany.relationship.deleteRule {
      case .cascade: cascaded += try targets(of: toMany, from: object)
      case .nullify: try nullify(toMany, of: object)
      case .noAction, .deny: continue
      }
    }
    return cascaded
  }

  /// Takes a deleted object out of the inverse of its to-one.
  private func nullify(_ toOne: EntityDescription.ToOne, of object: ManagedObject) throws {
    guard let inverse = toOne.inverse, let key = try object.targetKey(of: toOne) else { return }
    if inverse.isToMany {
      // A to-many that nobody has loaded finds the deletion in the store.
      try description(of: toOne.destination).objects.object(key)?.forget(object, in: inverse)
      return
    }
    guard let target = try object.target(of: toOne), !target.isDeleted,
      let back = target.description.toOne(inverse.name)
    else { return }
    try target.store(nil, in: back)
  }

  private func nullify(_ toMany: EntityDescription.ToMany, of object: ManagedObject) throws {
    switch toMany.storage {
    case .join:
      // The save removes the rows; only what is loaded has to know.
      guard let inverse = toMany.inverse, let cache = object.known(toMany) else { return }
      for target in cache.targets where !target.isDeleted {
        if let other = target.description.toMany(inverse.name), target.loaded(other) != nil {
          target.toManys[other.index]?.targets.removeAll { $0 === object }
        }
      }
    case .inverseForeignKey, .foreignKey:
      for target in try targets(of: toMany, from: object) where !target.isDeleted {
        try target.clearSource(of: toMany)
      }
    }
  }
}

extension ManagedObject {
  /// Empties the column that leads back to the source of a to-many.
  func clearSource(of toMany: EntityDescription.ToMany) throws {
    if let inverse = toMany.inverse, let toOne = description.toOne(inverse.name) {
      return try store(nil, in: toOne)
    }
    guard let slot = description.columns.firstIndex(where: { $0.name == toMany.inverselessColumn })
    else { return }
    try willChange()
    values[slot] = .null
    retained[slot] = nil
  }
}
