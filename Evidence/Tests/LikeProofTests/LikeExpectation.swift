import Basics
import DataModel

@testable import Generators

extension LikeRecipe {
  /// Returns the expected contents of a store of the recipe, with the parts that cannot resemble
  /// the original.
  func expectation(of recipe: Recipe) -> FidelityExpectation {
    let wanted = wantedCounts
    var changes: [FidelityExpectation.Change] = []
    for entity in profile.model.entities where !entity.isAbstract {
      func add(_ reason: FidelityExpectation.Change.Reason, _ property: String = "") {
        changes.append(
          FidelityExpectation.Change(entity: entity.name, property: property, reason: reason)
        )
      }
      let count = recipe.entity(named: entity.name)?.count ?? 0
      if count < wanted[entity.name] ?? 0 { add(.room) }
      if count > wanted[entity.name] ?? 0 { add(.target) }
      for (known, column) in columns(of: entity) {
        guard let known else { continue }
        if known.nulls > column.profile.nulls { add(.required, known.name) }
        if column.unique != nil
          ? !known.isAllDifferent || column.isCrowded(rows: count)
          : column.isCrowded(rows: count)
        {
          add(.unique, known.name)
        }
        if !known.bins.isEmpty, known.bins != column.profile.bins { add(.range, known.name) }
        if column.isOptional, count > column.mostValues { add(.room, known.name) }
        if known.measure == .lengths,
          profile.model.attributes(of: entity)
            .contains(where: { $0.name == known.name && $0.derivation != nil })
        {
          add(.derived, known.name)
        }
      }
    }
    for pair in RelationshipPair.all(of: profile.model) {
      for (end, reason) in Relationship(pair: pair, profile: profile).changes {
        let declaring = profile.model.entity(named: end.entity)
        for entity in declaring.map(profile.model.family) ?? [] where !entity.isAbstract {
          changes.append(
            FidelityExpectation.Change(
              entity: entity.name,
              property: end.relationship.name,
              reason: reason
            )
          )
        }
      }
    }
    let counts = recipe.entities.map { ($0.name, $0.count) }
    return FidelityExpectation(counts: Dictionary(keepingFirst: counts), changes: changes)
  }
}

extension LikeRecipe.Relationship {
  var changes: [(end: RelationshipPair.End, reason: FidelityExpectation.Change.Reason)] {
    var changes: [(end: RelationshipPair.End, reason: FidelityExpectation.Change.Reason)] = []
    for end in [pair.owner, pair.inverse].compactMap(\.self) where !end.relationship.isToMany {
      if !end.relationship.isOptional,
        profiles(of: end).contains(where: { $0.relationship.nulls > 0 })
      {
        changes.append((end, .required))
      }
    }
    for end in [pair.owner, pair.inverse].compactMap(\.self) where end.relationship.isToMany {
      let most = Double(end.relationship.maximumCount)
      if most > 0,
        profiles(of: end).contains(where: { side in
          side.relationship.fanOut.contains { $0.isPoint ? $0.from > most : $0.to > most + 1 }
        })
      {
        changes.append((end, .range))
      }
    }
    guard pair.kind == .oneToOne, let inverse = pair.inverse, !pair.isReflexive else {
      return changes
    }
    let (own, other) = (led(pair.owner), led(inverse))
    if own != other { changes.append((own < other ? pair.owner : inverse, .inverse)) }
    return changes
  }

  private func led(_ end: RelationshipPair.End) -> Int {
    profiles(of: end).reduce(0) { $0 + $1.objects - $1.relationship.nulls }
  }
}

extension ColumnProfile {
  fileprivate var isAllDifferent: Bool { values >= Double(objects) }

  /// The share of values that are at most `x`, if the values of each bin are spread evenly.
  func distribution(upTo x: Double) -> Double {
    let total = bins.reduce(0) { $0 + $1.count }
    guard total > 0 else { return 0 }
    let sum = bins.reduce(0.0) {
      $0 + Double($1.count) * $1.share(upTo: x, isWhole: grain == .whole)
    }
    return sum / Double(total)
  }
}

extension Bin {
  /// The share of the bin's values that are at most `x`; the values are spread evenly.
  func share(upTo x: Double, isWhole: Bool) -> Double {
    if isPoint { return x >= from ? 1 : 0 }
    return min(max((x - from + (isWhole ? 1 : 0)) / (to - from), 0), 1)
  }
}

extension ShapedColumn {
  /// Whether the column's texts are too short to be as different as required.
  fileprivate func isCrowded(rows: Int) -> Bool {
    guard profile.measure == .lengths, unique != nil || profile.sharing == nil else { return false }
    let segments = ColumnSegments(self, rows: rows)
    let width = NumberedWords(count: segments.clusterCount * (unique?.count ?? 1)).width
    return segments.segments.contains { segment in
      segment.clusterCount > 1 && segment.bin.map { Int($0.from) < width } ?? false
    }
  }
}
