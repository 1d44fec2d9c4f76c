import Foundation

/// A cost model, which describes how a cost grows with the number of objects n.
indirect enum Term: Hashable, Sendable {
  case constant
  case objects
  /// n log2 n: the comparisons of a sort, which SQLite's step counter does not include.
  case sorting
  /// Pages read again beyond `bend`, the size at which an index with random keys outgrows the
  /// cache: the integral of max(0, 1
  /// - bend/x) over the number of objects x.
  case misses(bend: Double)
  /// Pages dirtied by batches of random entries: the integral of P(1 - e^(-b/P))/b over the number
  /// of objects x.
  ///
  /// P is the number of pages of an index with x objects, and b the number of entries per batch;
  /// `batch` is b divided by the pages per object.
  case dirtying(batch: Double)
  /// max(0, n - start): growth in proportion to the store, except for a part that every store has.
  case exceeding(start: Double)
  /// min(n, bend): a structure that fills up once, such as an allocator's arenas.
  case filling(bend: Double)
  /// min(n, bend) for SQLite's page cache or a batch, which fills earlier if it is made smaller.
  case caching(bend: Double)
  /// n · ceil(n/each): deletion object by object, in which each batch reads the keys of all objects
  /// again.
  case batches(each: Double)
  /// Keys that each batch reads again because the page cache no longer holds them: n ·
  /// ceil(n/each), multiplied by the share of the objects beyond the bend.
  case rereading(each: Double, bend: Double)
  /// n(1 - e^(-reach/n)): the pages that one batch of random entries dirties, which determine the
  /// size of its log.
  case saturating(reach: Double)
  /// The capacities of hash tables, which double: for each entity, the next power of two above its
  /// count divided by 0.75.
  case doubling(EntityShape)
  /// A counter, identified by its metric's name, with its own cost model.
  case counter(String, Curve)

  /// The model's value for a number of objects.
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

  /// The model's value at a measured point, with the page cache used there.
  ///
  /// If the point has a measured value for the counter, that value replaces the counter's model.
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

  /// A short name of the term for display.
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

  /// The size at which the model bends, that is, grows at a different rate from there; `nil` if it
  /// does not bend.
  var bend: Double? {
    switch self {
    case .misses(let bend), .filling(let bend), .caching(let bend), .rereading(_, let bend): bend
    case .counter(_, let curve): curve.bend
    default: nil
    }
  }

  /// Candidate sizes for a model's bend, spaced closely enough to approximate any bend.
  ///
  /// They start above the smallest measured size, because a bend at that size cannot be
  /// distinguished from a constant, and end at `beyond` times the largest measured size.
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

/// A sum of terms, each multiplied by a non-negative cost.
struct Curve: Hashable, Sendable {
  /// A term with its cost.
  struct Part: Hashable, Sendable {
    let term: Term
    let cost: Double

    init(_ term: Term, _ cost: Double) {
      (self.term, self.cost) = (term, cost)
    }
  }

  let parts: [Part]

  /// The value for a number of objects.
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

  /// The lines in the order of the entities' names.
  private let lines: [Line]

  /// Derives the lines from the smallest and the largest measured size.
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

  /// Derives the lines from the object counts of a smaller and a larger store.
  package init(smaller: [String: Int], larger: [String: Int]) {
    self.init([smaller, larger].compactMap { Rung([Observation(objects: $0, seconds: 1)]) })
  }

  /// The names of the entities.
  package var entities: [String] { lines.map(\.entity) }

  /// The entity with the name, regardless of case.
  package func entity(named name: String) -> String? {
    entities.first { $0.lowercased() == name.lowercased() }
  }

  /// The total capacity of hash tables, one per entity, with an element per object.
  func capacity(_ size: Double) -> Double {
    // Swift's hash tables are filled to at most three quarters.
    lines.reduce(0) { $0 + Self.powerOfTwo(over: ($1.base + $1.slope * size) / 0.75) }
  }

  private static func powerOfTwo(over value: Double) -> Double {
    var power = 1.0
    while power < value, power < 1e15 { power *= 2 }
    return value > 0 ? power : 0
  }

  /// The total number of objects at which one entity reaches a count; `nil` if that entity does not
  /// grow.
  func size(where entity: String, reaches count: Double) -> Double? {
    lines.first { $0.entity == entity && $0.slope > 0 }.map { line in
      max((count - line.base) / line.slope, 1)
    }
  }

  /// The total number of objects, given the counts of some entities.
  ///
  /// Returns `nil` if no entity has one of the names, or if those entities do not grow with the
  /// store.
  func size(ofKnown counts: [String: Double]) -> Double? {
    let known = lines.filter { counts[$0.entity] != nil }
    let slope = known.reduce(0) { $0 + $1.slope }
    guard slope > 0 else { return nil }
    let total = known.reduce(0) { $0 + (counts[$1.entity] ?? 0) - $1.base }
    return max(total / slope, 0)
  }
}
