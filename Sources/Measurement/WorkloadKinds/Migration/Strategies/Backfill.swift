import DataModel
import PersistentStore
import Runner
import SQLite

/// Fills a new attribute from an old one that stays, while the app reads both.
///
/// CloudKit's schema only grows: nothing is renamed, retyped or dropped.
struct Backfill {
  /// Objects that a screen reads between two batches.
  static let screen = 20

  let entity: String
  let old: Attribute
  let new: Attribute
  let transformation: ValueTransformation

  /// - Throws: ``MigrationCaseError/notAdditive(_:)`` and
  ///   ``MigrationCaseError/noAttribute(entity:attribute:transformation:)``.
  init(_ parameters: MigrationParameters, mapping: MappingModel) throws {
    let others = mapping.changes.filter { !$0.isAddition }
    guard others.isEmpty else {
      throw MigrationCaseError.notAdditive(others.map(\.description))
    }
    for found in mapping.entities {
      guard found.source != nil,
        parameters.entity.isEmpty || found.destination == parameters.entity,
        let new = found.attributes.first(where: {
          $0.source == nil
            && (parameters.attribute.isEmpty || $0.destination.name == parameters.attribute)
        })?.destination,
        let old = found.attributes.first(where: {
          $0.source != nil && $0.destination.type == new.type
            && (parameters.beside.isEmpty || $0.destination.name == parameters.beside)
        })?.destination,
        let fitting = parameters.transformation.resolved(for: new)
      else { continue }
      (entity, self.old, self.new, transformation) = (found.destination, old, new, fitting)
      return
    }
    throw MigrationCaseError.noAttribute(
      entity: parameters.entity,
      attribute: parameters.attribute,
      transformation: parameters.transformation.rawValue
    )
  }

  /// Fills batch by batch; between two batches a screen is read, each value from where it is.
  func run(on store: PersistentStore, _ parameters: MigrationParameters, _ recorder: Recorder)
    throws
  {
    let context = try ObjectContext(store: store)
    defer { recorder.count(context) }
    var filled: ArraySlice<Int64> = []
    try context.forEachPage(of: entity, size: parameters.batchSize) { batch in
      try fill(batch, context)
      try context.save()
      context.reset()
      let half = Self.screen / 2
      filled = (filled + batch).suffix(half)
      let unfilled = try context.keys(of: entity, after: filled.last ?? .min, limit: half)
      try readScreen(filled + unfilled, context, recorder)
    }
  }

  private func fill(_ keys: [Int64], _ context: ObjectContext) throws {
    let objects = try context.objects(entity, keys: keys, fetchBatchSize: keys.count)
    for index in keys.indices {
      let object = try objects.object(at: index)
      // A value that the app has written since is newer than the old attribute.
      guard try object.value(of: new.name) == new.defaultValue else { continue }
      let value = try transformation(object.value(of: old.name), of: old.type)
      if value != .null { try object.setValue(value, of: new.name) }
    }
  }

  /// Reads a screen of objects at the border of what is filled: the new value, else the old one's.
  private func readScreen(
    _ keys: ArraySlice<Int64>,
    _ context: ObjectContext,
    _ recorder: Recorder
  ) throws {
    let shown = Array(keys)
    let objects = try context.objects(entity, keys: shown, fetchBatchSize: shown.count)
    var isNew = 0
    for index in shown.indices {
      let object = try objects.object(at: index)
      if try object.value(of: new.name) != new.defaultValue {
        isNew += 1
      } else {
        _ = try transformation(object.value(of: old.name), of: old.type)
      }
    }
    recorder.count(.migration.newReads, isNew)
    recorder.count(.migration.oldReads, shown.count - isNew)
    context.reset()
  }

  /// Expects every object to have the new value beside the old one.
  func apply(to expected: inout ExpectedContent) throws {
    try expected.change(entity) { object in
      guard let value = object[old.name] else { return }
      switch (transformation, value) {
      case (.uppercased, .text(let text)):
        // SQL's upper() is the other voice: ASCII letters only.
        let upper = text.unicodeScalars.map { $0.isASCII ? String($0).uppercased() : String($0) }
        try object.set(new.name, .text(upper.joined()))
      case (_, .integer(let number)) where transformation != .wholeSeconds:
        let result = transformation(.integer(number), of: new.type)
        try object.set(new.name, ContentValue(result))
      case (.wholeSeconds, .integer): try object.set(new.name, value)
      case (.wholeSeconds, .real(let seconds)):
        let whole = seconds.rounded(.down)
        try object.set(new.name, Int64(exactly: whole).map { .integer($0) } ?? .real(whole))
      default: return
      }
    }
  }
}

extension ModelChange {
  /// Whether a store that grew by it still says everything that it said before.
  fileprivate var isAddition: Bool {
    switch self {
    case .entityAdded, .attributeAdded, .relationshipAdded, .indexAdded: true
    default: false
    }
  }
}
