import DataModel
import PersistentStore
import SQLite

/// Counts the persistent history of a store.
struct HistoryScan {
  /// Names and entities that are listed.
  private static let mostNames = 20

  let reader: StoreReader
  let layout: StoreLayout

  /// `nil` where no history is kept.
  func survey() throws -> HistorySurvey? {
    let schema = reader.schema
    guard schema.has("ACHANGE"), schema.has("ATRANSACTION") else { return nil }
    var survey = HistorySurvey()
    try countTransactions(&survey)
    try countChanges(&survey)
    try countAuthors(&survey)
    return survey
  }

  private func countTransactions(_ survey: inout HistorySurvey) throws {
    let row = try reader.connection.prepare(
      "SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION"
    )
    guard try row.step() else { return }
    survey.transactions = row.integer(at: 0)
    guard !row.isNull(at: 1) else { return }
    survey.first = row.real(at: 1)
    survey.last = row.real(at: 2)
  }

  private func countChanges(_ survey: inout HistorySurvey) throws {
    let tombstones = (reader.schema.columns["ACHANGE"] ?? [])
      .filter { $0.hasPrefix("ZTOMBSTONE") }.map { "\($0.quotedColumn) IS NOT NULL" }
    let kept = tombstones.isEmpty ? "0" : tombstones.joined(separator: " OR ")
    let row = try reader.connection.prepare(
      "SELECT t.ZCHANGETYPE, t.ZENTITY, (\(kept)) FROM ACHANGE AS t NOT INDEXED"
    )
    var entities = Array(repeating: Int64(0), count: layout.numbers.entities.count + 1)
    while try row.step() {
      survey.changes += 1
      switch row.integer(at: 0) {
      case 0: survey.insertions += 1
      case 1: survey.updates += 1
      case 2:
        survey.deletions += 1
        survey.tombstones += row.integer(at: 2)
      default: break
      }
      let number = row.integer(at: 1)
      entities[number > 0 && number < entities.count ? Int(number) : 0] += 1
    }
    survey.changesByEntity = entities.enumerated().filter { $1 > 0 }
      .map { number, count in
        HistorySurvey.Count(
          name: layout.numbers.entity(number)?.name ?? "unknown entities",
          count: count
        )
      }
      .sorted { $0.count > $1.count }
  }

  private func countAuthors(_ survey: inout HistorySurvey) throws {
    let columns = [
      ("author", "ZAUTHOR"), ("process", "ZPROCESSID"), ("bundle", "ZBUNDLEID"),
      ("context", "ZCONTEXTNAME"),
    ]
    for (word, column) in columns {
      guard let names = names(in: column) else { continue }
      let row = try reader.connection.prepare(
        "\(names) ORDER BY n DESC, 1 LIMIT \(Self.mostNames)"
      )
      while try row.step() {
        survey.authors.append(
          HistorySurvey.Count(name: "\(word) \(row.text(at: 0))", count: row.integer(at: 1))
        )
      }
    }
  }

  /// Before framework 973 the transactions hold the names, later ones the keys of names.
  private func names(in column: String) -> String? {
    let schema = reader.schema
    if schema.has("\(column)TS", in: "ATRANSACTION"), schema.has("ATRANSACTIONSTRING") {
      return "SELECT substr(s.ZNAME, 1, 100), n FROM (SELECT t.\(column)TS AS name, "
        + "count(*) AS n FROM ATRANSACTION AS t GROUP BY 1) "
        + "JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = name"
    }
    guard schema.has(column, in: "ATRANSACTION") else { return nil }
    return "SELECT substr(\(column), 1, 100), count(*) AS n FROM ATRANSACTION "
      + "WHERE \(column) IS NOT NULL GROUP BY \(column)"
  }
}
