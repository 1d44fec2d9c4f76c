import Basics
import Foundation
import Reporting

/// A run that an app observed on a device, as printed by the source code from `storebench observe
/// --print-source`.
package struct ObservedRun: Hashable, Sendable {
  /// The names of the columns with which a table of observed runs begins.
  package static let columns = ["duration_seconds", "objects", "device", "work", "case"]

  private static let mostSeconds = 1e7

  package let seconds: Double
  /// The number of objects of all entities.
  package let objects: Double
  package let device: String
  /// The kind of work: `migration` or `fetch`.
  package let work: String
  package let name: String

  /// Whether a string starts like a table of observed runs.
  ///
  /// Lines that start with `#` are ignored.
  package static func isTable(_ text: String) -> Bool {
    let first = text.split(whereSeparator: \.isNewline).first { !$0.hasPrefix("#") }
    return first?.lowercased().hasPrefix("duration_seconds,objects,device,work,") == true
  }

  /// Parses a table of observed runs.
  ///
  /// - Throws: ``Refusal`` with the line number and the problem.
  package static func read(csv text: String, path: String) throws -> [ObservedRun] {
    let table = try SizeTable(text, path: path)
    let places = columns.map { table.column($0) }
    guard let seconds = places[0], let objects = places[1], let device = places[2],
      let work = places[3], let name = places[4]
    else {
      throw Refusal.unknownColumns(
        path: path,
        found: table.columns,
        expected: columns.map { "'\($0)'" }.joined(separator: ", ")
      )
    }
    return try table.rows.map { row in
      ObservedRun(
        seconds: try table.number(row, seconds, upTo: mostSeconds, "a time in seconds"),
        objects: try table.number(row, objects, upTo: SizeTable.mostObjects, "objects"),
        device: row.fields[device],
        work: row.fields[work],
        name: row.fields[name]
      )
    }
  }
}

extension ObservedRun {
  private static let mostBytes = 64 << 20

  /// Reads the runs in a file; returns `nil` if the file is not a table of observed runs.
  ///
  /// - Throws: ``Refusal`` with the line number and the problem.
  package static func readIfTable(path: String) throws -> [ObservedRun]? {
    guard let handle = FileHandle(forReadingAtPath: path),
      let head = try? handle.read(upToCount: 400),
      isTable(String(decoding: head, as: UTF8.self))
    else { return nil }
    let bytes = try InputFile.bytes(of: path, limit: mostBytes)
    return try read(csv: String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// Reports the runs, with one line per device, case and size.
  package static func report(of runs: [ObservedRun]) -> Report {
    struct Group: Hashable {
      let device, work, name: String
      let objects: Double
    }
    let groups = Dictionary(grouping: runs.enumerated()) { _, run in
      Group(device: run.device, work: run.work, name: run.name, objects: run.objects)
    }.sorted { $0.value[0].offset < $1.value[0].offset }
    var report = Report(
      kind: "observation",
      title: "Observed by an app on its devices: \(Figures.counted(runs.count, "run"))",
      source: "the observed runs"
    )
    report.sections = [
      .init(
        "Times by device, case and size",
        [
          .table(
            [.init("Device"), .init("Case"), .init("Objects", .number), .init("Runs", .number)]
              + ["Median", "Fastest", "Slowest"].map { .init($0, .seconds) },
            rows: groups.map { group, runs in
              let seconds = runs.map(\.element.seconds).sorted()
              return [
                .text(group.device), .text(group.name), .number(group.objects),
                .number(seconds.count), .number(seconds.median ?? 0), .number(seconds[0]),
                .number(seconds[seconds.count - 1]),
              ]
            }
          )
        ]
      )
    ]
    return report
  }
}
