/// How the objects of each entity grow with those of all of them: straight lines.
package struct EntityShape: Hashable, Sendable {
  private struct Line: Hashable, Sendable {
    let entity: String
    let base: Double
    let slope: Double
  }

  /// In the order of the entities' names.
  private let lines: [Line]

  /// Reads the lines off the smallest and the largest rung.
  package init(_ rungs: [Rung]) {
    guard let first = rungs.first, let last = rungs.last else {
      lines = []
      return
    }
    lines = last.objects.keys.sorted().map { entity in
      let high = Double(last.objects[entity] ?? 0)
      guard last.size > first.size else {
        return Line(entity: entity, base: 0, slope: high / max(last.size, 1))
      }
      let low = Double(first.objects[entity] ?? 0)
      let slope = max(0, (high - low) / (last.size - first.size))
      return Line(entity: entity, base: max(0, high - slope * last.size), slope: slope)
    }
  }

  /// Reads the lines off the counts of a smaller and a larger store.
  package init(smaller: [String: Int], larger: [String: Int]) {
    let rungs = [smaller, larger].compactMap { Rung([Observation(objects: $0, seconds: 1)]) }
    self.init(rungs)
  }

  /// The names of the entities.
  package var entities: [String] { lines.map(\.entity) }

  /// The entity of a name in any case.
  func entity(named name: String) -> String? {
    entities.first { $0.lowercased() == name.lowercased() }
  }

  /// The capacities of hash tables with an element for each object of one entity.
  func capacity(_ size: Double) -> Double {
    // Swift's tables are filled to three quarters.
    lines.reduce(0) { $0 + Self.powerOfTwo(over: ($1.base + $1.slope * size) / 0.75) }
  }

  /// The objects of all entities where one of them has so many; `nil` for one that does not grow.
  func size(where entity: String, reaches count: Double) -> Double? {
    lines.first { $0.entity == entity && $0.slope > 0 }.map { line in
      max((count - line.base) / line.slope, 1)
    }
  }

  /// The objects of all entities, where those of some are known.
  ///
  /// `nil` where none of the names is an entity's, or those entities do not grow with the store.
  package func size(ofKnown counts: [String: Double]) -> Double? {
    let known = lines.filter { counts[$0.entity] != nil }
    let slope = known.reduce(0) { $0 + $1.slope }
    guard slope > 0 else { return nil }
    let total = known.reduce(0) { $0 + (counts[$1.entity] ?? 0) - $1.base }
    return max(total / slope, 0)
  }

  private static func powerOfTwo(over value: Double) -> Double {
    var power = 1.0
    while power < value, power < 1e15 { power *= 2 }
    return value > 0 ? power : 0
  }
}
