import Basics
import Runner

/// One run that an app observed on a device, as `storebench observe --print-source` prints it.
package struct ObservedRun: Hashable, Sendable {
  /// How such a table begins, in its first line of columns.
  package static let columns = ["duration_seconds", "objects", "device", "work", "case"]

  private static let mostSeconds = 1e7

  package let seconds: Double
  /// Objects of all entities together.
  package let objects: Double
  package let device: String
  /// `migration` or `fetch`.
  package let work: String
  package let name: String

  /// Whether a text begins as a table of observed runs, after lines that begin with `#`.
  package static func isTable(_ text: String) -> Bool {
    let first = text.split(whereSeparator: \.isNewline).first { !$0.hasPrefix("#") }
    return first?.lowercased().hasPrefix("duration_seconds,objects,device,work,") == true
  }

  /// Reads the table.
  ///
  /// - Throws: ``Refusal`` with the line of what is wrong.
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
