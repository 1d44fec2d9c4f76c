import Basics

/// The key of one independent stream of generated values, such as "the titles of tasks".
///
/// A key is derived name by name from the seed, `StreamKey(seed: 7).derived("Task").derived("title")`,
/// so a new entity or attribute moves no value of any other. The draws of one row depend on the key
/// and the row number only: any row can be made alone, in any order, on any thread.
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
