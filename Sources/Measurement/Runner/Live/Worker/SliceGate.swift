import Basics

/// Cuts one long `run` into slices of time: at the next point where the work can pause, it waits
/// until its turn comes again, and the clock stops meanwhile.
final class SliceGate {
  private let pipe: LockstepPipe
  private let slowdown: Double
  private var quantum: UInt64 = 0
  private var start: UInt64 = 0
  private var isOpen = false

  init(pipe: LockstepPipe, slowdown: Double) {
    self.pipe = pipe
    self.slowdown = slowdown
  }

  /// Starts the first slice; the last thing before `run`.
  func open(quantum: UInt64) {
    self.quantum = quantum
    isOpen = true
    start = MonotonicClock.now()
  }

  /// Ends the last slice and returns its nanoseconds; the first thing after `run`.
  func close() -> UInt64 {
    isOpen = false
    return BusyWait.lengthen(since: start, by: slowdown)
  }

  /// Called where the work can pause.
  func pass() {
    guard isOpen, MonotonicClock.now() - start >= quantum else { return }
    pipe.send(LockstepFrame(.slice, value: BusyWait.lengthen(since: start, by: slowdown)))
    // Whoever does not want the rest of the work wants nothing more of this process.
    guard let next = pipe.receive(), next.kind == .runQuantum else { _exit(0) }
    quantum = next.value
    start = MonotonicClock.now()
  }
}

/// A planted regression: the time that has passed, and a share of it more.
enum BusyWait {
  /// Nanoseconds since `start`, after as many more of them as the share says.
  static func lengthen(since start: UInt64, by share: Double) -> UInt64 {
    let elapsed = MonotonicClock.now() - start
    guard share > 0 else { return elapsed }
    let end = start + elapsed + UInt64(Double(elapsed) * share)
    var now = MonotonicClock.now()
    while now < end { now = MonotonicClock.now() }
    return now - start
  }
}
