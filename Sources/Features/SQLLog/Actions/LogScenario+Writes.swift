import DataModel
import PersistentStore

// The writes of a transaction, which become steps when the transaction ends.
extension LogScenario {
  struct Write {
    let verb: String
    let entity: Entity
    var columns: [String]
    var count = 1
  }

  /// The entity that a statement writes, and the names of all entities that match the statement
  /// equally well.
  struct WrittenEntity {
    let entity: Entity
    let names: [String]
  }

  /// A step, with the to-one relationships that it sets.
  private struct Change {
    var keys: [(String, String)]
    var links: [Relationship] = []
  }

  mutating func addWrite(_ shape: StatementShape) {
    // Skip the rows of join tables, which store many-to-many relationships.
    guard let root = model.entity(named: vocabulary.entity(of: shape.table)) else { return }
    let verb = shape.kind.rawValue
    guard !shape.isBatchRequest else {
      return note(
        "\(verb)s of \(root.name) by a batch request: add '- { \(verb): \(root.name), where: …, "
          + "batchRequest: true }' with a condition of your app's"
      )
    }
    let entity = shape.kind == .delete ? root : written(root, by: shape)
    let columns = shape.kind == .update ? shape.columns : []
    let known = writes.firstIndex { $0.verb == verb && $0.entity.name == entity.name }
    guard let index = known else {
      return writes.append(Write(verb: verb, entity: entity, columns: columns))
    }
    let former = writes[index].columns
    writes[index].columns += columns.filter { !former.contains($0) }
    writes[index].count += 1
  }

  // MARK: Families

  private mutating func written(_ root: Entity, by shape: StatementShape) -> Entity {
    guard let table = layout.table(of: root.name), table.entities.count > 1 else { return root }
    let statement = ([shape.kind.rawValue, shape.table] + shape.columns).joined(separator: " ")
    let known = writtenEntities[statement]
    let found = known ?? Self.written(root, by: shape, table, model)
    writtenEntities[statement] = found
    if found.names.count > 1 {
      note(
        "insertions of \(found.names.joined(separator: " or ")), which have the same columns: the "
          + "steps insert \(found.entity.name)"
      )
    }
    return found.entity
  }

  /// Returns the concrete entity whose columns differ least from an insertion's, or the topmost
  /// entity that has all columns of an update.
  private static func written(
    _ root: Entity,
    by shape: StatementShape,
    _ table: EntityTable,
    _ model: Model
  ) -> WrittenEntity {
    let family = model.family(of: root).map { entity in
      (entity: entity, columns: columns(of: entity, in: table, model))
    }
    let all = family.reduce(into: Set<String>()) { $0.formUnion($1.columns) }
    let used = all.intersection(shape.columns)
    if shape.kind == .update {
      let highest = family.first { used.isSubset(of: $0.columns) }?.entity ?? root
      return WrittenEntity(entity: highest, names: [highest.name])
    }
    let concrete = family.filter { !$0.entity.isAbstract }.map { member in
      (entity: member.entity, distance: member.columns.symmetricDifference(used).count)
    }
    let least = concrete.map(\.distance).min() ?? 0
    let best = concrete.filter { $0.distance == least }.map(\.entity)
    return WrittenEntity(entity: best.first ?? root, names: best.map(\.name))
  }

  private static func columns(
    of entity: Entity,
    in table: EntityTable,
    _ model: Model
  ) -> Set<String> {
    let lineage = Set(model.lineage(of: entity).map(\.name))
    let own = table.columns.filter { column in
      switch column.content {
      case .attribute, .foreignKey: lineage.contains(column.entity)
      case .foreignEntity, .inverselessKey, .orderKey: false
      }
    }
    return Set(own.map(\.name))
  }

  // MARK: Saves

