import DataModel

/// Compares a layout with the storage locations that verification derives with its own code.
///
/// Content is read only if both agree: an error in a layout that is used for both writing and
/// reading would go unnoticed.
struct ConfirmedLayout {
  let layout: StoreLayout

  func differences() -> [String] {
    let expected = ExpectedPlaces(of: layout.model, joinTables: Set(layout.joinTables.map(\.name)))
    return numbers(expected) + tables(expected) + homes(expected) + indexes(expected)
  }

  private func numbers(_ expected: ExpectedPlaces) -> [String] {
    layout.model.entities.compactMap { entity in
      let (found, wanted) = (layout.numbers[entity.name], expected.numbers[entity.name])
      return found == wanted
        ? nil : "\(entity.name) has the number \(Self.text(found)), not \(Self.text(wanted))"
    }
  }

  private func tables(_ expected: ExpectedPlaces) -> [String] {
    let found = layout.tables.map { table -> String in
      let columns = table.columns.map { "\($0.name) \($0.type.rawValue)" }
      return "\(table.name) (\(columns.joined(separator: ", ")))"
    }
    let wanted = expected.tables.map { "\($0.name) (\($0.columns.joined(separator: ", ")))" }
    guard found.count == wanted.count else { return ["\(found.count) tables, not \(wanted.count)"] }
    return zip(found, wanted).filter { $0 != $1 }.map { "\($0), not \($1)" }
  }

  private func homes(_ expected: ExpectedPlaces) -> [String] {
    layout.model.entities.flatMap { entity -> [String] in
      layout.model.lineage(of: entity).flatMap { above -> [String] in
        let names = above.attributes.map(\.name) + above.relationships.map(\.name)
        return names.compactMap { name in
          let (found, wanted) = (
            home(of: name, in: entity.name), expected.homes["\(entity.name).\(name)"]
          )
          return found == wanted
            ? nil
            : "\(entity.name).\(name) is kept in \(found ?? "no column"), not in "
              + (wanted ?? "a column")
        }
      }
    }
  }

  private func home(of property: String, in entity: String) -> String? {
    guard let table = layout.table(of: entity)?.name else { return nil }
    if let column = layout.column(of: property, in: entity) { return "\(table).\(column.name)" }
    switch layout.storage(of: property, in: entity) {
    case .foreignKey(let column, let number, let order)?:
      return (["\(table).\(column)"] + [number, order].compactMap(\.self)).joined(separator: " ")
    case .inverseForeignKey(let table, let column, let order)?:
      return (["\(table).\(column)"] + [order].compactMap(\.self)).joined(separator: " ")
    case .join(let table, let side)?:
      let columns = [side.ownColumn, side.otherColumn] + [side.orderColumn].compactMap(\.self)
      return "\(table)(\(columns.joined(separator: ", ")))"
    case nil: return nil
    }
  }

  private func indexes(_ expected: ExpectedPlaces) -> [String] {
    guard layout.generation >= .unorderedKeys else { return [] }
    let found = layout.tables.flatMap(layout.indexes).map { index in
      (index.isUnique ? "UNIQUE " : "")
        + "\(index.table)(\(index.columns.map(\.name).joined(separator: ", ")))"
    }
    return expected.indexes.subtracting(found).sorted().map { "no index \($0)" }
  }

  private static func text(_ number: Int?) -> String { number.map(String.init) ?? "none" }
}
