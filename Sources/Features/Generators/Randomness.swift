import Basics

/// A sequence of random draws with a fixed start: SplitMix64.
package struct Draws: RandomNumberGenerator, Sendable {
  private var numbers: SplitMix64

  /// The sequence that SplitMix64 gives for that seed.
  package init(state: UInt64) {
    numbers = SplitMix64(state: state)
  }

  /// The next 64 random bits.
  @inline(__always)
  package mutating func next() -> UInt64 {
    numbers.next()
  }

  /// A number in `[0, 1)`, one of 2⁵³ equally likely ones.
  @inline(__always)
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in `(0, 1)`, never an end, so that its logarithm and quantiles are finite.
  @inline(__always)
  package mutating func openUnit() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }

  /// A number in `0..<bound`, each exactly as likely as the others; 0 for a bound of 0 or 1.
  @inline(__always)
  package mutating func below(_ bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let range = UInt64(bound)
    var product = next().multipliedFullWidth(by: range)
    // Lemire, "Fast random integer generation in an interval" (2019): the few low products that
    // would make some numbers likelier are drawn again.
    if product.low < range {
      let threshold = (0 &- range) % range
      while product.low < threshold {
        product = next().multipliedFullWidth(by: range)
      }
    }
    return Int(product.high)
  }

  /// Whether an event of that probability happens.
  @inline(__always)
  package mutating func happens(_ probability: Double) -> Bool {
    unit() < probability
  }
}

/// The key of one independent stream of generated values, such as "the titles of tasks".
///
/// A key is derived name by name from the seed, `StreamKey(seed:
/// 7).derived("Task").derived("title")`, so a new entity or attribute moves no value of any other.
/// The draws of one row depend on the key and the row number only: any row can be made alone, in
/// any order, on any thread.
package struct StreamKey: Hashable, Sendable {
  private let bits: UInt64

  private init(bits: UInt64) {
    self.bits = bits
  }

  /// The root of all streams of one seed.
  package init(seed: UInt64) {
    self.init(bits: SplitMix64.mix(seed &+ SplitMix64.increment))
  }

  /// The key of the stream of that name below this one.
  package func derived(_ name: String) -> StreamKey {
    StreamKey(
      bits: SplitMix64.mix(SplitMix64.mix(bits &+ SplitMix64.increment) ^ SplitMix64.hash(name))
    )
  }

  /// The draws that belong to one row.
  @inline(__always)
  package func draws(row: Int) -> Draws {
    Draws(state: SplitMix64.mix(bits &+ UInt64(truncatingIfNeeded: row) &* SplitMix64.increment))
  }
}

/// A keyed shuffle of `0..<count` in which any place can be looked up alone, in both directions.
///
/// Small ones are a Fisher–Yates table. Large ones are a Feistel network over the next power of
/// two; a result outside the range is permuted again until it falls inside (cycle walking), less
/// than twice on average. No memory grows with the count.
package struct Permutation: Sendable {
  private enum Method: Sendable {
    case table(forward: [Int32], backward: [Int32])
    case feistel(FeistelNetwork)
  }

  /// Up to here a table is smaller than a page or two and shuffles without any bias of the network.
  private static let largestTable = 1_024

  package let count: Int
  private let method: Method

  /// The shuffle that belongs to a key; the same for the same key and count.
  package init(count: Int, key: StreamKey) {
    self.count = count
    var draws = key.draws(row: count)
    guard count <= Self.largestTable else {
      method = .feistel(FeistelNetwork(count: count, draws: &draws))
      return
    }
    var forward = (0..<Int32(max(count, 0))).map { $0 }
    for last in stride(from: count - 1, to: 0, by: -1) {
      forward.swapAt(last, draws.below(last + 1))
    }
    var backward = forward
    for (place, image) in forward.enumerated() {
      backward[Int(image)] = Int32(place)
    }
    method = .table(forward: forward, backward: backward)
  }

  /// Where the element at that index goes.
  package func image(of index: Int) -> Int {
    switch method {
    case .table(let forward, _): Int(forward[index])
    case .feistel(let network): network.image(of: index)
    }
  }

  /// The index whose image is the given one.
  package func preimage(of image: Int) -> Int {
    switch method {
    case .table(_, let backward): Int(backward[image])
    case .feistel(let network): network.preimage(of: image)
    }
  }

  /// A keyed bijection of `0..<count` made of six Feistel rounds and cycle walking.
  struct FeistelNetwork: Sendable {
    private let count: UInt64
    private let lowBits: UInt64
    private let highBits: UInt64
    private let lowMask: UInt64
    private let highMask: UInt64
    private let keys: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    init(count: Int, draws: inout Draws) {
      self.count = UInt64(max(count, 1))
      let bits = UInt64(max(2, Int.bitWidth - max(count - 1, 1).leadingZeroBitCount))
      lowBits = bits / 2
      highBits = bits - lowBits
      lowMask = (1 << lowBits) - 1
      highMask = (1 << highBits) - 1
      keys = (draws.next(), draws.next(), draws.next(), draws.next(), draws.next(), draws.next())
    }

    func image(of index: Int) -> Int {
      var value = UInt64(index)
      repeat {
        var low = value & lowMask
        var high = value >> lowBits
        high ^= round(low, keys.0) & highMask
        low ^= round(high, keys.1) & lowMask
        high ^= round(low, keys.2) & highMask
        low ^= round(high, keys.3) & lowMask
        high ^= round(low, keys.4) & highMask
        low ^= round(high, keys.5) & lowMask
        value = high << lowBits | low
      } while value >= count
      return Int(value)
    }

    func preimage(of image: Int) -> Int {
      var value = UInt64(image)
      repeat {
        var low = value & lowMask
        var high = value >> lowBits
        low ^= round(high, keys.5) & lowMask
        high ^= round(low, keys.4) & highMask
        low ^= round(high, keys.3) & lowMask
        high ^= round(low, keys.2) & highMask
        low ^= round(high, keys.1) & lowMask
        high ^= round(low, keys.0) & highMask
        value = high << lowBits | low
      } while value >= count
      return Int(value)
    }

    // Half a SplitMix64: the rounds themselves do the rest of the mixing.
    @inline(__always)
    private func round(_ half: UInt64, _ key: UInt64) -> UInt64 {
      let product = (half ^ key) &* 0xBF58_476D_1CE4_E5B9
      let folded = (product ^ (product >> 32)) &* 0x94D0_49BB_1331_11EB
      return folded >> 32
    }
  }
}
