import Basics
import CSQLite
import Synchronization

/// Carries out a plan of faults for a counting VFS, and for the files that the process itself
/// writes where it tells of them.
///
/// A power loss takes what ``VolatileDisk`` says was not synced. In a process that is to go on, a
/// test cuts the power by hand, closes its connections, and then lets the loss happen.
package final class FaultInjector: Sendable {
  package let plan: FaultPlan
  /// Told of every event before it happens.
  private let onEvent: (@Sendable (FaultInjector, FileEvent) -> Void)?
  private let state: Mutex<State>

  private struct State {
    var counts: [FileEvent.Kind: Int] = [:]
    var isPowerOff = false
    var isResting = false
    var disk: VolatileDisk?
  }

  /// Remembers what is not synced where the plan loses power, or where asked to.
  package init(
    _ plan: FaultPlan = FaultPlan(),
    remembersWrites: Bool = false,
    onEvent: (@Sendable (FaultInjector, FileEvent) -> Void)? = nil
  ) {
    self.plan = plan
    self.onEvent = onEvent
    let remembers = remembersWrites || plan.losesPower
    state = Mutex(State(disk: remembers ? VolatileDisk() : nil))
  }

  /// How many events of a kind there were.
  package func count(of kind: FileEvent.Kind) -> Int {
    state.withLock { $0.counts[kind, default: 0] }
  }

  /// How many events there were of every kind that there was one of.
  package var counts: [FileEvent.Kind: Int] { state.withLock { $0.counts } }

  /// Lets everything pass from now on, uncounted: what follows is not the work.
  package func rest() {
    state.withLock { $0.isResting = true }
  }

  // MARK: Events

  /// Notes an event, ends the process where the plan says so, and returns why it must fail.
  package func meet(
    _ kind: FileEvent.Kind,
    fileClass: FileClass? = nil,
    path: @autoclosure () -> String?
  ) -> FaultPlan.Cause? {
    let (place, isPowerOff, isResting) = state.withLock { state in
      if !state.isResting { state.counts[kind, default: 0] += 1 }
      let place = FileEvent.Place(kind, number: state.counts[kind, default: 0])
      return (place, state.isPowerOff, state.isResting)
    }
    guard !isResting else { return nil }
    guard !isPowerOff else { return .inputOutput }
    if let onEvent {
      onEvent(self, FileEvent(place: place, fileClass: fileClass, path: path()))
    }
    if let kill = plan.kill, kill.event == place { end(kill.ending) }
    if kind == .sync { wait() }
    return plan.failures[place] ?? (state.withLock { $0.isPowerOff } ? .inputOutput : nil)
  }

  /// Whether the disk has no room for so much growth.
  func isFull(growth: Int64) -> Bool {
    plan.freeDisk.map { growth > $0 } ?? false
  }

  private func wait() {
    guard plan.syncDelay > 0 else { return }
    var time = timespec(
      tv_sec: Int(plan.syncDelay / 1_000_000_000),
      tv_nsec: Int(plan.syncDelay % 1_000_000_000)
    )
    var rest = timespec()
    while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
  }

  private func end(_ ending: KillPoint.Ending) {
    if case .powerLoss(let seed) = ending { losePower(seed: seed) }
    kill(getpid(), SIGKILL)
  }

  // MARK: Power

  /// Lets everything fail from now on, as if nothing ran any more.
  package func cutPower() {
    state.withLock { $0.isPowerOff = true }
  }

  /// Leaves on the disk what a loss of power leaves; files must not be written to meanwhile.
  package func losePower(seed: UInt64) {
    state.withLock { state in
      state.isPowerOff = true
      state.disk?.lose(seed: seed)
    }
  }

  /// Tells the model of the disk of something that was done; nothing where there is none.
  package func remember(_ body: (inout VolatileDisk) -> Void) {
    state.withLock { state in
      guard !state.isPowerOff, var disk = state.disk.take() else { return }
      body(&disk)
      state.disk = disk
    }
  }

  func didOpen(_ path: String, _ fileClass: FileClass, isNew: Bool) {
    guard fileClass != .temporary else { return }
    remember { disk in
      if isNew { disk.didCreate(path) }
      if fileClass == .main { disk.opened.insert(path) }
    }
  }

  var isPowerOff: Bool { state.withLock { $0.isPowerOff } }

  /// Whether there is a model of the disk to tell.
  package var remembers: Bool { state.withLock { $0.disk != nil && !$0.isPowerOff } }
}
