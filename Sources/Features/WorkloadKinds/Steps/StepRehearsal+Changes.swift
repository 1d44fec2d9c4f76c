import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

// Applies the changes of a case's steps to the rehearsal's copy of the starting store.
extension StepRehearsal {
  func insert(_ objects: [StepOperation.NewObject], _ step: Step) throws {
    guard let entity = model.entity(named: step.entity) else { return }
    let names = try EntityNames(step.entity, in: layout)
    let values = StepValues(step, entity, places, seed: seed)
    for object in objects {
      let row = try zip(values.names, values.values(of: object.key)).map { name, value in
        (name, try columnValue(value, of: name, values, object.key, names, version: 0))
      }
      try expected.insert(object.key, row, in: names)
      fresh[names.table, default: []].insert(object.key)
      for link in object.links {
        touch(try links.lead(link, of: object.key, in: names, isNew: true))
      }
    }
    newest[names.table] = objects.map(\.key)
    known = nil
    let family = Set(model.lineage(of: entity).map(\.name))
    for name in family { keys[name]? += objects.map(\.key) }
  }

  /// Chooses the records of an upsert, half of which belong to existing objects, and applies them.
  ///
  /// Only objects with a unique value of the identifying attribute are chosen, because the upsert
  /// finds objects by this value.
  func upsert(
    _ step: Step,
    _ number: Int,
    _ say: (StepOperation.Records) throws -> Void
  ) throws {
    guard let attribute = step.upsert, let entity = model.entity(named: step.entity) else { return }
    let names = try EntityNames(step.entity, in: layout)
    let column = try names.column(attribute)
    let rows = try expected.read(
      "SELECT min(Z_PK), \(column) FROM \(names.table) "
        + "WHERE Z_ENT IN (\(layout.numberList(ofFamily: step.entity))) AND \(column) IS NOT NULL "
        + "GROUP BY \(column) HAVING count(*) = 1 ORDER BY 1"
    )
    let identities = Dictionary(keepingFirst: rows.map { ($0[0].integer ?? 0, $0[1]) })
    let count = picks.count(of: step)
    let present = picks.pick(
      count / 2,
      step,
      number,
      among: rows.compactMap { $0[0].integer }
    )
    let values = StepValues(step, entity, places, seed: seed)
    let blobs = step.blobs.isEmpty ? nil : values
    var records = StepOperation.Records(attribute: attribute)
    for key in present {
      // Give each change a record of its own, so that its values differ from the object's current
      // values.
      let change = try change(key, step, number, names, blobs: blobs) { change in
        let refreshed = values.refreshed(by: key + Int64(changes) << 32)
        change.values = try refreshed.filter {
          try stored($0.property, of: key, names) != $0.value
        }
      }
      records.present.append((identities[key] ?? .null, change))
    }
    let new = try newObjects(count - present.count, step, number)
    let place = values.names.firstIndex(of: attribute)
    records.new = new.map { object in
      (place.map { values.values(of: object.key)[$0] } ?? .null, object)
    }
    try say(records)
    try insert(new, step)
  }

  /// The value to store in an attribute's column; for a blob, the value that its strategy stores
  /// there.
  private func columnValue(
    _ value: Value,
    of name: String,
    _ values: StepValues,
    _ key: Int64,
    _ names: EntityNames,
    version: Int
  ) throws -> Value {
    guard case .blob(let bytes) = value else { return value }
    if let blob = values.kept[name], blob.isElsewhere {
      return try keep(bytes, of: blob, key, names.number, version)
    }
    // A blob of an attribute with external storage begins with the byte 1 if it is stored in the
    // row.
    return values.externalNames.contains(name) ? .blob([1] + bytes) : value
  }

