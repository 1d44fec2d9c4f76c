import Basics

/// A deterministic sequence of random numbers (SplitMix64).
package struct Draws: RandomNumberGenerator, Sendable {
  private var numbers: SplitMix64

  /// Creates the sequence that SplitMix64 generates from a seed.
  package init(state: UInt64) {
    numbers = SplitMix64(state: state)
  }

  /// The next 64 random bits.
  @inline(__always)
  package mutating func next() -> UInt64 {
    numbers.next()
  }

  /// A number in `[0, 1)`: a multiple of 2⁻⁵³, each equally likely.
  @inline(__always)
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A number in the open interval `(0, 1)`, so that its logarithm and quantiles are finite.
  @inline(__always)
  package mutating func openUnit() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }

  /// A uniformly distributed number in `0..<bound`; 0 for a bound of 0 or 1.
  @inline(__always)
  package mutating func below(_ bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let range = UInt64(bound)
    var product = next().multipliedFullWidth(by: range)
    // Draw again if the product is among the few that would bias the result. See Lemire, "Fast
    // random integer generation in an interval" (2019).
    if product.low < range {
      let threshold = (0 &- range) % range
      while product.low < threshold {
        product = next().multipliedFullWidth(by: range)
      }
    }
    return Int(product.high)
  }

  /// Returns `true` with the given probability.
  @inline(__always)
  package mutating func happens(_ probability: Double) -> Bool {
    unit() < probability
  }
}

/// The key of an independent stream of generated values, such as the titles of tasks.
///
/// Keys are derived from the seed by name, as in `StreamKey(seed:
/// 7).derived("Task").derived("title")`. A new entity or attribute therefore does not change
/// existing values. A row's draws depend only on the key and the row number. Rows can be generated
/// individually, in any order, on any thread.
package struct StreamKey: Hashable, Sendable {
  private let bits: UInt64

  private init(bits: UInt64) {
    self.bits = bits
  }

  /// The root key of all streams of a seed.
  package init(seed: UInt64) {
    self.init(bits: SplitMix64.mix(seed &+ SplitMix64.increment))
  }

  /// Derives the key of a named stream from this key.
  package func derived(_ name: String) -> StreamKey {
    StreamKey(
      bits: SplitMix64.mix(SplitMix64.mix(bits &+ SplitMix64.increment) ^ SplitMix64.hash(name))
    )
  }

  /// The random draws of a row.
  @inline(__always)
  package func draws(row: Int) -> Draws {
    Draws(state: SplitMix64.mix(bits &+ UInt64(truncatingIfNeeded: row) &* SplitMix64.increment))
  }
}

/// A keyed permutation of `0..<count` that finds the image or preimage of any index directly.
///
/// Small permutations are Fisher–Yates tables. Large permutations are a Feistel network over the
/// next power of two, and their memory use does not grow with the count. Results outside the range
/// are permuted again until they fall inside (cycle walking), fewer than two times on average.
package struct Permutation: Sendable {
  private enum Method: Sendable {
    case table(forward: [Int32], backward: [Int32])
    case feistel(FeistelNetwork)
  }

  /// The maximum count for which a permutation is a table.
  ///
  /// A table takes at most 8 KiB and, unlike the Feistel network, shuffles without bias.
  private static let largestTable = 1_024

  package let count: Int
  private let method: Method

  /// Creates the permutation for a key; the same key and count always give the same permutation.
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

  /// The image of an index.
  package func image(of index: Int) -> Int {
    switch method {
    case .table(let forward, _): Int(forward[index])
    case .feistel(let network): network.image(of: index)
    }
  }

  /// The index with the given image.
  package func preimage(of image: Int) -> Int {
    switch method {
    case .table(_, let backward): Int(backward[image])
    case .feistel(let network): network.preimage(of: image)
    }
  }

  /// A keyed bijection of `0..<count`: six Feistel rounds with cycle walking.
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

    // Applies only half of SplitMix64's mixing function, which is enough in combination with the
    // Feistel rounds.
    @inline(__always)
    private func round(_ half: UInt64, _ key: UInt64) -> UInt64 {
      let product = (half ^ key) &* 0xBF58_476D_1CE4_E5B9
      let folded = (product ^ (product >> 32)) &* 0x94D0_49BB_1331_11EB
      return folded >> 32
    }
  }
}
