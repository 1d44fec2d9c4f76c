import Basics
import Forecasting
import Foundation
import Runner

/// What an app observed on a device, summed up: a line for each device, case and size.
package struct ObservedTable {
  /// No such table has more bytes.
  private static let limit = 64 << 20

  private let runs: [ObservedRun]

  /// Reads a table; `nil` where the file is another one, or none.
  ///
  /// - Throws: ``Refusal`` for a table with something wrong in it.
  package init?(readingFrom path: String) throws {
    guard let handle = FileHandle(forReadingAtPath: path),
      let head = try? handle.read(upToCount: 400),
      ObservedRun.isTable(String(decoding: head, as: UTF8.self))
    else { return nil }
    let bytes = try InputFile.bytes(of: path, limit: Self.limit)
    runs = try ObservedRun.read(csv: String(decoding: bytes, as: UTF8.self), path: path)
  }

  /// The table, 80 columns wide.
  package var text: String {
    let table = TextTable(
      [
        .left("device", 16), .left("case", 22), .right("objects", 9), .right("runs", 4),
        .right("median", 8), .right("fastest", 7), .right("slowest", 7),
      ],
      overflow: .widen
    )
    struct Group: Hashable {
      let device: String
      let work: String
      let name: String
      let objects: Double
    }
    var order: [Group] = []
    var seconds: [Group: [Double]] = [:]
    for run in runs {
      let group = Group(device: run.device, work: run.work, name: run.name, objects: run.objects)
      if seconds[group] == nil { order.append(group) }
      seconds[group, default: []].append(run.seconds)
    }
    let lines = order.map { group in
      let own = (seconds[group] ?? []).sorted()
      return table.line([
        group.device, group.name, Int(group.objects).grouped, "\(own.count)",
        Figures.seconds(own.median ?? 0), Figures.seconds(own.first ?? 0),
        Figures.seconds(own.last ?? 0),
      ])
    }
    return (["Observed by an app on its devices:", table.header] + lines).joined(separator: "\n")
  }
}
