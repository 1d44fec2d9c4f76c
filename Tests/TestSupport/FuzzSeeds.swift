import Foundation

/// The seeds of a fuzz test's random inputs.
///
/// `STOREBENCH_FUZZ=10000` asks every fuzz test for that many, `STOREBENCH_FUZZ_FIRST=5000` begins
/// with that seed. Tests of long lists and large sizes take a part of them where no number is asked
/// for, and all of them in `make fuzz`; their names begin with `fuzz` as well.
package enum FuzzSeeds {
  /// Whether the environment asks for a number of seeds, as `make fuzz` does.
  package static let isThorough = number("STOREBENCH_FUZZ") != nil

  /// Every so-manieth element from one on; all elements in `make fuzz`.
  package static func part<Element>(
    of all: [Element],
    every step: Int,
    from first: Int = 0
  ) -> [Element] {
    isThorough ? all : all.indices.filter { $0 % step == first % step }.map { all[$0] }
  }

  /// So many seeds where the environment asks for no other number.
  package static func range(usually count: Int) -> Range<Int> {
    let first = number("STOREBENCH_FUZZ_FIRST") ?? 0
    return first..<first + max(number("STOREBENCH_FUZZ") ?? count, 0)
  }

  /// The same in portions, which run as cases of one test.
  package static func portions(of size: Int, usually count: Int) -> [Range<Int>] {
    let all = range(usually: count)
    return stride(from: all.lowerBound, to: all.upperBound, by: size).map {
      $0..<min($0 + size, all.upperBound)
    }
  }

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
  }
}
