import Foundation

/// A law by which something grows with the number of objects.
package indirect enum Term: Hashable, Sendable {
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
  /// max(0, n - start): what grows in proportion, of something that every store has a fixed part of.
  case exceeding(start: Double)
  /// min(n, bend): something that is filled once, such as an allocator's arenas.
  case filling(bend: Double)
  /// min(n, bend) of SQLite's page cache, which fills the sooner the smaller it is made.
  case caching(bend: Double)
  /// n(1 - e^(-reach/n)): the pages that one batch of random entries dirties, and so its log.
  case saturating(reach: Double)
  /// Capacities of hash tables, which double: the next power of two over each count by 0.75.
  case doubling(EntityShape)
  /// A counter, by its metric's name, with its own law.
  case counter(String, Curve)

  /// The law's value for so many objects.
  package func callAsFunction(_ size: Double) -> Double {
    switch self {
    case .constant: 1
    case .objects: size
    case .sorting: size * log2(max(size, 2))
    case .misses(let bend): size <= bend ? 0 : size - bend - bend * log(size / bend)
    case .dirtying(let batch): batch * Self.dirtied(size / batch)
    case .filling(let bend), .caching(let bend): min(size, bend)
    case .exceeding(let start): max(0, size - start)
    case .saturating(let reach): size > 0 ? size * -expm1(-reach / size) : 0
    case .doubling(let shape): shape.capacity(size)
    case .counter(_, let curve): curve(size)
    }
  }

  /// The law's value where something was measured: counters read there count for more than their own
  /// laws, and its page cache is what it was.
  func value(at point: CurveFit.Point) -> Double {
    switch self {
    case .counter(let name, _): point.counters[name] ?? self(point.size)
    case .caching(let bend): min(point.size, bend / point.cacheDivisor)
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

  /// What the term stands for, in a few words.
  package var name: String {
    switch self {
    case .constant: "start-up"
    case .objects: "per object"
    case .sorting: "sorting"
    case .misses: "pages read again"
    case .dirtying: "pages dirtied"
    case .filling: "arenas filling"
    case .caching: "page caches filling"
    case .exceeding: "in proportion"
    case .saturating: "logs of batches"
    case .doubling: "tables doubling"
    case .counter(TimeFamilies.misses, _): "pages read"
    case .counter(TimeFamilies.writes, _): "pages written"
    case .counter(let name, _): name
    }
  }

  /// Where the law bends; `nil` for those that do not.
  package var bend: Double? {
    switch self {
    case .misses(let bend), .filling(let bend), .caching(let bend): bend
    case .counter(_, let curve): curve.bend
    default: nil
    }
  }
}
