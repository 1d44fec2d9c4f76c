import DataModel
import PersistentStore

/// Finds the object that an insertion with equal unique values falls together with, as SwiftData
/// merges what is inserted under a value that is there already.
///
/// Keeps the objects since the last save.
final class UniqueObjects {
  private struct Values: Hashable {
    let entity: String
    let values: [Value]
  }

  private let context: ObjectContext
  /// By the destination's entity, the attributes of its constraints.
  private let constraints: [String: [[String]]]
  private var unsaved: [Values: ManagedObject] = [:]
  /// Insertions that became updates.
  private(set) var merged = 0

  init(context: ObjectContext) {
    self.context = context
    let model = context.layout.model
    constraints = Dictionary(
      model.entities.map { entity in
        (entity.name, model.lineage(of: entity).flatMap(\.uniquenessConstraints))
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The object that a copy goes into: one that is there with equal values, or a new one.
  func upsert(_ carried: CarriedObject) throws -> ManagedObject {
    let entity = carried.copy.destination
    var found: ManagedObject?
    for attributes in constraints[entity, default: []] where found == nil {
      found = try existing(entity, attributes, carried)
    }
    let object = try found ?? context.insert(entity)
    if found != nil { merged += 1 }
    try object.fill(from: carried)
    for attributes in constraints[entity, default: []] {
      if let values = values(of: attributes, carried) {
        unsaved[Values(entity: entity, values: values)] = object
      }
    }
    return object
  }

  /// Lets go of the objects that a fetch finds now.
  func didSave() { unsaved.removeAll(keepingCapacity: true) }

  private func existing(
    _ entity: String,
    _ attributes: [String],
    _ carried: CarriedObject
  ) throws -> ManagedObject? {
    guard let values = values(of: attributes, carried) else { return nil }
    if let object = unsaved[Values(entity: entity, values: values)] { return object }
    let conditions = zip(attributes, values).map { Predicate.comparison($0, .equal, $1) }
    let found = try context.fetch(
      FetchRequest(entity, predicate: .and(conditions), fetchLimit: 1)
    )
    return try found.count > 0 ? found.object(at: 0) : nil
  }

  /// The object's values of a constraint; `nil` where one is missing, which equals nothing.
  private func values(of attributes: [String], _ carried: CarriedObject) -> [Value]? {
    let values = attributes.compactMap { name in
      carried.copy.attributes.firstIndex { $0.destination.name == name }
        .map { carried.values[$0] }
    }
    return values.count == attributes.count && !values.contains(.null) ? values : nil
  }
}
