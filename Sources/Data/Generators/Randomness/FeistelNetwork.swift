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
    keys = (
      draws.next(), draws.next(), draws.next(), draws.next(), draws.next(), draws.next()
    )
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
