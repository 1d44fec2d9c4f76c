import Foundation
import Runner
import TestSupport
import Testing

@testable import bench

@Suite struct LedgerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var ledger: Ledger<SuiteRecord> { Ledger(path: folder.path + "/new/suites.csv") }

  private func text() throws -> String {
    try String(contentsOfFile: ledger.path, encoding: .utf8)
  }

  @Test func `gives back what was added, over runs`() throws {
    #expect(try ledger.records() == [])
    try ledger.append(.example(changed: 0))
    try ledger.append(.example(changed: 2))
    #expect(try ledger.records() == [.example(changed: 0), .example(changed: 2)])
    #expect(
      try text() == """
        commit,load,loadAverage,seed,cases,failed,changed,unchanged,undecided,blocks,seconds,\
        scatter,alarms
        abc,quiet,0.50,7,20,1,0,18,1,240,14.25,0.00810,
        abc,quiet,0.50,7,20,1,2,16,1,240,14.25,0.00810,a b

        """
    )
  }

  @Test
  func `leaves out a line that a killed run has cut short, and goes on behind the last whole`()
    throws
  {
    try ledger.append(.example(changed: 0))
    let whole = try text()
    try Data((whole + "abc,quiet,0.5").utf8).write(to: URL(fileURLWithPath: ledger.path))
    #expect(try ledger.records().count == 1)
    try ledger.append(.example(changed: 2))
    #expect(try ledger.records() == [.example(changed: 0), .example(changed: 2)])
  }

  @Test func `begins anew behind a header that was cut short`() throws {
    try ledger.append(.example(changed: 0))
    try Data("commit,lo".utf8).write(to: URL(fileURLWithPath: ledger.path))
    #expect(try ledger.records() == [])
    try ledger.append(.example(changed: 0))
    #expect(try ledger.records() == [.example(changed: 0)])
  }

  @Test func `says which line is no record, and which file is another one`() throws {
    try ledger.append(.example(changed: 0))
    let whole = try text()
    try Data((whole + "rubbish\n").utf8).write(to: URL(fileURLWithPath: ledger.path))
    #expect(throws: TruthError.brokenLedger(path: ledger.path, line: 3)) { try ledger.records() }
    try Data("a,b\n".utf8).write(to: URL(fileURLWithPath: ledger.path))
    #expect(throws: TruthError.otherLedger(path: ledger.path)) { try ledger.records() }
  }

  @Test func `every record reads what it writes`() {
    #expect(SuiteRecord(fields: SuiteRecord.example(changed: 2).fields) == .example(changed: 2))
    #expect(TryRecord(fields: TryRecord.example.fields) == .example)
    #expect(CounterRecord(fields: CounterRecord.example.fields) == .example)
    let trace = TraceRecord.example(.contiguous)
    #expect(TraceRecord(fields: trace.fields) == trace)
    #expect(trace.fields.count == TraceRecord.columns.count)
    #expect(TryRecord.example.fields.count == TryRecord.columns.count)
  }

  @Test func `refuses times that are none`() {
    var fields = TraceRecord.example(.lockstep).fields
    fields[8] = fields[8].split(separator: " ").dropFirst().joined(separator: " ")
    #expect(TraceRecord(fields: fields) == nil)
  }

  @Test func `puts the times of a contiguous run into the order they had`() {
    var trace = TraceRecord.example(.contiguous)
    trace.base = [1, 2]
    trace.head = [3, 4]
    trace.isHeadFirst = [true, false]
    #expect(trace.inTime == [3, 1, 2, 4])
  }
}
