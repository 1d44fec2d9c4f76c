/// The statements that read a to-many (coredata-format.md, section 13).
struct ToManySQL {
  let toMany: EntityDescription.ToMany
  let plan: SelectPlan

  /// The keys of one object's targets.
  var keys: String { plan.selectKeys + source + "\(sourceColumn) = ?" + order(prefix: "") }

  /// The rows of one object's targets.
  var rows: String { plan.selectRows + source + "\(sourceColumn) = ?" + order(prefix: "") }

  /// The rows of the targets of all objects in `_Z_intarray0`, each with its source last.
  var prefetch: String {
    plan.selectRows + ", \(sourceColumn)" + source
      + "\(sourceColumn) IN (SELECT * FROM _Z_intarray0)" + order(prefix: sourceColumn)
  }

  private var sourceColumn: String {
    switch toMany.storage {
    case .join(_, let side): "t1.\(side.ownColumn)"
    case .inverseForeignKey(_, let column, _), .foreignKey(let column, _, _): "t0.\(column)"
    }
  }

  private var source: String {
    switch toMany.storage {
    case .join(let table, let side):
      " FROM \(table) t1 JOIN \(plan.description.table.name) t0 ON t0.Z_PK = t1.\(side.otherColumn)"
        + " WHERE "
    case .inverseForeignKey(let table, _, _): " FROM \(table) t0 WHERE "
    case .foreignKey: " FROM \(plan.description.table.name) t0 WHERE "
    }
  }

  private func order(prefix: String) -> String {
    let key: String? =
      switch toMany.storage {
      case .join(_, let side): side.orderColumn.map { "t1.\($0)" }
      case .inverseForeignKey(_, _, let column): column.map { "t0.\($0)" }
      case .foreignKey: nil
      }
    let keys = [prefix, key ?? ""].filter { !$0.isEmpty }
    return keys.isEmpty ? "" : " ORDER BY " + keys.joined(separator: ", ")
  }
}
