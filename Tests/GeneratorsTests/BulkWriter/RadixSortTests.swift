import TestSupport
import Testing

@testable import Generators

struct RadixSortTests {
  /// Orders of words that a sort by the first bits alone may get wrong.
  enum Shape: CaseIterable {
    case random
    case descending
    /// Words that differ only in their last bits, except for a word whose first bit is set.
    case alikeAtFirst
    /// Many equal words.
    case few
    /// Ascending words, except that the smallest is at the end.
    case leastAtEnd

    func word(_ index: Int, of count: Int, _ draws: inout Draws) -> UInt64 {
      switch self {
      case .random: draws.next()
      case .descending: UInt64(count - index) << 30
      case .alikeAtFirst: (index == count / 2 ? 1 << 63 : 0) | draws.next() >> 52
      case .few: UInt64(draws.below(7)) << 40 | UInt64(draws.below(3))
      case .leastAtEnd: index == count - 1 ? 0 : UInt64(index + 1) << 35 | draws.next() >> 34
      }
    }
  }

  @Test(arguments: Shape.allCases, [1, 2, 3, 5_000] + (FuzzSeeds.isThorough ? [70_000] : []))
  func `fuzz: entries are in the order of their words, equal ones as they were`(
    shape: Shape,
    count: Int
  ) {
    var draws = Draws(state: UInt64(count))
    let ones = (0..<count).map { index in
      WordEntry1(first: shape.word(index, of: count, &draws), rest: UInt64(index))
    }
    expectSorted(ones) { ($0.first, 0, $0.rest) }
    let twos = (0..<count).map { index in
      WordEntry2(
        first: UInt64(draws.below(4)),
        second: shape.word(index, of: count, &draws),
        rest: UInt64(index)
      )
    }
    expectSorted(twos) { ($0.first, $0.second, $0.rest) }
  }

  private func expectSorted<Entry: WordSortable>(
    _ entries: [Entry],
    _ words: (Entry) -> (UInt64, UInt64, UInt64)
  ) {
    var (sorted, spare) = (entries, entries)
    sorted.withUnsafeMutableBufferPointer { sorted in
      spare.withUnsafeMutableBufferPointer { spare in
        guard let start = sorted.baseAddress, let room = spare.baseAddress else { return }
        RadixSort.sort(start, count: sorted.count, spare: room)
      }
    }
    let expected = entries.sorted { words($0) < words($1) }
    #expect(zip(sorted, expected).allSatisfy { words($0) == words($1) })
  }
}
