import Basics
import PersistentStore
import Runner

/// Runs one block of a live comparison: short slices of work that alternate between a fresh process
/// for each side, and from which one log ratio of times is computed.
struct LiveBlock {
  let pair: LiveCase
  let method: SliceMethod
  let slicing: Slicing
  let seed: UInt64
  let number: Int
  let isStopped: @Sendable () -> Bool

  struct Failure: Error {
    let isHead: Bool
    let cause: any Error
  }

  /// Runs the block, and verifies both sides after all timing.
  ///
  /// - Returns: The block, and the mean duration of a slice in seconds.
  func perform(on stores: LiveStores) throws -> (LiveCaseResult.Block, meanSlice: Double) {
    let start = MonotonicClock.seconds()
    var coins = SeededCoins(seed: seed, name: pair.id, number: number)
    let isHeadFirst = coins.flip()
    let paddings = [0, 1].map { _ in coins.number(below: SeededCoins.paddingBound) }
    let processor = pair.sharedProcessor
    let first = try Side(isHeadFirst, self, at: .first, stores, paddings[0], processor)
    let second = try Side(!isHeadFirst, self, at: .second, stores, paddings[1], processor)
    let (base, head) = isHeadFirst ? (second, first) : (first, second)
    let shares = try [first, second].map { side in try side.attempt { try $0.awaitReady() } }
    let isWarm = pair.base.file.trials.cache == .warm && pair.head.file.trials.cache == .warm
    let turns: Turns
    switch method {
    case .iterations(let count):
      turns = try alternate(isHeadFirst ? [head, base] : [base, head], count)
    case .quanta(let nanoseconds): turns = try alternate(base, head, nanoseconds, &coins)
    }
    try verify(base, head)
    guard let logRatio = method.statistic.logRatio(of: turns.pairs) else {
      throw Failure(isHead: false, cause: LiveError.failed("a time slice took no measurable time"))
    }
    let result = LiveCaseResult.Block(
      logRatio: logRatio,
      isHeadFirst: isHeadFirst,
      orderEffect: turns.orderEffect,
      seconds: MonotonicClock.seconds() - start,
      isAsCold: isWarm ? nil : shares.allSatisfy { $0.map(PageCache.isCold) ?? false }
    )
    return (result, turns.seconds / Double(max(1, turns.count)))
  }

  private func alternate(_ sides: [Side], _ iterations: Int) throws -> Turns {
    var turns = Turns()
    for turn in slicing.turns {
      let order = turn.isReversed ? sides.reversed() : sides
      let times = try order.map { side in
        Double(try side.attempt { try $0.run(iterations: iterations) }) / 1e9
      }
      if turn.counts { turns.add(times[0], times[1], isHeadFirst: order[0].isHead) }
    }
    return turns
  }

  private func alternate(
    _ base: Side,
    _ head: Side,
    _ quantum: UInt64,
    _ coins: inout SeededCoins
  ) throws -> Turns {
    var turns = Turns()
    var sums = SlicePair(base: 0, head: 0)
    var open = [base, head]
    while !open.isEmpty {
      let order = coins.flip() ? open : open.reversed()
      for side in order {
        let slice = try side.attempt { try $0.run(quantum: quantum) }
        let seconds = Double(slice.nanoseconds) / 1e9
        if side.isHead { sums.head += seconds } else { sums.base += seconds }
        turns.count += 1
        if slice.isLast { open.removeAll { $0 === side } }
      }
    }
    // The n-th slices of the two sides cover different work, and one side may have more slices, so
    // only the sums are compared. Long slices are not dropped, because they may contain the change.
    turns.pairs = [sums]
    turns.seconds = sums.base + sums.head
    return turns
  }

  private func verify(_ base: Side, _ head: Side) throws {
    for side in [base, head] { try side.attempt { try $0.startVerifying() } }
    let found = try [base, head].map { side in try side.attempt { try $0.verification() } }
    let isOneState =
      base.start == head.start
      && pair.base.planned.traits.endState == pair.head.planned.traits.endState
    guard !isOneState || found[0].digest == found[1].digest else {
      throw Failure(
        isHead: true,
        cause: LiveError.failed(
          "the two sides end with different content (digests): base \(found[0].digest), head "
            + found[1].digest
        )
      )
    }
  }

  private final class Side {
    let isHead: Bool
    let start: String
    private let process: LockstepProcess

    init(
      _ isHead: Bool,
      _ block: LiveBlock,
      at place: LiveStores.Place,
      _ stores: LiveStores,
      _ padding: Int,
      _ processor: SharedProcessor?
    ) throws {
      let arm = isHead ? block.pair.head : block.pair.base
      self.isHead = isHead
      do {
        let trial = try stores.trial(of: arm, at: place)
        start = trial.start.path
        process = try LockstepProcess(
          arm,
          trial: trial,
          padding: padding,
          processor: processor,
          isStopped: block.isStopped
        )
      } catch {
        throw Failure(isHead: isHead, cause: error)
      }
    }

    func attempt<Result>(_ body: (LockstepProcess) throws -> Result) throws -> Result {
      do {
        return try body(process)
      } catch {
        throw Failure(isHead: isHead, cause: error)
      }
    }
  }

  private struct Turns {
    var pairs: [SlicePair] = []
    var count = 0
    var seconds = 0.0
    private var secondOverFirst: [Double] = []

    mutating func add(_ first: Double, _ second: Double, isHeadFirst: Bool) {
      pairs.append(
        isHeadFirst ? SlicePair(base: second, head: first) : SlicePair(base: first, head: second)
      )
      count += 2
      seconds += first + second
      if first > 0, second > 0 { secondOverFirst.append(second / first) }
    }

    /// The median ratio of a pair's second slice to its first, minus 1; 0 if slices are not paired.
    var orderEffect: Double {
      let sorted = secondOverFirst.sorted()
      return sorted.isEmpty ? 0 : sorted[sorted.count / 2] - 1
    }
  }
}

/// The way in which a case is divided into slices (short timed parts that alternate between the
/// sides), determined once and used for both sides.
package enum SliceMethod: Hashable, Sendable {
  /// A slice is a number of iterations of work that does not change the store.
  case iterations(Int)
  /// A slice is a duration within one long `run`, in nanoseconds.
  case quanta(UInt64)

  var statistic: BlockStatistic {
    switch self {
    case .iterations: .lowerFifths
    case .quanta: .ratioOfSums
    }
  }

  private static let mostIterations = 1 << 20

  /// Determines the method by running the base (the reference side) alone until a slice takes at
  /// least half of the target duration.
  package init(
    for arm: LiveArm,
    on trial: Trial,
    _ slicing: Slicing,
    isStopped: @escaping @Sendable () -> Bool
  ) throws {
    self = .quanta(UInt64(slicing.target * 1e9))
    // Work that changes the store, or warms it up, can run only once, so its iterations cannot
    // alternate.
    guard arm.planned.traits.onlyReads, arm.file.trials.cache == .warm else { return }
    let process = try LockstepProcess(arm, trial: trial, padding: 0, isStopped: isStopped)
    try process.awaitReady()
    // The first iteration fills the page cache.
    _ = try process.run(iterations: 1)
    var count = 1
    while true {
      let seconds = Double(try process.run(iterations: count)) / 1e9
      if count == 1, seconds > Slicing.coarse / 2 { return }
      if seconds >= slicing.target / 2 || count >= Self.mostIterations {
        self = .iterations(max(1, Int((slicing.target / seconds * Double(count)).rounded())))
        return
      }
      count *= 2
    }
  }
}
