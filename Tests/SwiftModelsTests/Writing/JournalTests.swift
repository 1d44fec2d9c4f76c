import Foundation
import TestSupport
import Testing

@testable import SwiftModels

/// The journal of a written migrator, compiled and run; a killed copy continues from it.
@Suite struct JournalTests {
  /// A program that cuts a journal after each byte, as a kill would, and continues from there.
  private static let program = #"""
    struct PersistentIdentifier: Codable, Hashable { var number: Int }

    @main struct Run {
      static func main() throws {
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        var journal = try Journal(url: url)
        try journal.note("backup")
        try journal.add((1...3).map { ("Task/p\($0)", .init(number: $0)) }, by: "TaskToTask")
        try journal.note("linked TaskToTask")
        try journal.add([("Note/p1", .init(number: 4))], by: "NoteToNote")
        try journal.note("complete")
        let bytes = try Data(contentsOf: url)
        var states: Set<String> = []
        for length in 0...bytes.count {
          try bytes.prefix(length).write(to: url)
          var cut = try Journal(url: url)
          let lines = bytes.prefix(length).split(separator: 10, omittingEmptySubsequences: false)
            .dropLast().map { String(decoding: $0, as: UTF8.self) }
          precondition(cut.count == lines.count { $0.contains("\t") })
          precondition(cut.count(of: "TaskToTask") == lines.count { $0.contains("TaskToTask\t") })
          precondition(cut.hasBackup == lines.contains("backup"))
          precondition(cut.isComplete == lines.contains("complete"))
          precondition(cut.isInterrupted("TaskToTask") != lines.contains("linked TaskToTask"))
          // The store may have an object that the journal does not know: it is removed and made again.
          precondition(cut.knows(.init(number: 2)) == (cut.count >= 2))
          states.insert("\(cut.count) \(cut.hasBackup) \(cut.isComplete)")
          try cut.add([("Task/p9", .init(number: 9))], by: "TaskToTask")
          let next = try Journal(url: url)
          precondition(next.count == cut.count)
          precondition(next.identifier(of: "Task/p9", by: "TaskToTask") == .init(number: 9))
          // A full disk: the copies go, the backup stays.
          try cut.forgetCopies()
          let again = try Journal(url: url)
          precondition(again.count == 0 && again.hasBackup == lines.contains("backup"))
          precondition(!again.isComplete && !again.isLinked("TaskToTask"))
        }
        print("\(bytes.count + 1) cuts, \(states.count) states")
      }
    }
    """#

  @Test func `goes on from every byte at which a write may be cut off`() throws {
    let compiler = try #require(OutsideProgram("swiftc"))
    let folder = try TemporaryFolder()
    let journal = MigratorTemplate.journal.replacing("import SwiftData\n", with: "")
    try folder.write(journal + Self.program, to: "Journal.swift")
    let made = try compiler.run([
      "-parse-as-library", "-swift-version", "6", folder.file("Journal.swift"), "-o",
      folder.file("journal"),
    ])
    #expect(made.status == 0, "\(made.errors)")
    let run = try #require(OutsideProgram(folder.file("journal")))
    let ending = try run.run([folder.file("copy.journal")])
    #expect(ending.status == 0, "\(ending.errors)")
    #expect(ending.output.contains("cuts, 7 states"), "\(ending.output)")
  }
}
