/// Which objects are edited and which are deleted, and in what order.
struct AgingPlan: Sendable {
  /// What happens to one object.
  struct Action: Hashable, Sendable {
    let entity: String
    let row: Int
    let isDeletion: Bool
  }

  private struct Share: Sendable {
    let entity: String
    let rows: [UInt32]
    let isDeletion: Bool
    /// The place of its first action among all.
    let first: Int
  }

  private let shares: [Share]
  private let shuffle: Permutation
  let count: Int

  /// Chooses objects by keyed permutations; duplicates and their originals are left alone, so that
  /// the list of them stays true.
  init(_ age: AgeRecipe, dataset: Dataset, key: StreamKey) {
    let rules = AgingRules(recipe: dataset.recipe)
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

  /// The rows to delete and those to edit, none of them twice.
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

  /// What happens as the index-th.
  subscript(index: Int) -> Action {
    let place = shuffle.image(of: index)
    // A few entities: a search would not be faster.
    let share = shares.last { $0.first <= place } ?? shares[0]
    return Action(
      entity: share.entity,
      row: Int(share.rows[place - share.first]),
      isDeletion: share.isDeletion
    )
  }

  /// The edits alone, in the order they are made.
  var edits: some Sequence<Action> {
    (0..<count).lazy.map { self[$0] }.filter { !$0.isDeletion }
  }
}
