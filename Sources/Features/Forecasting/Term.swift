import Foundation

/// A cost model: how a cost grows with the number of objects.
indirect enum Term: Hashable, Sendable {
  case constant
  case objects
  /// n log2 n: comparisons of a sort, which SQLite's steps do not show.
  case sorting
  /// Pages read again once an index with random keys outgrows the cache: the integral of
  /// max(0, 1 - bend/x) over the objects.
  case misses(bend: Double)
  /// Pages dirtied by batches of random entries: the integral of P(1 - e^(-b/P))/b over the
  /// objects, P pages of an index that holds x of them; `batch` is b of the pages an object takes.
  case dirtying(batch: Double)
  /// max(0, n - start): growth in proportion, except for a part that every store has.
  case exceeding(start: Double)
  /// min(n, bend): something that is filled once, such as an allocator's arenas.
  case filling(bend: Double)
  /// min(n, bend) of SQLite's page cache or of a batch, which fill the sooner the smaller they are
  /// made.
  case caching(bend: Double)
  /// n · ceil(n/each): deletions by objects, of which each batch reads the keys of all again.
  case batches(each: Double)
  /// Keys read again by each batch that the page cache no longer holds: n · ceil(n/each) by the share
  /// of them beyond the bend.
  case rereading(each: Double, bend: Double)
  /// n(1 - e^(-reach/n)): the pages that one batch of random entries dirties, and so its log.
  case saturating(reach: Double)
  /// Capacities of hash tables, which double: the next power of two over each count by 0.75.
  case doubling(EntityShape)
  /// A counter, by its metric's name, with its own cost model.
  case counter(String, Curve)

  /// The model's value for so many objects.
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

  /// The cost model's value at a measured point: counters read there take precedence over their own
  /// models, and its page cache is the measured one.
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

  /// The term in a few words.
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

  /// Where the model bends; `nil` if it does not.
  var bend: Double? {
    switch self {
    case .misses(let bend), .filling(let bend), .caching(let bend), .rereading(_, let bend): bend
    case .counter(_, let curve): curve.bend
    default: nil
    }
  }

  /// Sizes at which a model may bend, close enough together to hit any bend well: from above the
  /// smallest rung, where a bend is as good as a constant, to so many times the largest.
  static func bends(on rungs: [Double], step: Double, beyond: Double = 0.75) -> [Double] {
    guard let first = rungs.first, let last = rungs.last else { return [] }
    var sizes: [Double] = []
    // A bend in the last octave has too few rungs beyond it to be distinguished from noise.
    var size = first * step
    while size < last * beyond {
      sizes.append(size)
      size *= step
    }
    return sizes
  }
}

/// A sum of terms with what each costs; no cost is negative.
struct Curve: Hashable, Sendable {
  /// One term with its cost.
  struct Part: Hashable, Sendable {
    let term: Term
    let cost: Double

    init(_ term: Term, _ cost: Double) {
      (self.term, self.cost) = (term, cost)
    }
  }

  let parts: [Part]

  /// The value for so many objects.
  func callAsFunction(_ size: Double) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term(size) }
  }

  /// The value where something was measured.
  func value(at point: CurveFit.Point) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term.value(at: point) }
  }

  /// The first bend of the terms that cost anything.
  var bend: Double? { parts.filter { $0.cost > 0 }.compactMap(\.term.bend).min() }
}

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

  /// Reads the lines off the counts of a smaller and a larger store.
  package init(smaller: [String: Int], larger: [String: Int]) {
    self.init([smaller, larger].compactMap { Rung([Observation(objects: $0, seconds: 1)]) })
  }

  /// The names of the entities.
  package var entities: [String] { lines.map(\.entity) }

  /// The entity of a name in any case.
  package func entity(named name: String) -> String? {
    entities.first { $0.lowercased() == name.lowercased() }
  }

  /// The capacities of hash tables with an element for each object of one entity.
  func capacity(_ size: Double) -> Double {
    // Swift's tables are filled to three quarters.
    lines.reduce(0) { $0 + Self.powerOfTwo(over: ($1.base + $1.slope * size) / 0.75) }
  }

  private static func powerOfTwo(over value: Double) -> Double {
    var power = 1.0
    while power < value, power < 1e15 { power *= 2 }
    return value > 0 ? power : 0
  }

  /// The objects of all entities if one entity has so many; `nil` if that one does not grow.
  func size(where entity: String, reaches count: Double) -> Double? {
    lines.first { $0.entity == entity && $0.slope > 0 }.map { line in
      max((count - line.base) / line.slope, 1)
    }
  }

  /// The objects of all entities, from those of some.
  ///
  /// `nil` if no name is an entity's, or those entities do not grow with the store.
  func size(ofKnown counts: [String: Double]) -> Double? {
    let known = lines.filter { counts[$0.entity] != nil }
    let slope = known.reduce(0) { $0 + $1.slope }
    guard slope > 0 else { return nil }
    let total = known.reduce(0) { $0 + (counts[$1.entity] ?? 0) - $1.base }
    return max(total / slope, 0)
  }
}
