import Basics
import Foundation
import Synchronization

/// Where a command says things: data goes to one side, everything else to the other.
struct Console {
  /// Standard output: data.
  let write: (String) -> Void
  /// Standard error: everything else.
  let writeError: (String) -> Void
  /// Columns of the terminal; 80 where there is none.
  let width: Int
  /// Whether data may be coloured.
  let isColoured: Bool
  /// Whether progress may be shown, which is drawn over again.
  let showsProgress: Bool

  /// Prints a text of data and ends its line.
  func print(_ text: String) {
    write(text.hasSuffix("\n") ? text : text + "\n")
  }

  /// Says what is no data, on a line of its own.
  func note(_ message: String) {
    writeError(message.hasSuffix("\n") ? message : message + "\n")
  }

  /// The process's own streams.
  static var standard: Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let environment = ProcessInfo.processInfo.environment
    // See https://no-color.org: any value but an empty one.
    let mayColour = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    return Console(
      write: { emit($0, to: STDOUT_FILENO) },
      writeError: { emit($0, to: STDERR_FILENO) },
      width: isTerminal ? terminalWidth ?? 80 : 80,
      isColoured: isTerminal && mayColour,
      showsProgress: isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
    )
  }

  private static var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  private static func emit(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { System.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // Whoever read has gone; there is nobody to tell.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

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
