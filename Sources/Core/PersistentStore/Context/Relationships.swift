import DataModel

extension ManagedObject {
  // MARK: To-one

  /// Returns the key of a to-one relationship's target, if any, without loading the target.
  package func targetKey(of toOne: EntityDescription.ToOne) throws -> Int64? {
    guard case .integer(let key) = try rawValue(at: toOne.slot) else { return nil }
    return key
  }

  /// Returns the target of a to-one relationship, if any, as a fault if it is not loaded.
  package func target(of toOne: EntityDescription.ToOne) throws -> ManagedObject? {
    guard let key = try targetKey(of: toOne) else { return nil }
    if let target = retained(at: toOne.slot), target.key == key { return target }
    var destination = try context.description(of: toOne.destination)
    if let slot = toOne.entitySlot, case .integer(let number) = values[slot] {
      destination = try context.description(number: Int(truncatingIfNeeded: number))
    }
    let target = context.object(destination, key: key)
    retain(target, at: toOne.slot)
    return target
  }

  package func target(of name: String) throws -> ManagedObject? { try target(of: toOne(name)) }

  /// Sets the target of a to-one relationship and updates the inverse.
  package func setTarget(_ target: ManagedObject?, of name: String) throws {
    let toOne = try toOne(name)
    let former = try self.target(of: toOne)
    guard former !== target else { return }
    try store(target, in: toOne)
    guard let inverse = toOne.inverse else { return }
    try former?.forget(self, in: inverse)
    try target?.note(self, in: inverse)
  }

  func store(_ target: ManagedObject?, in toOne: EntityDescription.ToOne) throws {
    try willChange()
    values[toOne.slot] = target.map { .integer($0.key) } ?? .null
    if let slot = toOne.entitySlot {
      values[slot] = target.map { .integer(Int64($0.description.number)) } ?? .null
    }
    if let slot = toOne.orderSlot, target == nil { values[slot] = .null }
    retain(target, at: toOne.slot)
  }

  // MARK: To-many

  /// Returns the targets of a to-many relationship, in order if it is ordered; fires its fault if
  /// necessary.
  package func targets(of name: String) throws -> [ManagedObject] {
    try context.targets(of: toMany(name), from: self)
  }

  package func targets(of toMany: EntityDescription.ToMany) throws -> [ManagedObject] {
    try context.targets(of: toMany, from: self)
  }

  /// Appends an object to a to-many relationship and updates the inverse.
  package func add(_ target: ManagedObject, to name: String) throws {
    let toMany = try toMany(name)
    guard try !targets(of: toMany).contains(where: { $0 === target }) else { return }
    try changeTargets(of: toMany) { $0.append(target) }
    guard let inverse = toMany.inverse else { return try target.storeSource(self, of: toMany) }
    if inverse.isToMany {
      try target.note(self, in: target.toMany(inverse.name))
    } else if let toOne = target.description.toOne(inverse.name) {
      let former = try target.target(of: toOne)
      try former?.forget(target, in: toMany.relationship)
      try target.store(self, in: toOne)
    }
  }

  /// Removes an object from a to-many relationship and updates the inverse.
  package func remove(_ target: ManagedObject, from name: String) throws {
    try remove(from: name) { $0 === target }
  }

  /// Removes all objects that meet a condition from a to-many relationship and updates the inverse.
  package func remove(from name: String, where isRemoved: (ManagedObject) -> Bool) throws {
    let toMany = try toMany(name)
    let removed = try targets(of: toMany).filter(isRemoved)
    guard !removed.isEmpty else { return }
    try changeTargets(of: toMany) { $0.removeAll(where: isRemoved) }
    for target in removed {
      guard let inverse = toMany.inverse else {
        try target.storeSource(nil, of: toMany)
        continue
      }
      if inverse.isToMany {
        let other = try target.toMany(inverse.name)
        try target.changeTargets(of: other) { $0.removeAll { $0 === self } }
      } else if let toOne = target.description.toOne(inverse.name) {
        try target.store(nil, in: toOne)
      }
    }
  }

  /// Reorders some targets of an ordered to-many relationship among the positions that they occupy.
  package func arrange(_ targets: [ManagedObject], in name: String) throws {
    let toMany = try toMany(name)
    let present = try self.targets(of: toMany)
    let arranged = Set(targets.map(\.id))
    let places = present.indices.filter { arranged.contains(present[$0].id) }
    guard places.count == targets.count, places.map({ present[$0].id }) != targets.map(\.id) else {
      return
    }
    try changeTargets(of: toMany) { list in
      for (place, target) in zip(places, targets) { list[place] = target }
    }
  }

  private func toOne(_ name: String) throws -> EntityDescription.ToOne {
    if let toOne = description.toOne(name) { return toOne }
    throw ObjectContextError.unknownProperty(entity: description.name, property: name)
  }

  private func toMany(_ name: String) throws -> EntityDescription.ToMany {
    if let toMany = description.toMany(name) { return toMany }
    throw ObjectContextError.unknownProperty(entity: description.name, property: name)
  }

  func loaded(_ toMany: EntityDescription.ToMany) -> ToManyCache? {
    known(toMany).flatMap { $0.isFault ? nil : $0 }
  }

  func known(_ toMany: EntityDescription.ToMany) -> ToManyCache? {
    toManys.isEmpty ? nil : toManys[toMany.index]
  }

  func setLoaded(_ targets: [ManagedObject], of toMany: EntityDescription.ToMany) {
    makeToManys()
    guard let known = toManys[toMany.index] else {
      toManys[toMany.index] = ToManyCache(targets: targets)
      return
    }
    // Unsaved changes in memory take precedence over the state of the store.
    guard known.isFault else { return }
    let saved = targets.map(\.id)
    let found = Set(saved)
    toManys[toMany.index] = ToManyCache(
      targets: targets + known.targets.filter { !found.contains($0.id) },
      saved: saved
    )
  }

