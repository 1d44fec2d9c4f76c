import Basics
import DataModel
import PersistentStore
import Runner

extension CaseFit {
  /// The entity that a parameter names, or else the one that the kind chooses, with the reason;
  /// `nil` if the case was ruled out.
  mutating func entity(
    _ parameter: ParameterName,
    _ name: String,
    _ store: StoreOffer,
    check: (Entity) throws -> Void = { _ in },
    orElse obstacle: String,
    choose: () -> (entity: Entity, reason: String)?
  ) -> Entity? {
    guard name.isEmpty else {
      var found: Entity?
      look(parameter) {
        let entity = try store.model.knownEntity(name)
        try check(entity)
        found = entity
      }
      return found
    }
    guard let (entity, reason) = choose() else {
      ruleOut(obstacle)
      return nil
    }
    self.choose(parameter, entity.name, because: reason)
    return entity
  }

  /// The entity that a parameter names, which must have objects, or else the one with most of them.
  mutating func entity(_ parameter: ParameterName, _ name: String, _ store: StoreOffer) -> Entity? {
    entity(
      parameter,
      name,
      store,
      check: { entity in
        guard store.count(of: entity) > 0 else {
          throw Refusal.badInput("the store has no objects of '\(name)' to fetch")
        }
      },
      orElse: "the store has no objects: there is nothing to fetch",
      choose: { store.largestEntity.map { ($0, "entity '\($0.name)', the one with most objects") } }
    )
  }
}
