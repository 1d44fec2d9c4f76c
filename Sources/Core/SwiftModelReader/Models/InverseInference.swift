#if SwiftSource
  import DataModel
  import SwiftModels

  /// Pairs relationships by the inverses in the source or, if the source names no inverse, in the
  /// way that SwiftData has been observed or reported to infer inverses.
  ///
  /// An array and an optional to-one relationship are paired if the match is unique, as are two
  /// optional to-one relationships. Many-to-many relationships and relationships of a class to
  /// itself are assumed to have no inferred inverse.
  struct InverseInference {
    private(set) var entities: [Entity]
    private(set) var faults: [(message: String, entity: String, property: String)] = []

    private let indexes: [String: Int]

    init(entities: [Entity]) {
      self.entities = entities
      indexes = Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    mutating func run() {
      setNamed()
      infer()
    }

    private func lineage(_ index: Int) -> [Int] {
      var result = [index]
      while let above = entities[result[result.count - 1]].superentity.flatMap({ indexes[$0] }),
        !result.contains(above)
      {
        result.append(above)
      }
      return result
    }

    private mutating func setNamed() {
      for entity in entities.indices {
        for place in entities[entity].relationships.indices {
          let relationship = entities[entity].relationships[place]
          guard let inverse = relationship.inverse else { continue }
          let name = entities[entity].name
          let target = indexes[relationship.destination].map(lineage) ?? []
          guard let (other, otherPlace) = find(inverse, in: target) else {
            entities[entity].relationships[place].inverse = nil
            faults.append(
              (
                "\(name).\(relationship.name): \(relationship.destination) has no relationship "
                  + "'\(inverse)'; read without an inverse", name, relationship.name
              )
            )
            continue
          }
          let named = entities[other].relationships[otherPlace].inverse
          if named == nil {
            entities[other].relationships[otherPlace].inverse = relationship.name
          } else if named != relationship.name {
            entities[entity].relationships[place].inverse = nil
            faults.append(
              (
                "\(name).\(relationship.name): its inverse '\(inverse)' has another one, "
                  + "'\(named ?? "")'; read without an inverse", name, relationship.name
              )
            )
          }
        }
      }
    }

    private func find(_ name: String, in targets: [Int]) -> (entity: Int, place: Int)? {
      for target in targets {
        if let place = entities[target].relationships.firstIndex(where: { $0.name == name }) {
          return (target, place)
        }
      }
      return nil
    }

    var ambiguous: [String] {
      let open = openPairs
      return open.filter { pair, places in
        pair.from == pair.to ? places.count > 1 : open[Pair(from: pair.to, to: pair.from)] != nil
      }.flatMap { pair, places in
        places.map { "\(entities[pair.from].name).\(entities[pair.from].relationships[$0].name)" }
      }.sorted()
    }

    private mutating func infer() {
      let open = openPairs
      for (pair, places) in open where pair.from < pair.to && places.count == 1 {
        let back = Pair(from: pair.to, to: pair.from)
        guard let others = open[back], others.count == 1 else { continue }
        let one = entities[pair.from].relationships[places[0]]
        let other = entities[pair.to].relationships[others[0]]
        guard one.canBeInferredInverse(of: other) else { continue }
        entities[pair.from].relationships[places[0]].inverse = other.name
        entities[pair.to].relationships[others[0]].inverse = one.name
      }
    }

    private struct Pair: Hashable {
      let from: Int
      let to: Int
    }

    private var openPairs: [Pair: [Int]] {
      var pairs: [Pair: [Int]] = [:]
      for (index, entity) in entities.enumerated() {
        for (place, relationship) in entity.relationships.enumerated()
        where relationship.inverse == nil {
          guard let target = indexes[relationship.destination] else { continue }
          pairs[Pair(from: index, to: target), default: []].append(place)
        }
      }
      return pairs
    }
  }
#endif
