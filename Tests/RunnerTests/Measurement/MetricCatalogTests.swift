import Runner
import Testing

@Suite struct MetricCatalogTests {
  @Test func `has every name once`() {
    let names = Metric.catalogue.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: Metric.catalogue)
  func `finds a metric by its name`(metric: Metric) {
    #expect(Metric.named(metric.name) == metric)
  }

  @Test(
    arguments: [
      ("wallClock", Metric.Unit.seconds, Metric.Direction.cost, false),
      ("firstScreen", .seconds, .cost, false),
      ("phase.backup", .seconds, .cost, false),
      ("peakMemory", .bytes, .cost, false),
      ("peakDisk", .bytes, .cost, true),
      ("sqlite.vmSteps", .count, .cost, true),
      ("sqlite.cacheHits", .count, .neutral, true),
      ("vfs.wal.writeBytes", .bytes, .cost, true),
      ("vfs.syncs", .count, .cost, true),
      ("objects.held", .count, .cost, true),
      ("objects.faultsFired", .count, .cost, true),
    ])
  func `knows unit, direction and exactness`(
    name: String,
    unit: Metric.Unit,
    direction: Metric.Direction,
    isExact: Bool
  ) throws {
    let metric = try #require(Metric.named(name))
    #expect(metric == Metric(name, unit: unit, direction: direction, isExact: isExact))
  }

  @Test(arguments: [
    "", "wallclock", "phase.", "phase.somethingNew", "sqlite.", "sqlite.flux", "vmSteps",
  ])
  func `does not know other names`(name: String) {
    #expect(Metric.named(name) == nil)
  }
}
