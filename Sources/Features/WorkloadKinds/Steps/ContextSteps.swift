import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Performs the steps through an object context, as a Core Data or SwiftData app would.
final class ContextSteps: StepEngine {
  private let store: PersistentStore
  private let context: ObjectContext
  private let batches: StepBatches
  private var files: BlobFiles
  /// The attributes that contain names of the app's own files, by the number of their entity.
  private let fileNames: [Int: [KeptBlob]]
  private var kept: [String: [ManagedObject]] = [:]
  /// The objects that are not saved yet, by the keys that the save will give them; `nil` if no step
  /// refers to unsaved objects.
  private var unsaved: [ObjectID: ManagedObject]?
  /// The readers of the steps' objects, by step number.
  private var readers: [Int: ObjectReader] = [:]

  var connection: Connection? { store.connection }
  var statistics: ObjectContext.Statistics { context.statistics }
  var fileCounters: FileBytes.Counters {
    files.counters + context.fileCounters + batches.fileCounters
  }
  var liveObjects: Int { context.liveObjects }
  var memoryBytes: Int { context.memoryBytes }

  init(_ store: PersistentStore, _ places: BlobPlaces, leadsToNew: Bool) throws {
    self.store = store
    unsaved = leadsToNew ? [:] : nil
    context = try ObjectContext(store: store)
    batches = StepBatches(store, recordsHistory: true)
    files = BlobFiles(appFilesOf: store)
    fileNames = Dictionary(
      uniqueKeysWithValues: store.layout.numbers.entities.enumerated().map { index, entity in
        (index + 1, places.of(entity).filter { $0.strategy == .file })
      }
    ).filter { !$0.value.isEmpty }
  }

  private func request(_ step: StepForm, faults: Bool = false) -> FetchRequest {
    var request = step.fetch.request(for: step.entity.name, predicate: step.subject.predicate)
    request.includesPropertyValues = !faults
    return request
  }

  func fetch(_ step: StepForm, _ read: (inout TakenValues) throws -> Void) throws -> Int {
    let found = try context.fetch(request(step))
    try take((0..<min(step.step.read ?? .max, found.count)).lazy.map(found.object), step, read)
    return found.count
  }

  func read(_ step: StepForm, _ keys: [Int64], _ read: (inout TakenValues) throws -> Void) throws {
    let found = try context.load(step.entity.name, keys)
    try take(found, step, read)
  }

  private func take(
    _ objects: some Sequence<ManagedObject>,
    _ step: StepForm,
    _ read: (inout TakenValues) throws -> Void
  ) throws {
    let reader =
      try readers[step.number]
      ?? ObjectReader(step.subject, context: context) { [unowned self] in
        try $0.blob(of: $1, &files)
      }
    readers[step.number] = reader
    var taken = TakenValues(of: step.subject)
    var held: [ManagedObject] = []
    for object in objects {
      try reader.read(object, isTouched: true, into: &taken)
      if !step.step.keptAs.isEmpty { held.append(object) }
      try read(&taken)
    }
    if !step.step.keptAs.isEmpty { kept[step.step.keptAs] = held }
  }

  func count(_ step: StepForm) throws -> Int { try context.count(request(step)) }

  func find(_ step: StepForm) throws -> [Int64] {
    var keys: [Int64] = []
    try context.fetch(request(step, faults: true)).each { keys.append($0.key) }
    return keys
  }

  func insert(_ step: StepForm, _ objects: [StepOperation.NewObject]) throws {
    let description = try context.description(of: step.entity.name)
    let kept = step.values.names.map { step.values.kept[$0] }
    let slots = try zip(step.values.names, kept).map {
      $1?.isElsewhere == true ? -1 : try description.slot(of: $0)
    }
    for new in objects {
      let object = try context.insert(step.entity.name)
      unsaved?[ObjectID(entity: description.number, key: new.key)] = object
      for (place, value) in step.values.values(of: new.key).enumerated() {
        if let blob = kept[place], blob.isElsewhere {
          try object.setBlob(value, of: blob, &files)
        } else {
          try object.setValue(value, at: slots[place])
        }
      }
      try lead(object, new.links)
    }
  }

  private func lead(_ object: ManagedObject, _ links: [StepOperation.Link]) throws {
    for link in links {
      guard let entity = context.layout.numbers.entity(Int(link.entity))?.name else { continue }
      let description = try context.description(of: entity)
      let target = link.key.map { key in
        unsaved?[ObjectID(entity: description.number, key: key)]
          ?? context.object(description, key: key)
      }
      if let target, object.description.toMany(link.relationship) != nil {
        try object.add(target, to: link.relationship)
      } else {
        try object.setTarget(target, of: link.relationship)
      }
    }
  }

  /// The objects with the given keys: objects that the app has kept, objects fetched together, or
  /// faults.
  private func objects(_ step: StepForm, _ keys: [Int64]) throws -> [ManagedObject] {
    if let held = kept[step.step.from] {
      let wanted = Set(keys)
      return held.filter { wanted.contains($0.key) && !$0.isDeleted }
    }
    guard !step.step.fetchesFirst else { return try context.load(step.entity.name, keys) }
    let description = try context.description(of: step.entity.name)
    return keys.map { context.object(description, key: $0) }
  }

  func upsert(_ step: StepForm, _ records: StepOperation.Records) throws {
    let found = try context.objects(
      of: step.entity.name,
      by: records.attribute,
      among: records.identities
    )
    for (identity, change) in records.present {
      if let object = found[identity] { try set(change, object, step) }
    }
    try insert(step, records.new.filter { found[$0.identity] == nil }.map(\.object))
  }

  private func set(
    _ change: StepOperation.ObjectChange,
    _ object: ManagedObject,
    _ step: StepForm
  ) throws {
    for (name, value) in change.values { try object.setValue(value, of: name) }
    for (name, value) in step.values.blobValues(of: change) {
      if let blob = step.values.kept[name] {
        try object.setBlob(value, of: blob, &files)
      } else {
        try object.setValue(value, of: name)
      }
    }
    for loss in change.losses {
      let keys = Set(loss.keys)
      try object.remove(from: loss.relationship.name) { keys.contains($0.key) }
    }
    try lead(object, change.links)
  }

  func update(_ step: StepForm, _ changes: [StepOperation.ObjectChange]) throws {
    guard !step.step.isBatchRequest else {
      try batches.update(step, changes)
      return reset()
    }
    let known = Dictionary(keepingFirst: changes.map { ($0.key, $0) })
    for object in try objects(step, changes.map(\.key)) {
      if let change = known[object.key] { try set(change, object, step) }
    }
  }

  func delete(_ step: StepForm, _ keys: [Int64]) throws {
    guard !step.step.isBatchRequest else {
      try batches.delete(step, keys)
      return reset()
    }
    for object in try objects(step, keys) { try context.delete(object) }
  }

  func save() throws {
    if !fileNames.isEmpty {
      for object in context.deletedObjects {
        for blob in fileNames[object.description.number] ?? [] {
          guard case .text(let name) = try object.value(of: blob.attribute) else { continue }
          files.abandon(name)
        }
      }
    }
    try context.save()
    unsaved?.removeAll()
    try files.didCommit()
  }

  func reset() {
    kept = [:]
    unsaved?.removeAll()
    context.reset()
  }
}