  /// Adds the steps of the open transaction, and a `save` after them.
  mutating func save(_ action: String) {
    defer { writes = [] }
    let gone = Set(writes.filter { $0.verb == "delete" }.map(\.entity.name))
    // The tables with objects that are inserted or deleted but not saved.
    var unsaved: Set<String> = []
    // For each table, the entity of the unsaved new objects; and whether an unsaved change sets a
    // relationship.
    var (owners, hasLinks): ([String: String], Bool) = ([:], false)
    var hasChanges = false
    for write in writes {
      guard let change = change(by: write, gone: gone) else { continue }
      let name = write.entity.name
      let used = (write.verb == "insert" ? [] : [name]) + change.links.map(\.destination)
      let first = used.first { unsaved.contains(table(of: $0)) }
      let owner = write.verb == "insert" ? owners[table(of: name)] ?? name : name
      if first != nil || owner != name || write.verb == "delete" && hasLinks {
        note("saves that are two in the steps: a step uses only saved objects of \(first ?? owner)")
        append([("save", "")], action, joins: false)
        (unsaved, owners, hasLinks) = ([], [:], false)
      }
      // Remove a fetch of the same objects before an update or deletion, because the step fetches
      // its objects itself.
      if write.verb != "insert" { removeLoad(Self.word(name), write.count, action) }
      append(change.keys, action, joins: false)
      if write.verb != "update" { unsaved.insert(table(of: name)) }
      if write.verb == "insert" { owners[table(of: name)] = name }
      if !change.links.isEmpty { hasLinks = true }
      hasChanges = true
    }
    if hasChanges { append([("save", "")], action, joins: false) }
  }

  private func table(of entity: String) -> String { layout.table(of: entity)?.name ?? entity }

  /// Returns the step that repeats a write; `nil` if the write needs no step or cannot be repeated.
  private mutating func change(by write: Write, gone: Set<String>) -> Change? {
    let name = write.entity.name
    let head = (write.verb, Self.word(name))
    switch write.verb {
    case "insert":
      let links = links(ofNew: write.entity)
      balance[name, default: 0] += write.count
      return Change(
        keys: [head, ("objects", "\(write.count)")] + Self.targets(links)
          + blobs(ofNew: write.entity),
        links: links
      )
    case "update":
      guard var change = update(by: write, gone: gone), let objects = picked(by: write) else {
        return nil
      }
      change.keys = [head, ("objects", "\(objects)")] + change.keys
      return change
    default:
      guard !isTakenAlong(write.entity, by: gone), let objects = picked(by: write) else {
        return nil
      }
      balance[name, default: 0] -= objects
      return Change(keys: [head, ("objects", "\(objects)")])
    }
  }

  /// Returns the number of objects that an update or a deletion picks: as many as in the log, but
  /// no more than the store has; `nil` if there is no object to pick.
  private mutating func picked(by write: Write) -> Int? {
    guard let counts else { return write.count }
    let family = model.family(of: write.entity).map(\.name)
    let stored = family.reduce(0) { $0 + (counts[$1] ?? 0) }
    let isDeletion = write.verb == "delete"
    let changed = isDeletion ? [write.entity.name] : family
    let present = max(stored + changed.reduce(0) { $0 + (balance[$1] ?? 0) }, 0)
    // A deletion leaves at least one object for other steps.
    let most = isDeletion ? present - 1 : present
    guard most < write.count else { return write.count }
    let suffix = isDeletion ? ", which leaves one for other steps" : ""
    let outcome = most > 0 ? "the step picks \(most)\(suffix)" : "no step"
    note(
      "\(write.verb)s of \(write.count) objects of \(write.entity.name), of which the store then "
        + "has \(present): \(outcome)"
    )
    return most > 0 ? most : nil
  }

  /// Whether a cascade from other deleted objects also deletes the entity's objects, so that they
  /// need no deletion step.
  private func isTakenAlong(_ entity: Entity, by gone: Set<String>) -> Bool {
    gone.contains { other in
      guard other != entity.name, let source = model.entity(named: other) else { return false }
      return model.relationships(of: source).contains {
        $0.deleteRule == .cascade && $0.destination == entity.name
      }
    }
  }

  // MARK: Insertions

