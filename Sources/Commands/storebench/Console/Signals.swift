import Basics
import Synchronization

private let isRaised = Atomic<Bool>(false)

/// Ctrl-C and termination: the first one asks the run to stop, a second one ends the process.
enum Signals {
  /// Whether the run was told to stop.
  @Sendable static func isStopped() -> Bool {
    isRaised.load(ordering: .relaxed)
  }

  /// Listens from now on.
  static func listen() {
    // A global is made when it is first used, which a signal handler must not be.
    isRaised.store(false, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        if isRaised.exchange(true, ordering: .relaxed) { _exit(130) }
      }
      sigaddset(&signals, number)
    }
    // A program that starts this one from a thread with blocked signals hands them on blocked.
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }
}