  /// Stores a blob in a file or as a separate object, and returns the file's name or the object's
  /// key.
  private func keep(
    _ bytes: [UInt8],
    of blob: KeptBlob,
    _ key: Int64,
    _ entity: Int64,
    _ version: Int
  ) throws -> Value {
    if blob.strategy == .file {
      let name = "expected-\(blob.holder)-\(key)-\(version)"
      try expected.write(bytes, toFile: name)
      return .text(name)
    }
    let holder = try nextKey(of: blob.holder)
    let names = try EntityNames(blob.holder, in: layout)
    try expected.insert(holder, [(BlobScenario.data, .blob(bytes))], in: names)
    fresh[names.table, default: []].insert(holder)
    let owner = StepOperation.Link(relationship: BlobScenario.owner, key: key, entity: entity)
    _ = try links.lead(owner, of: holder, in: names, isNew: true)
    return .integer(holder)
  }

  /// Changes an object, and returns the changes that are not already in the store.
  func update(
    _ key: Int64,
    _ step: Step,
    _ number: Int,
    _ names: EntityNames,
    blobs: StepValues?
  ) throws -> StepOperation.ObjectChange {
    try change(key, step, number, names, blobs: blobs) { change in
      for setting in step.set {
        if let value = try newValue(setting, of: key, step, names) {
          change.values.append((setting.name, value))
        }
      }
    }
  }

  /// Changes an object's values as `collect` determines, and its relationship targets as the step
  /// determines.
  private func change(
    _ key: Int64,
    _ step: Step,
    _ number: Int,
    _ names: EntityNames,
    blobs: StepValues? = nil,
    _ collect: (inout StepOperation.ObjectChange) throws -> Void
  ) throws -> StepOperation.ObjectChange {
    var change = StepOperation.ObjectChange(key: key)
    changes += 1
    try collect(&change)
    try expected.set(change.values, of: key, in: names, raises: false)
    if !change.values.isEmpty { touch([(names.table, key)]) }
    if let blobs {
      change.blobs = changes
      change.unchanged = try replaceBlobs(of: key, blobs, names)
    }
    for loss in try losses(of: key, step, number, names) {
      change.losses.append(loss)
      touch(try links.take(loss, from: key, in: names))
    }
    for link in try newLinks(step, number) {
      let rows = try links.lead(link, of: key, in: names, isNew: false)
      if !rows.isEmpty { change.links.append(link) }
      touch(rows)
    }
    return change
  }

  /// Gives an object new blobs and texts; a separate object that holds a blob is kept and gets the
  /// new bytes.
  ///
  /// - Returns: The attributes whose new text the object already has.
  private func replaceBlobs(
    of key: Int64,
    _ values: StepValues,
    _ names: EntityNames
  ) throws -> Set<String> {
    var unchanged: Set<String> = []
    for (name, value) in values.blobValues(of: key, version: changes) {
      if let blob = values.kept[name], blob.strategy == .separateEntity,
        case .integer(let holder) = try stored(name, of: key, names)
      {
        let holders = try EntityNames(blob.holder, in: layout)
        try expected.set([(BlobScenario.data, value)], of: holder, in: holders, raises: false)
        touch([(holders.table, holder)])
        continue
      }
      // A short new text may equal the old text; then the object does not change.
      if case .text = value, try stored(name, of: key, names) == value {
        unchanged.insert(name)
        continue
      }
      let column = try columnValue(value, of: name, values, key, names, version: changes)
      try expected.set([(name, column)], of: key, in: names, raises: false)
      touch([(names.table, key)])
    }
    return unchanged
  }

  private func stored(_ name: String, of key: Int64, _ names: EntityNames) throws -> Value {
    try expected.read(
      "SELECT \(names.column(name)) FROM \(names.table) WHERE Z_PK = ?1",
      .integer(key)
    ).first?[0] ?? .null
  }

