import ArgumentParser
import Basics
import Compare
import Foundation
import Runner
import WorkloadKinds

struct SelftestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Show how far this machine's comparisons can be trusted.",
    discussion: """
      Compares small cases with themselves, which must raise no alarm, and with copies that take \
      1, 2, 5 and 10 % more time. Also injects changes that counters must show: one more sync per \
      save, a dropped index, faults fired one by one, batches of one object, blobs moved into the \
      row.

      Exit status: 1 if an injected change of a counter was not found, or if there were more false \
      alarms than specified; 3 if the machine is too noisy to find a 2 % change in a minute.

      EXAMPLE: bench selftest --minutes 10
      """
  )

  @Argument(help: ArgumentHelp("Folder with the cases of the self-test.", valueName: "folder"))
  var cases = "Evidence/Workloads/selftest"

  @Option(help: "Approximate duration in minutes.")
  var minutes = 3.5

  @Option(help: "Random seed of the side assignments. (default: a new seed from the system)")
  var seed: UInt64?

  @Option(help: "The measured release build of storebench.")
  var storebench = ".build/release/storebench"

  @Option(help: "Folder for stores and copies.")
  var work = ".storebench"

  func validate() throws {
    guard (0.05...10_080).contains(minutes) else {
      throw ValidationError("'--minutes' must be from 0.05 to 10080")
    }
  }

  func run() throws {
    guard FileManager.default.isExecutableFile(atPath: storebench) else {
      throw TruthError.noProgram(path: storebench)
    }
    let start = Date.now.formatted(.iso8601)
    let selftest = try Selftest(
      folder: cases,
      kinds: WorkloadCatalog.kinds,
      executable: URL(fileURLWithPath: storebench).path,
      provider: StoreLibrary(cacheFolder: work + "/cache"),
      scratch: try ScratchFolder(in: work + "/scratch"),
      seed: seed ?? LiveSuite.freshSeed(),
      progress: printProgress
    )
    var report = try selftest.perform(seconds: minutes * 60)
    report.environment = EnvironmentProbe.read(
      workFolder: work,
      codeFolder: ".",
      startedAt: start
    )
    print(SelftestTable().text(of: report), terminator: "")
    if report.exitStatus != 0 { throw ExitCode(report.exitStatus) }
  }
}