  private func makeToManys() {
    if toManys.isEmpty { toManys = Array(repeating: nil, count: description.toManys.count) }
  }

  /// Changes the targets of a to-many relationship.
  ///
  /// The object counts as changed only if a save writes this side: if the relationship is
  /// many-to-many or ordered.
  func changeTargets(
    of toMany: EntityDescription.ToMany,
    _ change: (inout [ManagedObject]) -> Void
  ) throws {
    let targets = try targets(of: toMany)
    if var cache = toManys[toMany.index] {
      if cache.saved == nil { cache.saved = isInserted ? [] : targets.map(\.id) }
      // With a second reference to the targets, a change would copy them.
      toManys[toMany.index] = nil
      let count = cache.targets.count
      change(&cache.targets)
      if cache.targets.count >= count { cache.isRearranged = true }
      toManys[toMany.index] = cache
    }
    if toMany.isWritten { try willChange() }
  }

  /// Records a new source on the other side of a many-to-many relationship without firing that
  /// side's fault.
  ///
  /// Firing it could be expensive: a tag may have half of all tasks. The save writes the pair from
  /// the source's side.
  private func note(_ source: ManagedObject, in toMany: EntityDescription.ToMany) throws {
    guard loaded(toMany) == nil, !toMany.hasOrder else {
      return try changeTargets(of: toMany) { $0.append(source) }
    }
    try willChange()
    makeToManys()
    let added = known(toMany)?.targets ?? []
    toManys[toMany.index] = nil
    toManys[toMany.index] = ToManyCache(targets: added + [source], saved: [], isFault: true)
  }

  private func note(_ source: ManagedObject, in inverse: Relationship) throws {
    if let toOne = description.toOne(inverse.name), let former = try target(of: toOne),
      former !== source, let own = toOne.inverse.flatMap({ former.description.toOne($0.name) })
    {
      try former.store(nil, in: own)
    }
    try changeInverse(inverse, to: source) { $0.append(source) }
  }

  func forget(_ source: ManagedObject, in inverse: Relationship) throws {
    try changeInverse(inverse, to: nil) { $0.removeAll { $0 === source } }
  }

  private func changeInverse(
    _ inverse: Relationship,
    to source: ManagedObject?,
    _ change: (inout [ManagedObject]) -> Void
  ) throws {
    if inverse.isToMany {
      let toMany = try toMany(inverse.name)
      // Only an ordered to-many relationship has to be written. An unordered one that is not loaded
      // will read the change from the store.
      if loaded(toMany) != nil || toMany.hasOrder { try changeTargets(of: toMany, change) }
    } else if let toOne = description.toOne(inverse.name) {
      try store(source, in: toOne)
    }
  }

  private func storeSource(_ source: ManagedObject?, of toMany: EntityDescription.ToMany) throws {
    guard let slot = description.columns.firstIndex(where: { $0.name == toMany.inverselessColumn })
    else { return }
    try willChange()
    values[slot] = source.map { .integer($0.key) } ?? .null
    retain(source, at: slot)
  }

  func rawValue(at slot: Int) throws -> Value {
    if isFault { try context.fire(self) }
    return values[slot]
  }
}

extension EntityDescription.ToMany {
  var isWritten: Bool {
    if case .join = storage { return true }
    return hasOrder
  }

  /// Whether the relationship loses the objects that are deleted, as their side's rule decides.
  var forgetsDeleted: Bool {
    guard case .join = storage, let inverse else { return false }
    return inverse.deleteRule != .noAction
  }

  var hasOrder: Bool {
    switch storage {
    case .join(_, let side): side.orderColumn != nil
    case .inverseForeignKey(_, _, let column): column != nil
    case .foreignKey: false
    }
  }

  var inverselessColumn: String? {
    if case .inverseForeignKey(_, let column, _) = storage { return column }
    return nil
  }
}

extension ObjectContext {
  /// Deletes an object and applies the delete rules of its relationships, object by object.
  ///
  /// The next save deletes the rows and checks the deny rules. Each object that a rule reaches is
  /// loaded first, for its optimistic-lock counter.
  package func delete(_ object: ManagedObject) throws {
    var waiting = [object]
    while let next = waiting.popLast() {
      guard !next.isDeleted else { continue }
      if next.isFault { try fire(next) }
      next.flags.insert(.deleted)
      if !next.description.joins.isEmpty { hasDeletedPairs = true }
      deleted.append(next)
      waiting += try propagate(from: next).reversed()
    }
  }

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

  private func nullify(_ toOne: EntityDescription.ToOne, of object: ManagedObject) throws {
    guard let inverse = toOne.inverse, let key = try object.targetKey(of: toOne) else { return }
    if inverse.isToMany {
      // A to-many relationship that is not loaded will read the deletion from the store.
      if let source = try description(of: toOne.destination).objects.object(key),
        let toMany = source.description.toMany(inverse.name), source.loaded(toMany) != nil
      {
        source.toManys[toMany.index]?.targets.removeAll { $0 === object }
      }
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
      // The save deletes the join table's rows; only loaded to-many relationships need an update.
      // Those that this side does not know forget the object when they are read next.
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
  fileprivate func clearSource(of toMany: EntityDescription.ToMany) throws {
    if let inverse = toMany.inverse, let toOne = description.toOne(inverse.name) {
      return try store(nil, in: toOne)
    }
    try storeSource(nil, of: toMany)
  }
}
