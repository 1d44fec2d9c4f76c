import Basics
import Compare
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests measuring ranges of commits in a repository that the test makes.
@Suite(.serialized) struct HistoryRunTests {
  private let program: StorebenchProcess

  init() throws {
    program = try StorebenchProcess()
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "one")
    try shell("git init --quiet --initial-branch main && mkdir ../$(basename \"$PWD\")-victim")
  }

  @discardableResult
  private func shell(_ script: String) throws -> StorebenchProcess.Ending {
    let ending = try program.start(["-e", "-c", script], program: "/bin/bash").wait()
    try #require(ending.status == 0, "\(ending.errors)")
    return ending
  }

  /// Commits all changes; commits are a second apart, because a history orders them by time where
  /// the commit between them is not measured.
  private func commit(_ message: String) throws -> String {
    try shell(
      """
      count=$(git rev-list --count HEAD 2>/dev/null || echo 0)
      export GIT_COMMITTER_DATE="$((1767225600 + count)) +0000"
      git add --all -- Workloads $(ls -d link 2>/dev/null || true)
      git -c user.name=a -c user.email=a@example.com commit --quiet --allow-empty -m '\(message)'
      git rev-parse HEAD
      """
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func run(_ range: String, _ options: String...) throws -> StorebenchProcess.Ending {
    let words = ["history", "run", range, "Workloads/one.yaml", "--folder", "h", "--allow-debug"]
    return try program.run(words + options)
  }

  private var history: History {
    get throws { try HistoryFolder(path: program.folder.path + "/h").read() }
  }

  @Test func `measures each commit of a range once, and goes on where it was`() throws {
    let first = try commit("start")
    let second = try commit("nothing")
    try program.writeRecipe(model: "models/v1.yaml", tasks: 340)
    let third = try commit("more tasks")
    let part = try run("\(first.prefix(9))..\(second.prefix(9))")
    #expect(part.status == 0, "\(part.errors)")
    #expect(try history.commits == [first, second])
    let whole = try run("HEAD~2..main")
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.errors.contains("3 commits, 2 of them measured already"), "\(whole.errors)")
    let found = try history
    #expect(found.commits == [first, second, third])
    #expect(Set(found.steps.map(\.after.commit)) == [third])
    #expect(try run("HEAD~2..main").errors.contains("3 commits, 3 of them measured already"))
    let shown = try program.run(["history", "show", "--folder", "h"]).output
    let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("more tasks: one, "), "\(shown)")
    #expect(words.contains("recipe 'recipes/tasks.yaml' changed: Task 300 → 340"), "\(shown)")
    // The run must remove all its work trees and changes.
    #expect(try shell("git worktree list").output.split(separator: "\n").count == 1)
    #expect(try shell("git status --short Workloads").output.isEmpty)
  }

  @Test func `a commit is measured once all its workloads are, whatever their names are now`()
    throws
  {
    let only = try commit("start")
    try #require(try run("\(only)..\(only)").status == 0)
    let all = ["history", "run", "\(only)..\(only)", "Workloads", "--folder", "h", "--allow-debug"]
    let added = try program.run(all)
    #expect(added.errors.contains("1 commit, 0 of them measured already"), "\(added.errors)")
    #expect(try Set(history.lines.map(\.series.workload)) == ["fetch", "one"])
    try shell("cd Workloads && mv fetch.yaml find.yaml && mv one.yaml uno.yaml")
    let again = try program.run(all)
    #expect(again.errors.contains("1 commit, 1 of them measured already"), "\(again.errors)")
  }

  @Test func `a commit that cannot be measured is named, and the others are measured`() throws {
    let first = try commit("start")
    try program.folder.write("kind: nonsense\n", to: "Workloads/one.yaml")
    let broken = try commit("broken")
    try program.writeFetch("strategy: batched, batchSize: 20", trials: 1, to: "one")
    let last = try commit("mended")
    let ending = try run("\(first)..\(last)")
    #expect(ending.status == 1, "\(ending.errors)")
    #expect(ending.errors.contains("\(broken.prefix(10)) cannot be measured: "), "\(ending.errors)")
    #expect(try history.commits == [first, last])
  }

  @Test func `a commit's links, hooks and filters write nothing elsewhere and run nothing`() throws
  {
    let victim = program.folder.path + "-victim"
    defer { try? FileManager.default.removeItem(atPath: victim) }
    try shell(
      """
      for name in link .storebench .storebench-bisect Results h; do
        ln -s '\(victim)' "$name"; git add -f "$name"
      done
      printf '*.yaml filter=evil\\n' >.gitattributes && git add .gitattributes
      git config core.hooksPath "$PWD/hooks" && mkdir hooks
      for hook in post-checkout reference-transaction; do
        printf '#!/bin/sh\\ntouch "\(victim)/hook"\\n' >hooks/$hook; chmod +x hooks/$hook
      done
      """
    )
    let first = try commit("start")
    let last = try commit("nothing")
    try shell(
      """
      git rm --quiet --cached h .storebench Results && rm h .storebench Results
      git config filter.evil.smudge "touch '\(victim)/filter'; cat"
      git config filter.evil.process "touch '\(victim)/process'"
      rm -f '\(victim)'/*
      """
    )
    let ending = try run("\(first)..\(last)")
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(try history.commits == [first, last])
    #expect(try FileManager.default.contentsOfDirectory(atPath: victim) == [])
  }

  @Test func `a suspected step is an alarm only where a live comparison confirms it`() throws {
    let first = try commit("start")
    try program.writeRecipe(model: "models/v1.yaml", tasks: 1_500)
    let last = try commit("more tasks")
    try #require(try run("\(first)..\(last)").status == 0)
    try plantNeighbors(of: first, last)
    #expect(try history.suspicions().count == 1)
    let shown = try program.run([
      "history", "show", "--folder", "h", "--fail-on-change", "--since", last,
    ])
    #expect(shown.status == 0, "\(shown.output)")
    let ending = try run("\(first)..\(last)", "--confirm", "--budget", "60s")
    #expect(ending.status == 2, "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.contains(/confirmed \(\+.* live\): one\S*: wallClock/),
      "\(ending.output)"
    )
  }

  @Test func `a suspicion between commits that cost the same is not confirmed`() throws {
    let first = try commit("start")
    let last = try commit("nothing")
    try #require(try run("\(first)..\(last)").status == 0)
    try plantNeighbors(of: first, last)
    let shown = try program.run(["history", "show", "--folder", "h"]).output
    let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("suspected: it rose"), "\(shown)")
    #expect(words.contains("cannot tell yet (10 of 50 commits)"), "\(shown)")
    let ending = try run("\(first)..\(last)", "--confirm", "--budget", "1s")
    #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("not confirmed ("), "\(ending.output)")
  }

  /// Adds four commits before `first` and four after `last` to the history.
  ///
  /// From `last` on, the wall-clock times are three times as long as those of `first`.
  private func plantNeighbors(of first: String, _ last: String) throws {
    let folder = program.folder.path + "/h"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".csv") }
      .map { ($0, try String(contentsOfFile: folder + "/" + $0, encoding: .utf8)) }
      .sorted { !$0.1.contains(last) && $1.1.contains(last) }
    var (text, base) = ("", 0.0)
    for (file, content) in files {
      var lines = content.components(separatedBy: "\n")
      for (index, line) in lines.enumerated() {
        guard var fields = CSVRecord.fields(of: line[...]), fields.count == 9,
          fields[5] == "wallClock", let value = Double(fields[8])
        else { continue }
        let isFirst = fields[1] == first
        if isFirst { base = value }
        if !isFirst {
          fields[8] = "\(base * 3)"
          lines[index] = CSVRecord.text(fields)
        }
        for number in 1...4 {
          fields[0] = isFirst ? "2020-01-0\(number)T00:00:00Z" : "2099-01-0\(number)T00:00:00Z"
          fields[1] = (isFirst ? "a" : "b") + "00000\(number)"
          text += CSVRecord.text(fields) + "\n"
        }
      }
      try lines.joined(separator: "\n")
        .write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
    }
    let columns = "startedAt,commit,environment,workload,case,metric,unit,exact,value"
    try program.folder.write("# StoreBench history 2\n\(columns)\n\(text)", to: "h/2026-11/x.csv")
  }

  private static let ranges = [
    "main", "main...other", "..main", "main..", "a..b..c", "--output=../victim..main",
    "main..--exec=touch owned", "$(touch owned)..main", "main..nowhere", "-..-",
    "main..main^{tree}",
    ":/start..../../etc", "main..@{-1}", "main..\u{1B}]0;owned\u{7}",
  ]

  @Test func `no range but that of two commits is measured`() throws {
    _ = try commit("start")
    let words = ["history", "run", "--folder", "h", "--allow-debug", "--"]
    for range in Self.ranges {
      let ending = try program.run(words + [range, "Workloads/one.yaml"])
      #expect(ending.status == 64 || ending.status == 65, "\(range): \(ending.errors)")
      #expect(!ending.errors.contains("\u{1B}"), "\(range)")
    }
    #expect(!program.files().contains { $0.contains("owned") || $0.hasPrefix("h/") })
  }

  @Test func `a workload file elsewhere, or none, is refused and nothing is written`() throws {
    let start = try commit("start")
    for path in [
      "/etc/passwd", "../../../etc/passwd", "nowhere.yaml", "-o/tmp/owned", "Workloads/../..", "",
    ] {
      let ending = try program.run(
        ["history", "run", "--folder", "h", "--allow-debug", "--", "\(start)..main", path]
      )
      #expect([1, 64, 65, 66].contains(ending.status), "\(path): \(ending.errors)")
    }
    #expect(!program.files().contains { $0.contains("owned") || $0.hasPrefix("h/") })
  }
}
