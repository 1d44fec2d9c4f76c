import Basics
import Foundation
import TestSupport
import Testing

@testable import Runner

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct ResultFormatTests {
  @Test func `gives Bencher the latency in nanoseconds, and what failed not at all`() throws {
    #expect(
      try ResultFixture.small.text(as: .bencher) == """
        {
          "fetch/paging/batchSize=20,order=\\"title\\"" : {
            "latency" : {
              "lower_value" : 100000000,
              "upper_value" : 300000000.00000006,
              "value" : 100000000
            },
            "sqlite.vmSteps" : {
              "lower_value" : 1234567,
              "upper_value" : 1234567,
              "value" : 1234567
            }
          },
          "fetch/paging/batchSize=90" : {
            "latency" : {
              "lower_value" : 3000000000,
              "upper_value" : 3000000000,
              "value" : 3000000000
            }
          }
        }

        """
    )
  }

  @Test(arguments: ["=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)"])
  func `no field of a table begins as a formula`(name: String) throws {
    var document = ResultFixture.small
    document.workloads[0].workload = name
    document.workloads[0].cases[0].id = name + "/a"
    for format in [ResultFormat.csv, .samples] {
      for line in try document.text(as: format).split(whereSeparator: \.isNewline) {
        for field in CSVRecord.fields(of: line) ?? [] where field.contains(name) {
          #expect(field.hasPrefix("'"), "\(line)")
        }
      }
    }
  }

  @Test func `gives github-action-benchmark the costs with their spread`() throws {
    var document = ResultFixture.small
    document.workloads[0].cases[0].samples.append(Sample(metric: .sqliteShare, trials: [[0.5]]))
    #expect(
      try document.text(as: .smallerIsBetter) == """
        [
          {
            "extra" : "2 values, SQLite 3.40.1",
            "name" : "fetch/paging/batchSize=20,order=\\"title\\" · sqlite.vmSteps",
            "range" : "± 0",
            "unit" : "count",
            "value" : 1234567
          },
          {
            "extra" : "2 values, SQLite 3.40.1",
            "name" : "fetch/paging/batchSize=20,order=\\"title\\" · wallClock",
            "range" : "± 0.14142135623730953",
            "unit" : "s",
            "value" : 0.1
          },
          {
            "extra" : "1 values, SQLite 3.40.1",
            "name" : "fetch/paging/batchSize=90 · wallClock",
            "unit" : "s",
            "value" : 3
          }
        ]

        """
    )
  }

  @Test func `gives OpenMetrics gauges, grouped by metric`() throws {
    let text = try ResultFixture.small.text(as: .openMetrics)
    let lines = text.split(separator: "\n").dropFirst(2)
    let paging = "workload=\"fetch/paging\""
    let first = "case=\"fetch/paging/batchSize=20,order=\\\"title\\\"\""
    #expect(
      Array(lines) == [
        "# TYPE storebench_case_passed gauge",
        "storebench_case_passed{\(paging),\(first)} 1",
        "storebench_case_passed{\(paging),case=\"fetch/paging/batchSize=50\"} 0",
        "storebench_case_passed{\(paging),case=\"fetch/paging/batchSize=90\"} 1",
        "# TYPE storebench_sqlite_vm_steps gauge",
        "storebench_sqlite_vm_steps{\(paging),kind=\"fetch\",\(first),metric=\"sqlite.vmSteps\"} "
          + "1234567.0",
        "# TYPE storebench_wall_clock_seconds gauge",
        "# UNIT storebench_wall_clock_seconds seconds",
        "storebench_wall_clock_seconds{\(paging),kind=\"fetch\",\(first),metric=\"wallClock\"} 0.1",
        "storebench_wall_clock_seconds{\(paging),kind=\"fetch\","
          + "case=\"fetch/paging/batchSize=90\",metric=\"wallClock\"} 3.0",
        "# EOF",
      ]
    )
  }

  @Test(
    .enabled(
      if: Python.has("prometheus_client"),
      "the Python package prometheus_client is not there"
    )
  )
  func `Prometheus's own reader takes every value`() throws {
    for document in [ResultFixture.small, ResultFixture.document, ResultFixture.hostile] {
      let script = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
        print(sum(len(family.samples) for family in read(sys.stdin.read())))
        """
      let text = try document.text(as: .openMetrics)
      let count = try Python.run(script, input: text.utf8).output
      let cases = document.workloads.flatMap(\.cases)
      let values = document.measuredSamples.filter { $0.sample.median != nil }.map { _ in 1 }
      #expect(Int(count.dropLast()) == 1 + cases.count + values.count)
    }
  }

  @Test func `gives JUnit a failure for each case that failed`() throws {
    #expect(
      try ResultFixture.small.text(as: .junit) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="storebench" tests="3" failures="1" errors="0">
          <testsuite name="fetch/paging" tests="3" failures="1" errors="0" skipped="0">
            <testcase classname="fetch/paging" name="fetch/paging/batchSize=20,order=&quot;title&quot;" time="0.1"/>
            <testcase classname="fetch/paging" name="fetch/paging/batchSize=50">
              <failure type="failed" message="lost a row"/>
            </testcase>
            <testcase classname="fetch/paging" name="fetch/paging/batchSize=90" time="3"/>
          </testsuite>
        </testsuites>

        """
    )
  }

  @Test func `names from outside stay names`() throws {
    let hostile = ResultFixture.hostile
    let parser = XMLParser(data: Data(try hostile.text(as: .junit).utf8))
    #expect(parser.parse())
    for line in try hostile.text(as: .openMetrics).split(separator: "\n") {
      #expect(line.hasPrefix("#") || line.hasPrefix("storebench_"))
    }
  }

  @Test(
    .enabled(if: SchemaValidator.isInstalled, "python3 has no package jsonschema on this machine"),
    arguments: [("", true), ("\"value\"", false)]
  )
  func `Bencher's schema takes what is written for it`(change: String, isValid: Bool) throws {
    // The schema of Bencher's format: https://bencher.dev/bmf.json
    let script = """
      import json, sys
      from jsonschema import Draft7Validator as Validator
      number = {"type": "number"}
      value = {"type": "object", "required": ["value"], "properties":
        {"value": number, "lower_value": number, "upper_value": number}}
      schema = {"type": "object", "patternProperties": {".+":
        {"type": "object", "patternProperties": {".+": value}}}}
      print(len(list(Validator(schema).iter_errors(json.load(sys.stdin)))))
      """
    for document in [ResultFixture.small, ResultFixture.document, ResultFixture.hostile] {
      var text = try document.text(as: .bencher)
      if !change.isEmpty { text = text.replacing(change, with: "\"other\"") }
      #expect(try (Python.run(script, input: text.utf8).output == "0\n") == isValid)
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
      let cases = try #require(object as? [String: [String: Any]])
      #expect(cases.keys.allSatisfy { $0.count <= 1024 })
      #expect(cases.values.flatMap(\.keys).allSatisfy { $0.count <= 64 })
    }
  }
}
