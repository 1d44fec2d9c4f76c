import Foundation

/// A cost model, which describes how a cost grows with the number of objects n.
indirect enum Term: Hashable, Sendable {
  case constant
  case objects
  /// n log2 n: the comparisons of a sort, which SQLite's step counter does not include.
  case sorting
  /// Pages read again beyond `bend`, the size at which an index with random keys outgrows the
  /// cache.
  ///
  /// The value is the integral of `max(0, 1-bend/x)` over the number of objects x.
  case misses(bend: Double)
  /// Pages dirtied by batches of random entries: the integral of P(1 - e^(-b/P))/b over the number
  /// of objects x.
  ///
  /// P is the number of pages of an index with x objects, and b is the number of entries per batch.
  /// `batch` is b divided by the pages per object.
  case dirtying(batch: Double)
  /// max(0, n - start): growth in proportion to the store, except for a part that every store has.
  case exceeding(start: Double)
  case filling(bend: Double)
  /// min(n, bend): SQLite's page cache or a batch; with less capacity, a smaller store fills it.
  case caching(bend: Double)
  /// n · ceil(n/each): object-by-object deletion, in which each batch of `each` objects reads all
  /// keys again.
  case batches(each: Double)
  /// Keys that each batch reads again because the page cache no longer holds them.
  ///
  /// The value is n · ceil(n/each), multiplied by the share of the objects beyond the bend.
  case rereading(each: Double, bend: Double)
  /// n(1 - e^(-reach/n)): the pages that one batch of random entries dirties, which determine the
  /// size of its log.
  case saturating(reach: Double)
  /// The total capacity of one hash table per entity; each table doubles when it is three quarters
  /// full.
  case doubling(EntityShape)
  /// A counter, identified by its metric's name, with its own cost model.
  case counter(String, Curve)

  func callAsFunction(_ size: Double) -> Double {
    switch self {
    case .constant: 1
    case .objects: size
    case .sorting: size * log2(max(size, 2))
    case .misses(let bend): size <= bend ? 0 : size - bend - bend * log(size / bend)
    case .dirtying(let batch): batch * Self.dirtied(size / batch)
    case .filling(let bend), .caching(let bend): min(size, bend)
    case .exceeding(let start): max(0, size - start)
    case .batches(let each): size * max((size / max(each, 1)).rounded(.up), 1)
    case .rereading(let each, let bend):
      Term.batches(each: each)(size) * max(0, 1 - bend / max(size, 1))
    case .saturating(let reach): size > 0 ? size * -expm1(-reach / size) : 0
    case .doubling(let shape): shape.capacity(size)
    case .counter(_, let curve): curve(size)
    }
  }

  /// The term's value at a measured point, for the page cache of that run; a measured counter
  /// replaces its cost model.
  func value(at point: CurveFit.Point) -> Double {
    switch self {
    case .counter(let name, _): point.counters[name] ?? self(point.size)
    case .caching(let bend): min(point.size, bend / point.cacheDivisor)
    case .misses(let bend): Term.misses(bend: bend / point.cacheDivisor)(point.size)
    case .rereading(let each, let bend):
      Term.rereading(each: each, bend: bend / point.cacheDivisor)(point.size)
    default: self(point.size)
    }
  }

  /// The integral of x(1 - e^(-1/x)) from 0, by Simpson's rule.
  private static func dirtied(_ end: Double) -> Double {
    let steps = 24
    let width = end / Double(steps)
    func value(_ x: Double) -> Double { x > 0 ? x * -expm1(-1 / x) : 0 }
    var sum = value(0) + value(end)
    for step in 1..<steps {
      sum += value(width * Double(step)) * (step.isMultiple(of: 2) ? 2 : 4)
    }
    return sum * width / 3
  }

  var name: String {
    switch self {
    case .constant: "start-up"
    case .objects: "per object"
    case .sorting: "sorting"
    case .misses: "pages read again"
    case .dirtying: "pages dirtied"
    case .filling: "arenas filling"
    case .caching: "page caches filling"
    case .exceeding: "in proportion"
    case .batches: "keys read by each batch"
    case .rereading: "pages read again by each batch"
    case .saturating: "logs of batches"
    case .doubling: "tables doubling"
    case .counter(CounterLaw.pagesRead, _): "pages read"
    case .counter(CounterLaw.pagesWritten, _): "pages written"
    case .counter(CounterLaw.pagesCopied, _): "pages copied from the log"
    case .counter(CounterLaw.syncs, _): "syncs"
    case .counter(let name, _): name
    }
  }

  /// The size from which the cost grows at a different rate (the bend); `nil` if there is no such
  /// size.
  var bend: Double? {
    switch self {
    case .misses(let bend), .filling(let bend), .caching(let bend), .rereading(_, let bend): bend
    case .counter(_, let curve): curve.bend
    default: nil
    }
  }

  /// Candidate sizes for a model's bend, spaced closely enough to approximate any bend.
  ///
  /// The candidates start above the smallest measured size, because a bend at that size looks like
  /// a constant, and end at `beyond` times the largest measured size.
  static func bends(on rungs: [Double], step: Double, beyond: Double = 0.75) -> [Double] {
    guard let first = rungs.first, let last = rungs.last else { return [] }
    var sizes: [Double] = []
    // A bend close to the largest size has too few sizes beyond it to be distinguished from noise.
    var size = first * step
    while size < last * beyond {
      sizes.append(size)
      size *= step
    }
    return sizes
  }
}

