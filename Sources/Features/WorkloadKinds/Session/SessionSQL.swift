import DataModel
import PersistentStore

/// The SQL statements of a session that uses rows instead of managed objects.
struct SessionSQL {
  /// The SQL that selects the to-one relationship's objects; `nil` if the list's rows show no
  /// relationship.
  private let selectTargets: String?
  let editedValue: String
  let update: String

  let table: String
  private let columns: String
  private let condition: String
  private let order: String
  private let searched: String

  init(_ setting: SessionSetting) throws {
    let (subject, layout, parameters) = (setting.subject, setting.layout, setting.parameters)
    let entity = subject.entity.name
    let names = try EntityNames(entity, in: layout)
    let targets = try subject.touched.map { touched in
      let names = try EntityNames(touched.shape.entity, in: layout)
      let columns = try touched.shape.properties.map { ", " + (try names.column($0)) }.joined()
      return "SELECT Z_PK\(columns) FROM \(names.table)"
    }
    table = names.table
    selectTargets = targets
    let toOne = try subject.touched.map { [try names.column($0.relationship.name)] } ?? []
    columns = (try subject.shape.properties.map(names.column) + toOne).map { ", \($0)" }.joined()
    condition = " WHERE Z_ENT IN (\(layout.numberList(ofFamily: entity)))"
    let keys = try parameters.list.sortKeys.map {
      try names.column($0.property) + ($0.isDescending ? " DESC" : "")
    }
    order = keys.isEmpty ? "" : " ORDER BY " + keys.joined(separator: ", ")
    searched = parameters.does(.search) ? try names.column(parameters.searched) : ""
    let edited = try setting.edited.map(names.column) ?? "Z_OPT"
    editedValue = "SELECT \(edited) FROM \(table) WHERE Z_PK = ?"
    update = "UPDATE \(table) SET \(edited) = ?, Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?"
  }

  /// The SQL that selects the keys in the order of the list; ties are ordered by key.
  var orderedKeys: String {
    "SELECT Z_PK FROM \(table)\(condition)" + (order.isEmpty ? " ORDER BY " : order + ", ") + "Z_PK"
  }

  /// The SQL that selects a nonempty string to search for, from the first row at or after a given
  /// key.
  var text: String {
    "SELECT \(searched) FROM \(table)\(condition) AND length(\(searched)) > 0 AND Z_PK >= ? LIMIT 1"
  }

  private func tail(isSearch: Bool) -> String {
    let filter = isSearch ? " AND \(searched) >= ? AND \(searched) < ?" : ""
    return " FROM \(table)\(condition)\(filter)\(order)"
  }

  func keys(isSearch: Bool) -> String { "SELECT Z_PK" + tail(isSearch: isSearch) }

  func rows(isSearch: Bool) -> String { "SELECT Z_PK\(columns)" + tail(isSearch: isSearch) }

  func batch(_ count: Int) -> String {
    "SELECT Z_PK\(columns) FROM \(table) WHERE Z_PK IN (\(Self.marks(count)))"
  }

  /// The SQL that selects target rows of the to-one relationship by their keys; `nil` if rows show
  /// no relationship.
  func targets(_ count: Int) -> String? {
    selectTargets.map { "\($0) WHERE Z_PK IN (\(Self.marks(count)))" }
  }

  private static func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }
}
