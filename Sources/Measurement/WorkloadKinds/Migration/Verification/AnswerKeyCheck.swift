import Generators
import PersistentStore
import Runner

/// Holds the clusters that were merged against the generator's answer key.
struct AnswerKeyCheck {
  /// What the key says of the clusters, in sentences.
  private(set) var notes: [String] = []
  /// Clusters of equal values that were not merged.
  private(set) var findings: [String] = []

  /// Finds nothing to say for a store without a recipe, or without duplicates in it.
  init(trial: Trial, clusters: DuplicateClusters, original: StoreContent) throws {
    guard let recipe = try trial.recipe?.read() else { return }
    let dataset = Dataset(recipe)
    for merge in clusters.merges {
      guard let entity = dataset.entities.first(where: { $0.name == merge.entity }),
        let duplicates = entity.duplicates
      else { continue }
      let key = duplicates.clusters.map { $0.map(entity.primaryKey(row:)) }
      try compare(merge, with: key, in: original)
    }
  }

  private mutating func compare(
    _ merge: DuplicateClusters.Merge,
    with key: [[Int64]],
    in original: StoreContent
  ) throws {
    let table = try original.table(of: merge.entity)
    var (found, total, told) = (0, 0, Set<Int64>())
    for cluster in key {
      let members = try cluster.compactMap { try original.object(key: $0, in: table) }
      guard members.count > 1 else { continue }
      total += 1
      told.formUnion(members.map(\.key))
      let survivors = Set(members.map { merge.survivors[$0.key] ?? $0.key })
      if survivors.count == 1 { found += 1 }
      let values = members.map { member in merge.attributes.map { member[$0] ?? .null } }
      let isEqual = values.allSatisfy { $0 == values[0] && !$0.contains(.null) }
      if isEqual, survivors.count > 1 {
        findings.append(
          "\(merge.entity): the answer key's cluster of \(members[0].key) was not merged"
        )
      }
    }
    let merged = Set(merge.survivors.keys).union(merge.survivors.values)
    let others = merged.subtracting(told).count
    var words = "\(merge.entity): \(found) of the answer key's \(total) clusters found"
    if found < total { words += "; the others' copies differ in what is unique" }
    if others > 0 { words += "; \(others) merged objects are in no cluster of the key" }
    notes.append(words)
  }
}
