import Basics
import Runner
import TestSupport
import Testing

@Suite struct ResultJSONTests {
  @Test func `writes sorted keys, shortest digits and whole numbers without a point`() throws {
    let environment = """
      "environment":{"architecture":"x86_64","build":"release","commit":"a1b2c3d","cores":2,\
      "fileSystem":"ext4","kernel":"Linux 6.1.0-18-amd64","machine":"AMD EPYC 7B13",\
      "memoryBytes":8320000000,"operatingSystem":"Debian GNU/Linux 12",\
      "sqliteCompileOptions":["ENABLE_FTS5","THREADSAFE=1"],"sqliteSourceID":\
      "2022-12-28 14:03:47 df5c253c0b3dd24916e4ec7cf77d3db5294cc9fd45ae7b9c5e82ad8197f3",\
      "sqliteVersion":"3.40.1","startedAt":"2026-04-01T09:12:44Z","swiftVersion":"6.3.1"}
      """
    let cases = #"""
      "cases":[{"behaviours":[{"evidence":"assumed","name":"load","value":"onFetch"}],\#
      "digest":"c0ffee","id":"fetch/paging/batchSize=20,order=\"title\"",\#
      "notes":["cold, residency unverified"],"outcome":{"status":"passed"},\#
      "parameters":{"batchSize":"20","order":"\"title\""},"samples":[\#
      {"direction":"cost","exact":true,"metric":"sqlite.vmSteps",\#
      "trials":[[1234567],[1234567]],"unit":"count"},\#
      {"direction":"cost","exact":false,"metric":"wallClock",\#
      "trials":[[0.1],[0.30000000000000004]],"unit":"s"}]},\#
      {"behaviours":[],"id":"fetch/paging/batchSize=50","notes":[],\#
      "outcome":{"reason":"lost a row","status":"failed"},"parameters":{"batchSize":"50"},\#
      "samples":[{"direction":"cost","exact":false,"metric":"wallClock","trials":[[0.01]],\#
      "unit":"s"}]},\#
      {"behaviours":[],"id":"fetch/paging/batchSize=90","notes":[],\#
      "outcome":{"reason":"UNIQUE","status":"failedAsExpected"},\#
      "parameters":{"batchSize":"90"},"samples":[{"direction":"cost","exact":false,\#
      "metric":"wallClock","trials":[[3]],"unit":"s"}]}]
      """#
    let workload = """
      {"budget":{"sqlite.vmSteps":{"percent":2},"vfs.syncs":{"absolute":0}},\
      "cache":"warm",\(cases),"defaults":{"limit":"0"},"iterationCount":1,\
      "kind":"fetch",\
      "pragmas":{"journal_mode":"wal","page_size":"4096"},"seed":18446744073709551615,"store":{"bytes":40960,\
      "digest":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",\
      "objects":{"Project":2,"Task":10},"seed":18446744073709551615,\
      "source":"recipes/tasks.yaml"},"trialCount":2,"workload":"fetch/paging"}
      """
    let expected = "{\(environment),\"version\":1,\"workloads\":[\(workload)]}\n"
    #expect(try ResultFixture.small.text(as: .json) == expected)
  }

  @Test(arguments: [false, true])
  func `reads what it wrote, and writes it again to the byte`(isSmall: Bool) throws {
    var document = isSmall ? ResultFixture.small : ResultFixture.document
    document.workloads[0].cases[0].losses = ["3 objects of Task left out"]
    let text = try document.text(as: .json)
    let read = try ResultDocument(json: Array(text.utf8))
    #expect(read == document)
    #expect(try read.text(as: .json) == text)
  }

  @Test func `keeps what a metric of another build means`() throws {
    let metric = Metric("flux.density", unit: .ratio, direction: .neutral, isExact: true)
    var document = ResultFixture.small
    document.workloads[0].cases[0].samples = [Sample(metric: metric, trials: [[0.5], []])]
    let text = try document.text(as: .json)
    #expect(try ResultDocument(json: Array(text.utf8)) == document)
  }

  @Test func `writes no document that a run cannot have made`() {
    var document = ResultFixture.small
    document.workloads[0].cases[0].samples[1].trials[1][0] = .nan
    #expect(throws: Refusal.self) { try document.text(as: .json) }
  }
}
