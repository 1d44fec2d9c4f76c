import Measurement
import PersistentStore

/// Runs blocks of a case for their times alone, in lock-step or one side after the other: what other
/// rules than ours are held against.
package final class TraceRunner {
  /// How the two sides of a block lie in time.
  package enum Layout: String, Sendable, CaseIterable {
    /// One side from its first slice to its last, then the other.
    case contiguous
    case lockstep
  }

  /// One block.
  package struct Times: Hashable, Sendable {
    /// Nanoseconds of a side's median slice.
    package var base: Double
    package var head: Double
    /// Whether the coin had the head's process started first, and, in a contiguous block, run first.
    package var isHeadFirst: Bool
  }

  private let stores: LiveStores
  private let isStopped: @Sendable () -> Bool

  /// Works with stores of a provider; the scratch folder must be nobody else's.
  package init(
    provider: any StoreProvider,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    stores = LiveStores(provider: provider, scratch: scratch, isStopped: isStopped)
    self.isStopped = isStopped
  }

  /// The times of as many blocks, each of fresh processes whose outcome is checked.
  ///
  /// - Throws: ``LiveError``, ``WorkerFault`` and what keeps a store from being made.
  package func times(
    of pair: LiveCase,
    blocks: Int,
    layout: Layout,
    slicing: Slicing,
    seed: UInt64
  ) throws -> [Times] {
    let method = try SliceCalibration(arm: pair.base, slicing: slicing, isStopped: isStopped)
      .method(on: stores.trial(of: pair.base, at: .first))
    guard case .iterations(let iterations) = method else {
      throw LiveError.failed("its slices must be whole iterations")
    }
    return try (0..<blocks).map { number in
      var coins = SeededCoins(seed: seed, name: pair.id, number: number)
      let isHeadFirst = coins.flip()
      let arms = isHeadFirst ? [pair.head, pair.base] : [pair.base, pair.head]
      let times =
        switch layout {
        case .contiguous: try contiguous(arms, iterations, slicing, pair.sharedProcessor, &coins)
        case .lockstep: try interleaved(arms, iterations, slicing, pair.sharedProcessor, &coins)
        }
      return Times(
        base: times[isHeadFirst ? 1 : 0],
        head: times[isHeadFirst ? 0 : 1],
        isHeadFirst: isHeadFirst
      )
    }
  }

  private func contiguous(
    _ arms: [LiveArm],
    _ iterations: Int,
    _ slicing: Slicing,
    _ processor: SharedProcessor?,
    _ coins: inout SeededCoins
  ) throws -> [Double] {
    var times: [Double] = []
    for (arm, place) in zip(arms, [LiveStores.Place.first, .second]) {
      let process = try start(arm, at: place, on: processor, &coins)
      try process.awaitReady()
      let slices = try (0..<(slicing.warmUps + slicing.pairs)).map { _ in
        Double(try process.run(iterations: iterations))
      }
      try check(process)
      times.append(Self.median(slices.dropFirst(slicing.warmUps)))
    }
    return times
  }

  private func interleaved(
    _ arms: [LiveArm],
    _ iterations: Int,
    _ slicing: Slicing,
    _ processor: SharedProcessor?,
    _ coins: inout SeededCoins
  ) throws -> [Double] {
    let processes = try zip(arms, [LiveStores.Place.first, .second]).map {
      try start($0, at: $1, on: processor, &coins)
    }
    for process in processes { try process.awaitReady() }
    var slices: [[Double]] = [[], []]
    for turn in slicing.turns {
      for index in turn.isReversed ? [1, 0] : [0, 1] {
        let time = Double(try processes[index].run(iterations: iterations))
        if turn.counts { slices[index].append(time) }
      }
    }
    for process in processes { try check(process) }
    return slices.map { Self.median($0[...]) }
  }

  private func start(
    _ arm: LiveArm,
    at place: LiveStores.Place,
    on processor: SharedProcessor?,
    _ coins: inout SeededCoins
  ) throws -> LockstepProcess {
    try LockstepProcess(
      arm,
      trial: stores.trial(of: arm, at: place),
      padding: coins.number(below: EnvironmentPadding.bound),
      processor: processor,
      isStopped: isStopped
    )
  }

  private static func median(_ times: ArraySlice<Double>) -> Double {
    Summary(of: Array(times))?.p50 ?? 0
  }

  private func check(_ process: LockstepProcess) throws {
    try process.startVerifying()
    _ = try process.verification()
  }
}
