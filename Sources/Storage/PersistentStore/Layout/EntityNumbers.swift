import DataModel

/// The entity numbers of a store, Z_ENT, from 1 (coredata-format.md, section 3).
///
/// Root entities by name without regard to case, each followed depth first by its sub-entities.
package struct EntityNumbers: Hashable, Sendable {
  /// The numbers of the history entities, present only where history is kept.
  package static let change = 16001
  package static let transaction = 16002
  package static let transactionString = 16003

  /// The entities in the order of their numbers; the first is number 1.
  package let entities: [Entity]
  private let numbers: [String: Int]

  package init(model: Model) {
    entities = model.entities.filter { $0.superentity == nil }.flatMap(model.family)
    numbers = Dictionary(
      entities.enumerated().map { ($1.name, $0 + 1) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The number of an entity; `nil` where the model has none of that name.
  package subscript(name: String) -> Int? { numbers[name] }

  /// The entity of a number.
  package func entity(_ number: Int) -> Entity? {
    entities.indices.contains(number - 1) ? entities[number - 1] : nil
  }
}