  private mutating func links(ofNew entity: Entity) -> [Relationship] {
    var links: [Relationship] = []
    for link in model.relationships(of: entity) where !link.isToMany && !link.isTransient {
      guard let inverse = model.inverse(of: link) else {
        if !link.isOptional { links.append(link) }
        continue
      }
      guard inverse.isToMany, !inverse.isOrdered || !link.isOptional else { continue }
      if link.isOptional, isEmpty(link.destination) {
        note(
          "objects to which '\(link.name)' of new objects of \(entity.name) leads: the store has "
            + "no \(link.destination)"
        )
      } else {
        links.append(link)
      }
    }
    return links
  }

  /// Whether the store is known to contain no objects of an entity when the next step begins.
  private func isEmpty(_ entity: String) -> Bool {
    guard let counts, let entity = model.entity(named: entity) else { return false }
    return model.family(of: entity).allSatisfy { member in
      (counts[member.name] ?? 0) + (balance[member.name] ?? 0) <= 0
    }
  }

  private static func targets(_ links: [Relationship]) -> [(String, String)] {
    guard !links.isEmpty else { return [] }
    let targets = links.map { "\(word($0.name)): uniform" }
    return [("to", "{ \(targets.joined(separator: ", ")) }")]
  }

  private func blobs(ofNew entity: Entity) -> [(String, String)] {
    let blobs = model.attributes(of: entity).filter {
      [.binary, .transformable].contains($0.type) && !$0.isOptional && !$0.isTransient
        && $0.derivation == nil
    }
    guard !blobs.isEmpty else { return [] }
    let sizes = blobs.map { "\(Self.word($0.name)): 10 KB" }
    return [("blobs", "{ \(sizes.joined(separator: ", ")) }")]
  }

  // MARK: Updates

  private mutating func update(by write: Write, gone: Set<String>) -> Change? {
    let entity = write.entity
    let columns = layout.table(of: entity.name)?.columns ?? []
    var set: [String] = []
    var links: [Relationship] = []
    var others: [String] = []
    var isByRule = false
    for column in write.columns.compactMap({ name in columns.first { $0.name == name } }) {
      switch column.content {
      case .attribute(let attribute):
        if isChangeable(attribute, of: entity) {
          set.append(Self.word(attribute.name))
        } else {
          others.append(attribute.name)
        }
      case .foreignKey(let link):
        if isGone(link.destination, gone) {
          isByRule = true
        } else if isMovable(link, of: entity) {
          links.append(link)
        } else {
          others.append(link.name)
        }
      case .foreignEntity, .inverselessKey, .orderKey: continue
      }
    }
    for name in others { note("changes of \(entity.name).\(name), which the steps leave out") }
    guard set.isEmpty, links.isEmpty else {
      let values = set.isEmpty ? [] : [("set", "[\(set.joined(separator: ", "))]")]
      return Change(keys: values + Self.targets(links), links: links)
    }
    if others.isEmpty, !isByRule {
      note("updates of \(entity.name) without a property that a step changes")
    }
    return nil
  }

  /// Whether the transaction deletes objects to which a relationship may refer.
  private func isGone(_ destination: String, _ gone: Set<String>) -> Bool {
    model.entity(named: destination).map { gone.contains(model.root(of: $0).name) } ?? false
  }

  /// Whether a step can set an entity's relationship to other objects.
  private func isMovable(_ link: Relationship, of entity: Entity) -> Bool {
    model.relationships(of: entity).contains { $0.name == link.name && !$0.isTransient }
      && model.inverse(of: link)?.isToMany != false && !isEmpty(link.destination)
  }

  /// Whether a step can change the value of an attribute.
  private func isChangeable(_ attribute: Attribute, of entity: Entity) -> Bool {
    let types: [AttributeType] = [
      .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .uri,
    ]
    let unique = model.lineage(of: entity).flatMap { $0.uniquenessConstraints.joined() }
    guard types.contains(attribute.type), !attribute.isTransient, attribute.derivation == nil,
      !unique.contains(attribute.name),
      model.attributes(of: entity).contains(where: { $0.name == attribute.name })
    else { return false }
    return attribute.changed(1) != attribute.changed(2)
  }
}
