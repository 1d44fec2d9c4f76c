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

  private var ledger: Ledger<ProductRecord> { Ledger(path: folder.path + "/new/product.csv") }

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
        revision,cell,planned,others,load,seed,cases,failed,couldAlarm,changed,undecided,coarse,\
        notCold,blocks,seconds,alarms
        0123456789,warm,quiet,0.050,quiet,7,4,0,4,0,1,0,0,60,14.25,
        0123456789,warm,quiet,0.050,quiet,7,4,0,4,2,1,0,0,60,14.25,a b

        """
    )
  }

  @Test func `loses no line when two benches add at the same time`() throws {
    try ledger.append(.example(changed: 0))
    DispatchQueue.concurrentPerform(iterations: 200) { [ledger] number in
      #expect(throws: Never.self) { try ledger.append(.example(changed: number)) }
    }
    #expect(try Set(ledger.records().map(\.changed)) == Set(0..<200))
  }

  @Test
  func `leaves out a line that a killed run has cut short, and goes on behind the last whole`()
    throws
  {
    try ledger.append(.example(changed: 0))
    let whole = try text()
    try Data((whole + "0123456789,warm").utf8).write(to: URL(fileURLWithPath: ledger.path))
    #expect(try ledger.records().count == 1)
    try ledger.append(.example(changed: 2))
    #expect(try ledger.records() == [.example(changed: 0), .example(changed: 2)])
  }

  @Test func `begins anew behind a header that was cut short`() throws {
    try ledger.append(.example(changed: 0))
    try Data("revision,ce".utf8).write(to: URL(fileURLWithPath: ledger.path))
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
    #expect(ProductRecord(fields: ProductRecord.example(changed: 2).fields) == .example(changed: 2))
    #expect(PowerRecord(fields: PowerRecord.example().fields) == .example())
    let null = NullRecord.example(wealth: 21.5, .loaded.of(.writing))
    #expect(NullRecord(fields: null.fields)?.logRatios == null.logRatios)
    #expect(NullRecord(fields: null.fields)?.circumstances == null.circumstances)
    #expect(CounterRecord(fields: CounterRecord.example.fields) == .example)
    let trace = TraceRecord.example(.contiguous)
    #expect(TraceRecord(fields: trace.fields) == trace)
    #expect(trace.fields.count == TraceRecord.columns.count)
    #expect(PowerRecord.example().fields.count == PowerRecord.columns.count)
  }

  @Test func `a row that others disturbed is one under load, whatever was planned`() {
    var circumstances = Circumstances.example
    circumstances.others = 0.5
    let record = ProductRecord.example(changed: 0, circumstances)
    #expect(record.fields[2...4] == ["quiet", "0.500", "loaded"])
    var fields = record.fields
    fields[4] = "quiet"
    #expect(ProductRecord(fields: fields) == nil)
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
