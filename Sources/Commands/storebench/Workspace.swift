import Foundation
import Generators
import Measurement
import Runner

/// What a job works with: the console with a progress line, and a scratch folder of its own.
struct Workspace {
  let console: Console
  let line: ProgressLine
  let scratch: ScratchFolder
  let folder: WorkFolderOption

  /// Does some work in a new scratch folder, which is removed afterwards unless it is kept.
  static func use<Result>(
    _ folder: WorkFolderOption,
    on console: Console,
    keeping: Bool = false,
    _ work: (Workspace) throws -> Result
  ) throws -> Result {
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    let line = ProgressLine(console)
    defer {
      line.clear()
      if keeping {
        scratch.keep()
        console.note("kept \(scratch.path)")
      } else {
        scratch.remove()
      }
    }
    return try work(Workspace(console: console, line: line, scratch: scratch, folder: folder))
  }

  /// Generated stores, kept from run to run.
  func stores() -> StoreLibrary {
    StoreLibrary(cacheFolder: folder.cacheFolder, progress: { line.take($0) })
  }

  /// The environment of a run that started at a time and works here.
  func environment(at time: Date) -> Environment {
    EnvironmentProbe.read(
      workFolder: scratch.path,
      codeFolder: Bundle.main.executableURL?.deletingLastPathComponent().path ?? ".",
      startedAt: time.formatted(.iso8601)
    )
  }
}

/// This program's own file.
enum Executable {
  /// Its path, whatever the program was called by.
  static func path() throws -> String {
    #if os(Linux)
      let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
      if path != "/proc/self/exe" { return path }
    #endif
    guard let path = Bundle.main.executablePath else { throw StorebenchError.noExecutable }
    return path
  }

  /// Worker processes of this program, until it is told to stop.
  static func worker(on processor: SharedProcessor? = nil) throws -> WorkerProcess {
    WorkerProcess(
      executable: try path(),
      processor: processor,
      isStopped: { Signals.isStopped() }
    )
  }
}
