import Foundation

/// Damages bytes in ways that depend only on a seed.
struct Mutator {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(bitPattern: Int64(seed)) &* 0x9e37_79b9_7f4a_7c15 &+ 1
  }

  /// Returns a random number below a limit (xorshift64*).
  private mutating func next(_ limit: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_f491_4f6c_dd1d) >> 33) % max(1, limit)
  }

  /// Returns bytes with one to four faults: flipped bits, changed bytes, pieces cut, doubled or
  /// moved, or a lost end.
  mutating func damaged(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...next(4) where !bytes.isEmpty {
      let start = next(bytes.count)
      let end = min(bytes.count, start + 1 + next(40))
      switch next(7) {
      case 0: bytes[start] ^= 1 << UInt8(next(8))
      case 1: bytes[start] = [0, 0xff, 0x7f, 0x80, 0x3c, 0x22, 0x3a, 0x0a][next(8)]
      case 2: bytes[start] = UInt8(next(256))
      case 3: bytes.removeSubrange(start..<end)
      case 4: bytes.insert(contentsOf: bytes[start..<end], at: next(bytes.count))
      case 5: bytes.replaceSubrange(start..<end, with: bytes[start..<end].reversed())
      default: if next(3) == 0 { bytes.removeLast(next(bytes.count)) }
      }
    }
    return bytes
  }
}
