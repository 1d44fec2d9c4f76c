import Basics
import DataModel
import PersistentStore

/// The defects of a store that remain after a correct in-place migration.
///
/// Some are older than the migration; the others are caused by empty values.
struct InheritedFaults {
  let session: MigrationSession

  private var source: StoreLayout { session.source }
  private var destination: StoreLayout { session.destination }

  /// The defects caused by gaps in the mapping: an empty relationship, a missing position, or a
  /// missing side of a one-to-one relationship.
  var ofGaps: [AuditFinding] {
    session.mapping.gaps.flatMap { gap -> [AuditFinding] in
      switch gap {
      case .requiredRelationship(let entity, let name):
        columns(of: name, in: entity).keys.map { fault(.missingReference, $0) }
      case .places(let entity, let name):
        columns(of: name, in: entity).orders.map { fault(.wrongOrder, $0) }
      case .inverse(let entity, let name):
        (columns(of: name, in: entity).keys + otherSide(of: name, in: entity)).flatMap {
          [fault(.disagreeingInverse, $0), fault(.missingReference, $0)]
        }
      }
    }
  }

  /// The defects that an audit finds in the original store, with their tables and columns renamed
  /// as in the migration.
  func moved(from original: StoreFile) throws -> [AuditFinding] {
    let places = self.places
    return try StoreAudit(store: original, layout: source).findings().compactMap { finding in
      places[finding.place].map { place in
        AuditFinding(
          rule: finding.rule,
          place: place,
          count: finding.count,
          example: finding.example
        )
      }
    }
  }

  /// The defects left by older versions of Core Data and kept by an in-place migration: join tables
  /// without a primary key.
  var ofForms: [AuditFinding] {
    session.mapping.entities.flatMap { mapping in
      mapping.relationships.compactMap { relationship in
        guard let entity = mapping.source, let name = relationship.source?.name,
          case .join(let former, _)? = source.storage(of: name, in: entity),
          source.joinTables.contains(where: { $0.name == former && !$0.hasKey }),
          case .join(let table, _)? = destination.storage(
            of: relationship.destination.name,
            in: mapping.destination
          )
        else { return nil }
        return fault(.missingIndex, table)
      }
    }
  }

  private func fault(_ rule: AuditRule, _ place: String) -> AuditFinding {
    AuditFinding(rule: rule, place: place, count: .max, example: "")
  }

  // MARK: Storage of relationships

  /// The key columns and position columns of a relationship, as an audit names them.
  private struct Columns {
    var keys: [String] = []
    var orders: [String] = []
  }

  private func columns(of relationship: String, in entity: String) -> Columns {
    columns(of: relationship, in: entity, destination)
  }

  private func columns(
    of relationship: String,
    in entity: String,
    _ layout: StoreLayout
  ) -> Columns {
    guard let own = layout.table(of: entity)?.name else { return Columns() }
    switch layout.storage(of: relationship, in: entity) {
    case .foreignKey(let key, let number, let order)?:
      return Columns(
        keys: ["\(own).\(key)"] + (number.map { ["\(own).\($0)"] } ?? []),
        orders: order.map { ["\(own).\($0)"] } ?? []
      )
    case .inverseForeignKey(let table, let key, let order)?:
      return Columns(
        keys: ["\(table).\(key)"],
        orders: order.map { ["\(table).\($0)"] } ?? []
      )
    case .join(let name, let side)?:
      let table = layout.joinTables.first { $0.name == name }
      let orders = [table?.master.orderColumn, table?.slave.orderColumn].compactMap(\.self)
      return Columns(
        keys: ["\(name).\(side.ownColumn)", "\(name).\(side.otherColumn)"],
        orders: orders.map { "\(name).\($0)" }
      )
    case nil: return Columns()
    }
  }

  private func otherSide(of relationship: String, in entity: String) -> [String] {
    let model = destination.model
    guard let described = model.entity(named: entity),
      let new = model.relationships(of: described).first(where: { $0.name == relationship }),
      let inverse = model.inverse(of: new)
    else { return [] }
    return columns(of: inverse.name, in: new.destination).keys
  }

  // MARK: Renamed tables and columns

  /// Maps the old name of each table, and of each table's columns, to the current name.
  private var places: [String: String] {
    var pairs: [(String, String)] = []
    for mapping in session.mapping.entities {
      guard let former = mapping.source, let old = source.table(of: former)?.name,
        let new = destination.table(of: mapping.destination)?.name
      else { continue }
      pairs.append((old, new))
      for attribute in mapping.attributes {
        guard let name = attribute.source?.name,
          let before = source.column(of: name, in: former)?.name,
          let after = destination.column(of: attribute.destination.name, in: mapping.destination)
        else { continue }
        pairs.append(("\(old).\(before)", "\(new).\(after.name)"))
      }
      for relationship in mapping.relationships {
        guard let name = relationship.source?.name else { continue }
        let before = columns(of: name, in: former, source)
        let after = columns(of: relationship.destination.name, in: mapping.destination)
        pairs += zip(before.keys + before.orders, after.keys + after.orders)
        pairs += zip(before.keys, after.keys).map { (table(of: $0), table(of: $1)) }
      }
    }
    return Dictionary(keepingFirst: pairs)
  }

  private func table(of place: String) -> String {
    String(place.prefix { $0 != "." })
  }
}
