import Basics
import Compare
import Foundation
import Generators
import Reporting
import Runner
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
  /// The program whose command line this is.
  let program: Program

  /// Prints lines and ends the last one; names and paths in them come from files of other people.
  func print(_ text: String) { printDocument(TerminalText.message(text)) }

  /// Prints a text that is made safe where it is written, such as YAML or Markdown, and ends its line.
  func printDocument(_ text: String) {
    write(text.hasSuffix("\n") ? text : text + "\n")
  }

  /// Shows a report as text, or as a page.
  func show(_ report: Report, asPage isPage: Bool = false) {
    let palette = Palette(isColoured: isColoured)
    let text = isPage ? report.html : report.text(width: width, palette: palette)
    write(program.naming(text))
  }

  /// Says what is no data, on a line of its own; names in it come from files of other people.
  func note(_ message: String) {
    let text = TerminalText.message(program.naming(message))
    writeError(text.hasSuffix("\n") ? text : text + "\n")
  }

  /// The process's own streams.
  static func standard(of program: Program) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let environment = ProcessInfo.processInfo.environment
    // See https://no-color.org: any value but an empty one.
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
    // If the reader has gone, there is nobody to tell.
    _ = Array(text.utf8).withUnsafeBytes { System.writeAll(descriptor, $0) }
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

/// One line on the terminal that says how far a run is and how long it may still take.
final class ProgressLine {
  private let console: Console
  private let now: () -> Double
  private let started: Double
  private var caseCount = 0
  /// Seconds that a live comparison may take.
  private var budget = 0.0
  private var finished = 0
  private var current = ""
  private var trial = ""
  private var shownAt = -Double.infinity
  private var isShown = false

  /// Draws on a console with a clock in seconds.
  init(_ console: Console, now: @escaping () -> Double = MonotonicClock.seconds) {
    self.console = console
    self.now = now
    started = now()
  }

  /// Does some work with a line, which is removed at its end.
  static func during<Result>(
    _ console: Console,
    _ work: (ProgressLine) throws -> Result
  ) rethrows -> Result {
    let line = ProgressLine(console)
    defer { line.clear() }
    return try work(line)
  }

  /// Takes what a run tells.
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

  /// Takes what a live comparison tells.
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

  /// Takes how far a store has been generated.
  func take(_ progress: GenerationProgress) {
    let share = progress.total > 0 ? progress.done * 100 / progress.total : 100
    show("generating \(progress.table): \(share) %", atOnce: false)
  }

  /// Takes how many parts of some work are done.
  func take(_ done: Int, of total: Int, _ words: String) {
    (finished, caseCount) = (done, total)
    show("[\(done)/\(total)] \(TerminalText.plain(words))\(remaining)", atOnce: false)
  }

  /// Takes what is being read, in a few words.
  func take(_ words: String) {
    // Names in it come from files of other people.
    show(TerminalText.plain(words), atOnce: false)
  }

  /// Removes the line.
  func clear() {
    guard isShown else { return }
    console.writeError("\r\u{1B}[K")
    isShown = false
  }

  private func draw(atOnce: Bool) {
    show("[\(finished + 1)/\(caseCount)] \(current)\(trial)\(remaining)", atOnce: atOnce)
  }

  /// From the cases done so far, once there are some.
  private var remaining: String {
    guard finished > 0, finished < caseCount else { return "" }
    let seconds = (now() - started) / Double(finished) * Double(caseCount - finished)
    return ", about \(Figures.seconds(seconds, .rough)) left"
  }

  private func show(_ text: String, atOnce: Bool) {
    let time = now()
    // Drawing costs time that trials beside it would notice.
    guard console.showsProgress, atOnce || time - shownAt >= 0.2 else { return }
    shownAt = time
    isShown = true
    console.writeError("\r\u{1B}[K" + text.prefix(max(console.width - 1, 20)))
  }
}

extension CommandStatus {
  /// The status of merged results.
  ///
  /// Missing cases come before all of them: the rest of the verdict is still to come.
  init(merged document: ResultDocument) {
    let isWhole = document.plan?.missing.isEmpty ?? true
    self = isWhole ? CommandStatus(of: document) : .partial
  }

  /// The status of a run.
  init(of document: ResultDocument) {
    self = document.failedCases.isEmpty ? .done : .caseFailed
  }
}

extension Refusal {
  static let noExecutable = Refusal.bug(
    "this program cannot find its own file, to run trials in their own process"
  )

  /// A commit cannot be measured.
  static func cannotMeasure(commit: String, reason: String) -> Refusal {
    Refusal.badInput("cannot measure '\(commit)': \(reason)")
  }

  /// The program lacks the kind that a command works with.
  static func noKind(_ kind: String, command: String) -> Refusal {
    Refusal.misuse(
      "'\(command)' needs the kind '\(kind)', which this program does not contain: use 'storebench'"
    )
  }
}
