import DataModel

/// The objects to edit or delete, in the order of the edits and deletions.
struct AgingPlan: Sendable {
  struct Action: Hashable, Sendable {
    let entity: String
    let row: Int
    let isDeletion: Bool
  }

  private struct Share: Sendable {
    let entity: String
    let rows: [UInt32]
    let isDeletion: Bool
    let first: Int
  }

  private let shares: [Share]
  private let shuffle: Permutation
  let count: Int

  /// Chooses objects at random, as the seed determines.
  ///
  /// Duplicates and their originals are excluded, so that the list of duplicates stays correct.
  init(_ age: AgeRecipe, dataset: Dataset, key: StreamKey) {
    let rules = Rules(recipe: dataset.recipe)
    var shares: [Share] = []
    var first = 0
    for entity in dataset.recipe.entities
    where age.entities.isEmpty || age.entities.contains(entity.name) {
      let clusters = (try? dataset.entity(entity.name))?.duplicates
      let canDelete = rules.canDelete(entity.name)
      let canEdit = !rules.editable(entity).isEmpty
      var chosen = Self.rows(
        canDelete ? Self.count(age.deletes, entity.count) : 0,
        canEdit ? Self.count(age.edits, entity.count) : 0,
        of: entity.count,
        key: key.derived(entity.name),
        except: { clusters?.rows.contains($0) == true }
      )
      for isDeletion in [true, false] where !chosen[0].isEmpty || !chosen[1].isEmpty {
        let rows = chosen[isDeletion ? 0 : 1]
        chosen[isDeletion ? 0 : 1] = []
        guard !rows.isEmpty else { continue }
        shares.append(Share(entity: entity.name, rows: rows, isDeletion: isDeletion, first: first))
        first += rows.count
      }
    }
    self.shares = shares
    count = first
    shuffle = Permutation(count: first, key: key.derived("order"))
  }

  private static func count(_ share: Double, _ objects: Int) -> Int {
    Int((share * Double(objects)).rounded())
  }

  private static func rows(
    _ deletes: Int,
    _ edits: Int,
    of count: Int,
    key: StreamKey,
    except isSpared: (Int) -> Bool
  ) -> [[UInt32]] {
    let order = Permutation(count: count, key: key)
    var rows: [[UInt32]] = [[], []]
    for place in 0..<count {
      guard rows[0].count < deletes || rows[1].count < edits else { break }
      let row = order.image(of: place)
      guard !isSpared(row) else { continue }
      rows[rows[0].count < deletes ? 0 : 1].append(UInt32(row))
    }
    return rows
  }

  subscript(index: Int) -> Action {
    let place = shuffle.image(of: index)
    // A linear search is fast enough, because each entity has at most one share of edits and one
    // share of deletions.
    let share = shares.last { $0.first <= place } ?? shares[0]
    return Action(
      entity: share.entity,
      row: Int(share.rows[place - share.first]),
      isDeletion: share.isDeletion
    )
  }

  var edits: some Sequence<Action> {
    (0..<count).lazy.map { self[$0] }.filter { !$0.isDeletion }
  }

  /// The rules that determine, from the model and the recipe alone, which objects can be deleted
  /// and which attributes can be edited.
  struct Rules {
    let recipe: Recipe

    func canDelete(_ entity: String) -> Bool {
      canDelete(entity, passed: [])
    }

    private func canDelete(_ name: String, passed: Set<String>) -> Bool {
      // Do not recheck an entity that the cascade of deletions has already reached.
      guard !passed.contains(name), let entity = recipe.model.entity(named: name) else {
        return true
      }
      let passed = passed.union([name])
      return recipe.model.lineage(of: entity).flatMap(\.relationships).allSatisfy { relationship in
        switch relationship.deleteRule {
        case .deny, .noAction: return false
        case .nullify:
          guard let inverse = recipe.model.inverse(of: relationship) else { return true }
          return inverse.isOptional || inverse.isToMany
        case .cascade:
          guard let target = recipe.model.entity(named: relationship.destination) else {
            return false
          }
          return recipe.model.family(of: target).allSatisfy { canDelete($0.name, passed: passed) }
        }
      }
    }

    /// The attributes of an entity whose values an edit may change.
    ///
    /// Identifying attributes, attributes on which others depend, and blobs are excluded.
    func editable(_ recipe: EntityRecipe) -> [String] {
      guard let entity = self.recipe.model.entity(named: recipe.name) else { return [] }
      let unique = self.recipe.model.lineage(of: entity).flatMap(\.uniquenessConstraints).joined()
      let followed = recipe.attributes.values.flatMap(\.bases)
      let fixed = Set(unique).union(followed).union(recipe.duplicates?.key ?? [])
        .union(
          Dependencies(model: self.recipe.model, entities: self.recipe.entities)
            .followed[recipe.name] ?? []
        )
      return self.recipe.model.attributes(of: entity)
        .filter { !$0.isTransient && $0.derivation == nil && !fixed.contains($0.name) }
        .filter { attribute in
          guard let described = recipe.attributes[attribute.name] else { return false }
          return !described.isDistinct && described.condition == nil && described.rule.isEditable
        }
        .map(\.name)
    }
  }
}
