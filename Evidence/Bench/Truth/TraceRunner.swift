import Compare
import PersistentStore
import Runner

/// Runs blocks of a case to record their times, in lock-step or one side after the other.
///
/// The times are samples to which other decision rules are applied.
final class TraceRunner {
  enum Layout: String, Sendable, CaseIterable {
    case contiguous
    case lockstep
  }

  enum Placement: String, Sendable, CaseIterable {
    /// Both processes run on one processor, as in the live comparison.
    case oneProcessor
    case anywhere
  }

  struct Block: Hashable, Sendable {
    /// The times of the slices in nanoseconds; slices with equal numbers form a pair.
    var pairs: [SlicePair]
    /// Whether the head's process was started and run first, by random assignment.
    var isHeadFirst: Bool
  }

  private let stores: LiveStores
  private let isStopped: @Sendable () -> Bool

  /// Creates a runner for a provider's stores; no other run may use the scratch folder.
  init(
    provider: any StoreProvider,
    scratch: ScratchFolder,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    stores = LiveStores(provider: provider, scratch: scratch, isStopped: isStopped)
    self.isStopped = isStopped
  }

  /// Runs the given number of blocks in fresh processes and checks their outcomes.
  ///
  /// - Throws: ``LiveError``, ``WorkerFault`` or an error of generating a store.
  func blocks(
    _ count: Int,
    of pair: LiveCase,
    layout: Layout,
    placement: Placement = .oneProcessor,
    slicing: Slicing,
    seed: UInt64
  ) throws -> [Block] {
    let method = try SliceMethod(
      for: pair.base,
      on: stores.trial(of: pair.base, at: .first),
      slicing,
      isStopped: isStopped
    )
    guard case .iterations(let iterations) = method else {
      throw LiveError.failed("its time slices must be whole iterations")
    }
    return try (0..<count).map { number in
      var coins = SeededCoins(seed: seed, name: pair.id, number: number)
      let isHeadFirst = coins.flip()
      let processor = placement == .oneProcessor ? pair.sharedProcessor : nil
      let starts = zip(
        isHeadFirst ? [pair.head, pair.base] : [pair.base, pair.head],
        [LiveStores.Place.first, .second]
      ).map { arm, place in
        let padding = coins.number(below: SeededCoins.paddingBound)
        return { [self] in try start(arm, at: place, on: processor, padding: padding) }
      }
      let slices =
        switch layout {
        case .contiguous: try contiguous(starts, iterations, slicing)
        case .lockstep: try interleaved(starts, iterations, slicing)
        }
      let (base, head) = isHeadFirst ? (slices[1], slices[0]) : (slices[0], slices[1])
      return Block(
        pairs: zip(base, head).map { SlicePair(base: $0, head: $1) },
        isHeadFirst: isHeadFirst
      )
    }
  }

  private func contiguous(
    _ starts: [() throws -> LockstepProcess],
    _ iterations: Int,
    _ slicing: Slicing
  ) throws -> [[Double]] {
    try starts.map { start in
      let process = try start()
      try process.awaitReady()
      let slices = try (0..<(slicing.warmUps + slicing.pairs)).map { _ in
        Double(try process.run(iterations: iterations))
      }
      try check(process)
      return Array(slices.dropFirst(slicing.warmUps))
    }
  }

  private func interleaved(
    _ starts: [() throws -> LockstepProcess],
    _ iterations: Int,
    _ slicing: Slicing
  ) throws -> [[Double]] {
    let processes = try starts.map { try $0() }
    for process in processes { try process.awaitReady() }
    var slices: [[Double]] = [[], []]
    for turn in slicing.turns {
      for index in turn.isReversed ? [1, 0] : [0, 1] {
        let time = Double(try processes[index].run(iterations: iterations))
        if turn.counts { slices[index].append(time) }
      }
    }
    for process in processes { try check(process) }
    return slices
  }

  private func start(
    _ arm: LiveArm,
    at place: LiveStores.Place,
    on processor: SharedProcessor?,
    padding: Int
  ) throws -> LockstepProcess {
    try LockstepProcess(
      arm,
      trial: stores.trial(of: arm, at: place),
      padding: padding,
      processor: processor,
      isStopped: isStopped
    )
  }

  private func check(_ process: LockstepProcess) throws {
    try process.startVerifying()
    _ = try process.verification()
  }
}
