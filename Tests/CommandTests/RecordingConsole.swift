import StoreBenchProgram

@testable import StoreBenchCommand

/// A console that records its output and is not a terminal.
final class RecordingConsole {
  private(set) var output = ""
  private(set) var errors = ""
  private let showsProgress: Bool

  init(showsProgress: Bool = false) {
    self.showsProgress = showsProgress
  }

  var console: Console {
    Console(
      write: { self.output += $0 },
      writeError: { self.errors += $0 },
      width: 80,
      isColoured: false,
      showsProgress: showsProgress,
      program: .storebench
    )
  }
}