  /// Sets the same values in all chosen objects and increments their versions, as a batch request
  /// does.
  func updateAll(
    _ chosen: [Int64],
    _ step: Step,
    _ say: ([StepOperation.ObjectChange]) throws -> Void
  ) throws {
    guard let entity = model.entity(named: step.entity) else { return }
    let names = try EntityNames(step.entity, in: layout)
    let values = try step.set.compactMap { setting -> PropertyValue? in
      let attribute = try model.storedAttribute(setting.name, of: entity)
      guard case .value(let value) = try setting.change(of: attribute) else { return nil }
      return (setting.name, value)
    }
    for key in chosen {
      try expected.set(values, of: key, in: names, raises: false)
      try expected.change(
        "UPDATE \(names.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1",
        .integer(key)
      )
    }
    known = nil
    // Report the operation only after the change. A list that a background step reads must match
    // the store as it was either before or after the whole request.
    try say(chosen.map { StepOperation.ObjectChange(key: $0, values: values) })
  }

  /// The value that a step sets; `nil` if the object already has it.
  private func newValue(
    _ setting: Step.Setting,
    of key: Int64,
    _ step: Step,
    _ names: EntityNames
  ) throws -> Value? {
    guard let entity = model.entity(named: names.entity) else { return nil }
    let attribute = try model.storedAttribute(setting.name, of: entity)
    let present = try stored(setting.name, of: key, names)
    var value: Value
    switch try setting.change(of: attribute) {
    case .value(let given): value = given
    case .more(let amount):
      let added = present.plus(amount, of: attribute.type)
      guard let sum = added, attribute.limit(brokenBy: sum) == nil else {
        let number = present.integer.map { "\($0)" } ?? (present.number ?? 0).shortest
        let limit = added == nil ? "the type \(attribute.type.name)" : "the model's limits"
        throw Refusal(
          .caseFailed,
          "\(step.placedWords): '\(setting.name)' of the object \(key) is \(number), and "
            + "'\(setting.text ?? "")' would exceed \(limit): choose other objects by 'where'"
        )
      }
      value = sum
    case .another:
      // The model's limits may allow so few values that a new value equals the old one.
      let first = changes
      value = attribute.changed(changes)
      while value == present, changes - first < 100 {
        changes += 1
        value = attribute.changed(changes)
      }
    }
    return value == present ? nil : value
  }

  /// Deletes objects and applies the delete rules; returns the effect.
  ///
  /// `left` collects the remaining rows that lost a reference, so that each counts once per step.
  func delete(
    _ chosen: [Int64],
    _ step: Step,
    leaving left: inout [String: Set<Int64>]
  ) throws -> DeletionEffect {
    let before = left.values.reduce(0) { $0 + $1.count }
    let closure = try DeletionClosure(of: step.entity, keys: chosen, in: content())
    let denials = try SaveObstacle.denials(of: closure)
    if step.isBatchRequest, let first = denials.first { throw first.refusal(of: step) }
    let (changed, emptied) = try expected.remove(closure)
    for (table, rows) in changed { left[table, default: []].formUnion(rows) }
    // A batch request does not increment the versions of the remaining objects.
    if !step.isBatchRequest {
      for (table, rows) in changed { touched[table, default: []].formUnion(rows) }
      obstacles += denials.map { (step, $0) }
      // Only a context checks mandatory references; plain statements do not.
      if parameters.engine == .objectGraph { obstacles += emptied.map { (step, $0) } }
    }
    for (root, keys) in closure.removed {
      gone[root, default: []].formUnion(keys)
      if let table = layout.table(of: root)?.name {
        touched[table]?.subtract(keys)
        left[table]?.subtract(keys)
      }
      for name in kept.keys where layout.table(of: root) != nil {
        kept[name]?.removeAll { closure.removed[self.root(ofKept: name)]?.contains($0) ?? false }
      }
    }
    keys = [:]
    known = nil
    return DeletionEffect(
      removed: closure.count,
      leftBehind: left.values.reduce(0) { $0 + $1.count } - before
    )
  }

  private func root(ofKept name: String) -> String {
    let entity = steps.first { $0.keptAs == name }?.entity ?? ""
    return layout.table(of: entity)?.root ?? entity
  }
}
