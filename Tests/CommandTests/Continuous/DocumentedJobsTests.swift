import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Runs the scripts of the jobs in docs/ci.md in a user's repository, as a CI server does.
@Suite(.serialized) struct DocumentedJobsTests {
  private let program: StorebenchProcess
  private let scripts = DocumentedScript.all

  init() throws {
    program = try StorebenchProcess()
    try writeModel(attributes: "")
    try program.writeRecipe(model: "../App/Tasks.xcdatamodeld", tasks: 100)
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "ci/fetch")
    // A debug build measures only with `--allow-debug`, which users' jobs do not need.
    try program.folder.write(
      """
      #!/bin/bash
      case "$1" in run | compare-live) set -- "$@" --allow-debug ;; esac
      exec '\(try StorebenchProcess.program())' "$@"
      """,
      to: ".bin/storebench"
    )
    try shell(
      """
      chmod +x .bin/storebench
      git init --quiet --initial-branch main
      git add App Workloads
      git -c user.name=a -c user.email=a@example.com commit --quiet --message start
      git remote add origin "$PWD"
      git fetch --quiet origin
      """
    )
  }

  private func writeModel(attributes: String) throws {
    try program.folder.write(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Task" representedClassName="Task" syncable="YES">
          <attribute name="title" optional="YES" attributeType="String"/>\(attributes)
        </entity>
      </model>
      """,
      to: "App/Tasks.xcdatamodeld/Tasks.xcdatamodel/contents"
    )
  }

  @discardableResult
  private func shell(_ script: String) throws -> StorebenchProcess.Ending {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    // GitHub's and GitLab's runners end the script at the first error.
    let running = try program.start(
      ["-e", "-o", "pipefail", "-c", script],
      environment: [
        "PATH": "\(program.folder.path)/.bin:\(path)", "STOREBENCH_BUDGET": "1s",
        "GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "GITHUB_STEP_SUMMARY": "",
      ],
      program: "/bin/bash"
    )
    return try running.wait()
  }

  private func job(_ number: Int) throws -> StorebenchProcess.Ending {
    try shell("rm -rf result\n" + scripts[number])
  }

  @Test func `there are two jobs for each server`() {
    #expect(scripts.count == 4)
    #expect(scripts.count { $0.contains("storebench run Workloads/ci") } == 2)
    #expect(scripts.count { $0.contains("storebench compare-live Workloads/ci") } == 2)
    #expect(!scripts.contains { $0.contains("apt-get") || $0.contains("swift build") })
  }

  @Test
  func `the stored baseline is missing, made, held, passed by a count, and shows a changed model`()
    throws
  {
    try #require(scripts.count == 4)
    let first = try job(0)
    #expect(first.status == 66)
    #expect(
      first.output.contains("; to make a baseline: storebench baseline update result"),
      "\(first.output)"
    )
    #expect(try shell("storebench baseline update result").status == 0)

    let unchanged = try job(0)
    #expect(unchanged.status == 0, "\(unchanged.errors)")
    // GitHub treats lines that begin with two colons as annotations; a notice is not a failure.
    #expect(unchanged.output.contains("::notice title=StoreBench::"), "\(unchanged.output)")
    #expect(!unchanged.output.contains("::error") && !unchanged.output.contains("::warning"))
    #expect(program.files().contains("benchmark.json"))

    let lowered = "sed -i -E 's/(,sqlite.statementsRun,count,)[0-9]+/\\10/' Results/baselines/*.csv"
    #expect(try shell(lowered).status == 0)
    let more = try job(2)
    #expect(more.status == 2)
    let junit = try String(contentsOfFile: program.folder.path + "/junit.xml", encoding: .utf8)
    #expect(
      junit.contains("<failure type=\"regressed\" message=\"sqlite.statementsRun rose from 0")
    )
    #expect(program.files().contains("metrics.txt"))

    try writeModel(
      attributes: "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>"
    )
    let other = try job(0)
    // The count is still higher than in the baseline, but is not judged, because the content
    // changed.
    #expect(other.status == 0, "\(other.output)")
    #expect(other.output.contains("content changed in 1 of 1 case"), "\(other.output)")
    #expect(other.output.contains("changed: new attribute note of Task"), "\(other.output)")
    #expect(try shell("storebench baseline update result").status == 0)
    #expect(try job(0).status == 0)
  }

  @Test(arguments: [1, 3])
  func `a live comparison with the target branch finds nothing where nothing changed`(
    number: Int
  ) throws {
    try #require(scripts.count == 4)
    let ending = try job(number)
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.output.contains("ci/fetch"), "\(ending.output)")
  }
}
