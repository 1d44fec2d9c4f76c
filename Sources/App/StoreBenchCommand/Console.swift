import Basics
import Compare
import Foundation
import Generators
import Reporting
import Runner
import Synchronization

/// The output of a command: data goes to standard output, everything else to standard error.
struct Console {
  /// Writes data to standard output.
  let write: (String) -> Void
  /// Writes all other output, such as notes and progress, to standard error.
  let writeError: (String) -> Void
  /// The width of the terminal in columns; 80 if there is no terminal.
  let width: Int
  let isColoured: Bool
  let showsProgress: Bool
  let program: Program

  /// Prints text that ends with a line break, added if necessary.
  ///
  /// The text is sanitized, because names and paths may come from untrusted files.
  func print(_ text: String) { printDocument(TerminalText.message(text)) }

  /// Prints text that is already safe, such as YAML or Markdown, and ends with a line break, added
  /// if necessary.
  func printDocument(_ text: String) {
    write(text.hasSuffix("\n") ? text : text + "\n")
  }

  func show(_ report: Report, asPage isPage: Bool = false) {
    let palette = Palette(isColoured: isColoured)
    let text =
      isPage
      ? report.html : TerminalText.withoutCommands(report.text(width: width, palette: palette))
    write(program.naming(text))
  }

  /// Prints a message that is not data, on a separate line.
  ///
  /// The text is sanitized, because names may come from untrusted files.
  func note(_ message: String) {
    let text = TerminalText.message(program.naming(message))
    writeError(text.hasSuffix("\n") ? text : text + "\n")
  }

  static func standard(of program: Program) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let environment = ProcessInfo.processInfo.environment
    // According to https://no-color.org, any nonempty value disables color.
    let mayColour = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    return Console(
      write: { emit($0, to: STDOUT_FILENO) },
      writeError: { emit($0, to: STDERR_FILENO) },
      width: isTerminal ? terminalWidth ?? 80 : 80,
      isColoured: isTerminal && mayColour,
      showsProgress: isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb",
      program: program
    )
  }

  private static var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  private static func emit(_ text: String, to descriptor: Int32) {
    // Ignore a failure, because no message can reach a reader that closed the stream.
    _ = Array(text.utf8).withUnsafeBytes { System.writeAll(descriptor, $0) }
  }
}

private let isRaised = Atomic<Bool>(false)

/// Handles Ctrl-C and termination: the first signal asks the run to stop, and the second ends the
/// process.
enum Signals {
  @Sendable static func isStopped() -> Bool {
    isRaised.load(ordering: .relaxed)
  }

  static func listen() {
    // Force initialization, because lazy globals are not safe in a signal handler.
    isRaised.store(false, ordering: .relaxed)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in
        if isRaised.exchange(true, ordering: .relaxed) { _exit(130) }
      }
      sigaddset(&signals, number)
    }
    // Unblock the signals, because a parent process may have started this process with blocked
    // signals.
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }
}

final class ProgressLine {
  private let console: Console
  private let now: () -> Double
  private let started: Double
  private var caseCount = 0
  /// The time limit of a live comparison, in seconds.
  private var budget = 0.0
  private var finished = 0
  private var current = ""
  private var trial = ""
  private var shownAt = -Double.infinity
  private var isShown = false

  /// Creates a progress line on a console; `now` returns the time in seconds.
  init(_ console: Console, now: @escaping () -> Double = MonotonicClock.seconds) {
    self.console = console
    self.now = now
    started = now()
  }

  /// Performs work with a progress line, which is removed afterwards.
  static func during<Result>(
    _ console: Console,
    _ work: (ProgressLine) throws -> Result
  ) rethrows -> Result {
    let line = ProgressLine(console)
    defer { line.clear() }
    return try work(line)
  }

  func take(_ event: RunEvent) {
    switch event {
    case .started(let cases): caseCount = cases
    case .preparingStore(let workload): show("preparing the store of \(workload)", atOnce: true)
    case .storeReady: break
    case .caseStarted(let id, _):
      (current, trial) = (id, "")
      draw(atOnce: true)
    case .trialFinished(let id, let count, let total):
      current = id
      trial = " \(count)/\(total)"
      draw(atOnce: false)
    case .caseFinished: finished += 1
    case .workloadFinished: clear()
    }
  }

  func take(_ event: LiveEvent) {
    switch event {
    case .started(let cases, let budget): (caseCount, self.budget) = (cases, budget)
    case .preparing(let id): take("preparing \(id)")
    case .blockFinished(let id, let blocks, let decided, let seconds):
      let left = Figures.seconds(max(budget - seconds, 0), .rough)
      take("[\(decided)/\(caseCount) decided, at most \(left) left] \(id) \(blocks)")
    case .caseFinished: break
    }
  }

  func take(_ progress: GenerationProgress) {
    let share = progress.total > 0 ? progress.done * 100 / progress.total : 100
    show("generating \(progress.table): \(share) %", atOnce: false)
  }

  func take(_ done: Int, of total: Int, _ words: String) {
    (finished, caseCount) = (done, total)
    show("[\(done)/\(total)] \(TerminalText.plain(words))\(remaining)", atOnce: false)
  }

  func take(_ words: String) {
    // Remove control characters, because names in the text may come from untrusted files.
    show(TerminalText.plain(words), atOnce: false)
  }

  func clear() {
    guard isShown else { return }
    console.writeError("\r\u{1B}[K")
    isShown = false
  }

  private func draw(atOnce: Bool) {
    show("[\(finished + 1)/\(caseCount)] \(current)\(trial)\(remaining)", atOnce: atOnce)
  }

  private var remaining: String {
    guard finished > 0, finished < caseCount else { return "" }
    let seconds = (now() - started) / Double(finished) * Double(caseCount - finished)
    return ", about \(Figures.seconds(seconds, .rough)) left"
  }

  private func show(_ text: String, atOnce: Bool) {
    let time = now()
    // Draw at intervals, because drawing takes time, which could disturb concurrent trials.
    guard console.showsProgress, atOnce || time - shownAt >= 0.2 else { return }
    shownAt = time
    isShown = true
    console.writeError("\r\u{1B}[K" + text.prefix(max(console.width - 1, 20)))
  }
}

extension CommandStatus {
  /// The exit status for a merged result.
  ///
  /// Missing cases take precedence, because the verdict is incomplete without them.
  init(merged document: ResultDocument) {
    let isWhole = document.plan?.missing.isEmpty ?? true
    self = isWhole ? CommandStatus(of: document) : .partial
  }

  init(of document: ResultDocument) {
    self = document.failedCases.isEmpty ? .done : .caseFailed
  }
}

extension Refusal {
  static let noExecutable = Refusal.bug(
    "this program cannot find its own file, to run trials in their own process"
  )

  static func cannotMeasure(commit: String, reason: String) -> Refusal {
    Refusal.badInput("cannot measure '\(commit)': \(reason)")
  }

  static func noKind(_ kind: String, command: String) -> Refusal {
    Refusal.misuse(
      "'\(command)' needs the kind '\(kind)', which this program does not contain: use 'storebench'"
    )
  }
}
