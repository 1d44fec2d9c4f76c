import Foundation

/// The seeds of a fuzz test's random inputs.
///
/// `STOREBENCH_FUZZ=10000` runs every fuzz test with 10,000 seeds; `STOREBENCH_FUZZ_FIRST=5000`
/// begins with seed 5,000. Unless `STOREBENCH_FUZZ` is set, as in `make fuzz`, tests with long
/// lists or large sizes use only a part of these; their names also begin with `fuzz`.
package enum FuzzSeeds {
  /// Whether the environment sets the number of seeds, as `make fuzz` does.
  package static let isThorough = number("STOREBENCH_FUZZ") != nil

  /// Every `step`th element, from index `first`; in `make fuzz`, all elements.
  package static func part<Element>(
    of all: [Element],
    every step: Int,
    from first: Int = 0
  ) -> [Element] {
    isThorough ? all : all.indices.filter { $0 % step == first % step }.map { all[$0] }
  }

  /// A range of `count` seeds, unless the environment sets another number.
  package static func range(usually count: Int) -> Range<Int> {
    let first = number("STOREBENCH_FUZZ_FIRST") ?? 0
    return first..<first + max(number("STOREBENCH_FUZZ") ?? count, 0)
  }

  /// The range of seeds in portions, which run as separate cases of a test.
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
