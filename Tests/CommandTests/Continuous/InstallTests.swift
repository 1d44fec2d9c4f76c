import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import StoreBenchCommand

/// Tests `ci/install` with a release, and the last lines that `make test` prints.
///
/// The release's program is a script that only prints its version; `make check-release` tests a
/// real release.
struct InstallTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try pack(version: "0.4.0")
  }

  private func pack(version: String) throws {
    try folder.write(
      "#!/bin/sh\necho 'storebench \(version), with GRDB'\n",
      to: "storebench-1/bin/storebench"
    )
    try folder.write("", to: "storebench-1/share/storebench/ci/gate")
    let made = try shell(
      """
      chmod +x storebench-1/bin/storebench
      tar -czf release.tar.gz storebench-1
      sha256sum release.tar.gz > release.tar.gz.sha256
      """
    )
    try #require(made.status == 0, "\(made.errors)")
  }

  @discardableResult
  private func shell(_ script: String) throws -> OutsideProgram.Ending {
    let bash = try #require(OutsideProgram("bash"))
    return try bash.run(["-ec", "cd '\(folder.path)'\n" + script])
  }

  private func install(_ arguments: String, settings: String = "") throws -> OutsideProgram.Ending {
    let script = Repository.path("ci/install")
    return try shell("STOREBENCH_RELEASE=release.tar.gz \(settings) '\(script)' \(arguments)")
  }

  @Test func `a release is installed once, and again when it changed`() throws {
    let first = try install("kept/program")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("storebench 0.4.0"))
    let key = try install("--key").output
    #expect(key.wholeMatch(of: /release-[0-9a-f]{16}\n/) != nil, "\(key)")
    #expect(try install("kept/program").output == "is there: " + key)

    try pack(version: "0.4.1")
    #expect(try install("--key").output != key)
    #expect(try install("kept/program").output.contains("storebench 0.4.1"))
  }

  @Test func `a release with another SHA-256 is refused, and nothing is installed`() throws {
    let other = String(repeating: "0", count: 64)
    let ending = try install("program", settings: "STOREBENCH_SHA256=\(other)")
    #expect(ending.status == 1)
    #expect(ending.errors.contains("'release.tar.gz' has another SHA-256 than 0000"))
    #expect(try !folder.names().contains("program"))
    let none = try install("program", settings: "STOREBENCH_SHA256=soon")
    #expect(none.errors.contains("'soon' is not a SHA-256"), "\(none.errors)")
    try shell("rm release.tar.gz.sha256")
    #expect(try install("program").errors.contains("'release.tar.gz.sha256' cannot be read"))
  }

  @Test(.enabled(if: OutsideProgram("curl") != nil, "curl is not installed"))
  func `a release is taken by its address, or from a mirror of the same names`() throws {
    let here = "file://" + folder.path
    let there = "https://example.com/releases/download/0.4.0"
    for settings in [
      "STOREBENCH_RELEASE=\(here)/release.tar.gz",
      "STOREBENCH_RELEASE=\(there)/release.tar.gz STOREBENCH_MIRROR=\(here)",
      "STOREBENCH_RELEASE=\(there)/release.tar.gz STOREBENCH_MIRROR=.",
    ] {
      let ending = try install("program", settings: settings)
      #expect(ending.status == 0 && ending.output.contains("storebench 0.4.0"), "\(ending.errors)")
      try shell("rm -r program")
    }
    let plain = try install(
      "program",
      settings: "STOREBENCH_RELEASE=http://example.com/release.tar.gz"
    )
    #expect(plain.status == 1 && plain.errors.contains("is not https"), "\(plain.errors)")
    let none = try install(
      "program",
      settings: "STOREBENCH_RELEASE=release.tar.gz STOREBENCH_MIRROR=\(here)/none"
    )
    #expect(none.status == 1 && none.errors.contains("none/release.tar.gz"), "\(none.errors)")
    #expect(try !folder.names().contains("program"))
  }

  @Test func `without a release, the key names the version, each package and the sources`() throws {
    let ending = try shell("'\(Repository.path("ci/install"))' --key")
    #expect(ending.status == 0, "\(ending.errors)")
    let versions = try String(contentsOfFile: Repository.path("ci/versions"), encoding: .utf8)
    let version = Storebench.configuration.version.replacing(" ", with: "-")
    #expect(ending.output.hasPrefix(version + "-"))
    for line in versions.split(separator: "\n") {
      #expect(ending.output.contains(line.replacing(" ", with: "-")), "\(line)")
    }
    // CI caches reject keys of more than 512 characters, and keys that contain commas.
    #expect(ending.output.count < 512 && !ending.output.contains(","))
  }

  @Test(arguments: [
    ("README.md", "the tag `VERSION`"), ("README.md", "download/VERSION/$name"),
    ("docs/ci.md", "download/VERSION/storebench-VERSION-"), ("docs/ci.md", "ci/github@VERSION"),
    ("docs/ci.md", "--branch VERSION"), ("ci/gitlab/storebench.yml", "default: VERSION"),
  ])
  func `each file that names the version names the program's`(file: String, text: String) throws {
    let version = try #require(Storebench.configuration.version.split(separator: " ").last)
    let content = try String(contentsOfFile: Repository.path(file), encoding: .utf8)
    #expect(content.contains(text.replacing("VERSION", with: version)))
  }

  @Test func `the last lines of a test run list what was skipped, and how to run it`() throws {
    try folder.write(
      """
      ➜ Suite RealStoreSurveyTests skipped: "STOREBENCH_REAL_STORES is not set"
      ➜ Test "a page" skipped: "python3 has no package jsonschema on this machine"
      ✔ Test run with 2 tests passed after 1 second.

      """,
      to: "log"
    )
    let script = Repository.path("scripts/report-skipped")
    let ending = try shell("'\(script)' < log | tail -n 5")
    #expect(
      ending.output == """
        NOT CHECKED: 2 tests and suites were skipped
          Suite RealStoreSurveyTests skipped: "STOREBENCH_REAL_STORES is not set"
          Test "a page" skipped: "python3 has no package jsonschema on this machine"
        to run 1 of them: STOREBENCH_REAL_STORES=FOLDER make test, with a folder of stores and models of apps
        to run 1 of them: python3 -m pip install jsonschema

        """
    )
    #expect(try shell("'\(script)' --require STOREBENCH_REAL_STORES < log").status == 1)
  }
}
