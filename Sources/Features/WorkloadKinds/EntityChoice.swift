import Basics
import DataModel
import PersistentStore
import Runner

extension CaseFit {
  /// Checks the entity that a parameter names or, if the parameter is empty, chooses an entity.
  ///
  /// - Returns: The entity; `nil` if the case was ruled out or the name was rejected.
  mutating func entity(
    _ parameter: ParameterName,
    _ name: String,
    _ store: StoreOffer,
    check: (Entity) throws -> Void = { _ in },
    orElse obstacle: String,
    choose: () -> (entity: Entity, reason: String)?
  ) -> Entity? {
    let checked: (String) throws -> Void = { name in
      try check(store.model.knownEntity(name))
    }
    let found = self.name(parameter, name, check: checked, orElse: obstacle) {
      choose().map { ($0.entity.name, $0.reason) }
    }
    return found.flatMap(store.model.entity(named:))
  }

  mutating func name(
    _ parameter: ParameterName,
    _ name: String,
    check: (String) throws -> Void,
    orElse obstacle: String,
    choose: () -> (name: String, reason: String)?
  ) -> String? {
    guard name.isEmpty else {
      var isFit = false
      look(parameter) {
        try check(name)
        isFit = true
      }
      return isFit ? name : nil
    }
    guard let (chosen, reason) = choose() else {
      ruleOut(obstacle)
      return nil
    }
    self.choose(parameter, chosen, because: reason)
    return chosen
  }

  /// The entity that a parameter names, which must have objects; if the parameter is empty, the
  /// entity with the most objects.
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
