import Foundation

/// How much faster two threads of this machine are than one at work that shares nothing: arithmetic
/// and copying of memory, about half the time each.
enum Ceiling {
  private static let copiedBytes = 32 << 20
  private static let rounds = 12
  private static let numbersARound = 4_000_000

  /// The speed of so many threads over that of one.
  static func speedup(threads: Int) -> Double {
    let one = time(threads: 1)
    return one / time(threads: threads) * Double(threads)
  }

  /// The seconds in which each thread does the work once.
  private static func time(threads: Int) -> Double {
    Stopwatch.seconds {
      DispatchQueue.concurrentPerform(iterations: threads) { _ in work() }
    }
  }

  private static func work() {
    let source = UnsafeMutableRawPointer.allocate(byteCount: copiedBytes, alignment: 4_096)
    let target = UnsafeMutableRawPointer.allocate(byteCount: copiedBytes, alignment: 4_096)
    defer {
      source.deallocate()
      target.deallocate()
    }
    memset(source, 1, copiedBytes)
    var number: UInt64 = 1
    for _ in 0..<rounds {
      for _ in 0..<numbersARound {
        number = (number ^ (number >> 29)) &* 0xBF58_476D_1CE4_E5B9 &+ 1
      }
      source.storeBytes(of: number, as: UInt64.self)
      target.copyMemory(from: source, byteCount: copiedBytes)
    }
  }
}