struct Curve: Hashable, Sendable {
  struct Part: Hashable, Sendable {
    let term: Term
    let cost: Double

    init(_ term: Term, _ cost: Double) {
      (self.term, self.cost) = (term, cost)
    }
  }

  let parts: [Part]

  func callAsFunction(_ size: Double) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term(size) }
  }

  func value(at point: CurveFit.Point) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term.value(at: point) }
  }

  /// The smallest bend of the terms with a cost above 0.
  var bend: Double? { parts.filter { $0.cost > 0 }.compactMap(\.term.bend).min() }
}

/// The linear growth of each entity's objects with the number of objects of all entities.
package struct EntityShape: Hashable, Sendable {
  private struct Line: Hashable, Sendable {
    let entity: String
    let base: Double
    let slope: Double
  }

  /// One line per entity, sorted by entity name.
  private let lines: [Line]

  init(_ rungs: [Rung]) {
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

  /// Derives each entity's growth from the object counts of a smaller and a larger store.
  package init(smaller: [String: Int], larger: [String: Int]) {
    self.init([smaller, larger].compactMap { Rung([Observation(objects: $0, seconds: 1)]) })
  }

  /// The names of the entities.
  package var entities: [String] { lines.map(\.entity) }

  /// Finds an entity's name, ignoring case.
  package func entity(named name: String) -> String? {
    entities.first { $0.lowercased() == name.lowercased() }
  }

  /// The total capacity of one hash table per entity, with one element per object.
  func capacity(_ size: Double) -> Double {
    // Swift's hash tables are filled to at most three quarters.
    lines.reduce(0) { $0 + Self.powerOfTwo(over: ($1.base + $1.slope * size) / 0.75) }
  }

  private static func powerOfTwo(over value: Double) -> Double {
    var power = 1.0
    while power < value, power < 1e15 { power *= 2 }
    return value > 0 ? power : 0
  }

  /// The total number of objects in a store in which one entity reaches a count.
  ///
  /// Returns `nil` if that entity does not grow with the store.
  func size(where entity: String, reaches count: Double) -> Double? {
    lines.first { $0.entity == entity && $0.slope > 0 }.map { line in
      max((count - line.base) / line.slope, 1)
    }
  }

  /// Estimates a store's total number of objects from the counts of some entities.
  ///
  /// Returns `nil` if none of the named entities grows with the store.
  func size(ofKnown counts: [String: Double]) -> Double? {
    let known = lines.filter { counts[$0.entity] != nil }
    let slope = known.reduce(0) { $0 + $1.slope }
    guard slope > 0 else { return nil }
    let total = known.reduce(0) { $0 + (counts[$1.entity] ?? 0) - $1.base }
    return max(total / slope, 0)
  }
}
