import Basics
import Foundation
import Measurement
import Reporter
import Runner

/// Where a run's result goes: a folder somebody chose, or a new one of the run's own.
struct OutputFolder {
  private static let runs = "Results/runs"

  /// `nil` for a folder under `Results/runs`.
  let chosen: String?
  /// What the run is called there, after the time.
  let name: String
  let isReplacing: Bool

  /// A name from the paths that were given: that of the first.
  static func name(of paths: [String]) -> String {
    let first = paths.first.map { URL(fileURLWithPath: $0).deletingPathExtension() }
    let name = first?.lastPathComponent ?? ""
    return name.isEmpty || name == "/" ? "run" : name
  }

  /// Makes the folder and checks that it can be written to, before anything is run.
  ///
  /// A folder that was chosen is made in a folder that is there: a misspelt path makes no tree.
  func make(at time: Date) throws -> String {
    guard let chosen else { return try makeOwn(at: time) }
    if mkdir(chosen, 0o755) != 0, errno != EEXIST { throw failure(chosen) }
    let result = chosen + "/" + RunFolder.resultName
    if !isReplacing, FileManager.default.fileExists(atPath: result) {
      throw StorebenchError.hasResult(folder: chosen)
    }
    try checkWriting(chosen)
    return chosen
  }

  private func makeOwn(at time: Date) throws -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: Self.runs,
        withIntermediateDirectories: true
      )
    } catch {
      throw failure(Self.runs)
    }
    let stamp = RunTime.stamp(time)
    for number in 1...1000 {
      let folder = "\(Self.runs)/\(stamp)-\(name)" + (number == 1 ? "" : "-\(number)")
      if mkdir(folder, 0o755) == 0 { return folder }
      guard errno == EEXIST else { throw failure(folder) }
    }
    throw failure(Self.runs)
  }

  private func checkWriting(_ folder: String) throws {
    let probe = folder + "/.storebench-\(getpid())"
    let descriptor = open(probe, O_WRONLY | O_CREAT | O_EXCL, 0o644)
    guard descriptor >= 0 else { throw failure(folder) }
    close(descriptor)
    unlink(probe)
  }

  private func failure(_ path: String) -> RunnerError {
    .cannotWrite(path: path, reason: System.errorText())
  }
}

/// The time a run started, in UTC.
enum RunTime {
  /// `20260401T093000Z`, as folders are named.
  static func stamp(_ time: Date) -> String {
    iso8601(time).filter { $0 != "-" && $0 != ":" }
  }

  /// `2026-04-01T09:30:00Z`.
  static func iso8601(_ time: Date) -> String {
    time.formatted(.iso8601)
  }

  /// The environment of a run that started at a time and works in a folder.
  static func environment(at time: Date, workFolder: String) -> Environment {
    let code = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
    return EnvironmentProbe.read(
      workFolder: workFolder,
      codeFolder: code,
      startedAt: iso8601(time)
    )
  }
}
