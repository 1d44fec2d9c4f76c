import Basics
import Foundation
import Runner
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests names, paths and commits that look like options, commands or paths outside the folder.
@Suite(.serialized) struct HostileInputTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try shell(
      """
      git init --quiet --initial-branch main
      git add Workloads
      git -c user.name=a -c user.email=a@example.com commit --quiet --message start
      echo kept >kept.txt
      """
    )
  }

  @discardableResult
  private func shell(_ script: String) throws -> StorebenchProcess.Ending {
    try program.start(["-c", script], program: "/bin/bash").wait()
  }

  /// Lists the files that an attack could create or change.
  private func traces() throws -> String {
    try shell("cat kept.txt; ls -d ../victim ../owned owned* ../../etc/owned 2>/dev/null").output
  }

  private static let revisions = [
    "git:--output=owned", "git:--upload-pack=touch owned", "git:-c core.pager=touch",
    "git:$(touch owned)",
    "git:HEAD;touch owned", "git:../victim", "git:main --output=owned",
  ]

  /// `growth` reads revisions as `compare-live` does, so it is tested fully only in `make fuzz`.
  @Test func `fuzz: no side of a comparison is an option of git`() throws {
    let before = try traces()
    let live = ["compare-live", "Workloads/fetch.yaml", "--allow-debug", "--budget", "1s"]
    try shell("echo 'grows: { sqlite.vmSteps: n }' >>Workloads/fetch.yaml")
    let growing = FuzzSeeds.part(of: Self.revisions, every: 2)
    for side in Self.revisions {
      let growth = growing.contains(side) ? [["growth", "Workloads/fetch.yaml"]] : []
      for attempt in [live] + growth {
        let ending = try program.run(attempt + ["--against", side])
        #expect(ending.status == 64 || ending.status == 65, "\(side): \(ending.errors)")
      }
    }
    #expect(try traces() == before)
    #expect(!program.files().contains { $0.contains("owned") })
  }

  @Test func `a repository runs no program while it is asked for its commit`() throws {
    try shell(
      """
      git config core.fsmonitor "touch owned-monitor; false"
      git config core.hooksPath hooks && mkdir hooks
      for hook in post-checkout post-index-change pre-commit; do
        printf '#!/bin/sh\\ntouch "%s/owned-hook"\\n' "$PWD" >hooks/$hook; chmod +x hooks/$hook
      done
      git config filter.evil.clean "touch owned-filter; cat"
      git config filter.evil.process "touch owned-process"
      git config filter.evil.required true
      git config core.pager "touch owned-pager"
      git config gpg.program "touch owned-gpg" && git config log.showSignature true
      git config diff.external "touch owned-diff"
      printf '*.yaml filter=evil\\n' >.gitattributes
      rm -f owned-*; touch Workloads/fetch.yaml
      """
    )
    let run = ["run", "Workloads/fetch.yaml", "--allow-debug", "--output", "r", "--trials", "1"]
    let ending = try program.run(run)
    try #require(ending.status == 0, "\(ending.errors)")
    #expect(!program.files().contains { $0.hasPrefix("owned") }, "\(program.files())")
    let source = try ResultDocument(readingFrom: program.folder.path + "/r").environment.source
    #expect(source?.branch == "main")
    #expect(source?.subject == "start")
    #expect(source?.isDirty == false)
  }

  @Test func `a result records whose commit it is, and works without git`() throws {
    func recorded() throws -> SourceRevision? {
      let run = [
        "run", "Workloads/fetch.yaml", "--allow-debug", "--output", "r", "--force", "--trials", "1",
      ]
      try #require(try program.run(run).status == 0)
      return try ResultDocument(readingFrom: program.folder.path + "/r").environment.source
    }
    func source(
      in folder: String = "Workloads",
      _ environment: [String: String] = [:]
    ) -> SourceRevision? {
      SourceRevision.read(around: program.folder.file(folder), environment: environment)
    }
    let head = try shell("git rev-parse HEAD").output.trimmingCharacters(in: .newlines)
    #expect(try recorded()?.commit == head)
    #expect(source()?.commit == head)
    try shell("echo '# changed' >>Workloads/fetch.yaml")
    #expect(source()?.isDirty == true)
    try shell(
      """
      git checkout --quiet -b feature
      git -c user.name=a -c user.email=a@example.com commit --quiet --all --message 'On a branch'
      git checkout --quiet main
      git -c user.name=a -c user.email=a@example.com merge --quiet --no-ff feature --message merged
      git clone --quiet --depth 1 "file://$PWD" shallow
      """
    )
    let merge = try #require(source())
    #expect(merge.parents.count == 2)
    #expect(merge.parents.first == head)
    // A shallow clone has a shorter history, but must give the same record.
    #expect(source(in: "shallow/Workloads")?.parents == merge.parents)
    let ci = ["GITHUB_REF": "refs/pull/7/merge", "GITHUB_HEAD_REF": "feature"]
    #expect(source(in: "shallow", ci)?.head == merge.parents[1])
    try shell("mv .git elsewhere")
    #expect(try recorded() == nil)
  }
}

/// Tests that hostile commits and history records are refused before git is run.
struct HostileHistoryTests {
  private let results: StoredResults

  init() throws { results = try StoredResults() }

  private static let commits = [
    "--output=../victim/x", "-O../victim/x", "--no-index", "--exec=touch owned", "main", "HEAD~1",
    ":/start", "@{-1}", "../../etc", "a..b", "$(touch owned)", "`touch owned`", "a1b2c3d\nowned",
    "a1b2c3d,owned", "\u{1B}]0;owned\u{7}", "0000000 --output=owned",
  ]

  @Test func `no text but a hash is a commit of a history`() throws {
    let (result, history) = (try results.write("r"), results.folder.file("h"))
    for commit in Self.commits {
      let added = results.run(
        ["history", "add", result, "--commit=\(commit)", "--folder", history]
      )
      #expect(added.status == .misuse, "\(added.errors)")
      #expect(!added.errors.contains("\u{1B}"))
      #expect(try results.folder.names() == ["r"])
    }
    for name in ["owned", "../victim"] {
      #expect(!FileManager.default.fileExists(atPath: name))
    }
  }

  /// Hostile records, which `history add` never writes.
  private static let records = [
    "# commit,--output=owned,2026-04-01T00:00:00Z,main,,start",
    "# commit,a1b2c3d,2026-04-01T00:00:00Z,main,--exec=owned,start",
    "# commit,a1b2c3d,2026-04-01T00:00:00Z,main,,start,../../etc", "# commit",
    "# commit,\"a1b2c3d", "2026,a1b2c3d,e,w,c,m,count,exact,1e400",
    "2026,a1b2c3d,e,w,c,m,count,exact,-1", "2026,a1b2c3d,e,w,c,m,parsecs,exact,1",
  ]

  @Test(arguments: records)
  func `a history file with a wrong record is refused by its line`(record: String) throws {
    let columns = "startedAt,commit,environment,workload,case,metric,unit,exact,value"
    let lines =
      record.hasPrefix("#")
      ? ["# StoreBench history 2", record, columns] : ["# StoreBench history 2", columns, record]
    try results.folder.write(lines.joined(separator: "\n") + "\n", to: "h/2026-04/x.csv")
    let ending = results.run(["history", "show", "--folder", results.folder.file("h")])
    #expect(ending.status == .badInput, "\(ending.errors)")
    #expect(ending.errors.contains("is not a file of a history: line"), "\(ending.errors)")
  }
}
