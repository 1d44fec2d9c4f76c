import SQLite
import TestSupport
import Testing

@testable import Runner

struct RecorderTests {
  @Test(arguments: [false, true])
  func `the time inside SQLite is reported only where all of it is seen`(isPartial: Bool) throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.file("a.sqlite"), mode: .create)
    let recorder = Recorder(timesCalls: true, now: { 0 })
    recorder.observe(connection)
    try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    if isPartial { recorder.worksUnobserved() }
    let names = recorder.measurements().map(\.metric.name)
    #expect(names.contains("sqliteTime") == !isPartial)
    #expect(names.contains("sqlite.statementsRun"))
  }
}
