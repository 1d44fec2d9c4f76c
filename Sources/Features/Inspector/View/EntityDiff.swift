import Basics
import DataModel
import PersistentStore
import Reporting

struct EntityDiff {
  enum State: Int, CaseIterable {
    case dropped, changed, renamed, new, kept

    var words: String {
      switch self {
      case .dropped: "✗ dropped"
      case .changed: "≠ changed"
      case .renamed: "→ renamed"
      case .new: "+ new"
      case .kept: "= kept"
      }
    }

    fileprivate var tone: Report.Tone {
      switch self {
      case .dropped: .bad
      case .changed, .renamed: .caution
      case .new: .plain
      case .kept: .good
      }
    }
  }

  struct Row {
    /// The name of the new model's entity or, for a dropped entity, of the old model's.
    let name: String
    let former: String?
    let state: State
    /// The number of objects of the old entity; `nil` if no store was given.
    let objects: Int64?
    /// The descriptions of data that is lost, or that makes the migration fail.
    let risks: [String]
    let changes: [String]
  }

  let rows: [Row]

  init(_ comparison: ModelComparison) {
    let mapping = comparison.mapping
    let texts = ModelChange.byEntity(mapping.changes).texts
    var rows = mapping.entities.map { entity -> Row in
      let name = entity.destination
      let own = texts[name] ?? []
      let state: State =
        entity.source.map { $0 != name ? .renamed : own.isEmpty ? .kept : .changed } ?? .new
      return Row(
        name: name,
        former: entity.source.flatMap { $0 == name ? nil : $0 },
        state: state,
        objects: entity.source.flatMap { name in comparison.counts.map { $0[name] ?? 0 } },
        risks: Self.risks(of: [name, entity.source].compactMap(\.self), in: comparison),
        changes: own
      )
    }
    rows += mapping.removedEntities.map { name in
      Row(
        name: name,
        former: nil,
        state: .dropped,
        objects: comparison.counts.map { $0[name] ?? 0 },
        risks: Self.risks(of: [name], in: comparison),
        changes: []
      )
    }
    self.rows = rows.sorted { ($0.state.rawValue, $0.name) < ($1.state.rawValue, $1.name) }
  }

  private static func risks(of names: [String], in comparison: ModelComparison) -> [String] {
    let dropped = comparison.dropped.filter {
      names.contains($0.entity) && !$0.isIntended && $0.count != 0
    }
    let lost = dropped.map { drop in
      let place = drop.property ?? ""
      return drop.count.map {
        Figures.counted($0, drop.kind.unit) + (place.isEmpty ? "" : " of \(place)")
      }
        ?? (place.isEmpty ? "all objects" : "all of \(place)")
    }
    let blocked = comparison.dataObstacles.filter { names.contains($0.entity) }.map { obstacle in
      let place =
        obstacle.properties.isEmpty ? "" : " (\(obstacle.properties.joined(separator: ", ")))"
      return "\(Figures.counted(obstacle.count, "object")) in the way\(place)"
    }
    return lost + blocked
  }

  /// The number of entities by state: `1 dropped, 2 changed, 3 kept`.
  var summary: String {
    State.allCases.compactMap { state in
      let count = rows.count { $0.state == state }
      return count == 0 ? nil : "\(count) \(state.words.dropFirst(2))"
    }.joined(separator: ", ")
  }

  var table: Report.Table {
    let hasObjects = rows.contains { $0.objects != nil }
    return Report.Table(
      "",
      [.init("Entity"), .init("What happens")] + (hasObjects ? [.init("Objects", .number)] : [])
        + [.init("Changes", .number), .init("At risk")],
      rows: rows.map { row in
        [
          .text(row.name),
          .text(row.state.words + (row.former.map { " from \($0)" } ?? ""), row.state.tone),
        ] + (hasObjects ? [.number(row.objects.map { Int($0) }, or: "")] : [])
          + [
            row.changes.isEmpty ? .empty : .number(row.changes.count),
            .text(
              row.risks.joined(separator: "; "),
              row.risks.isEmpty ? .plain : .bad
            ),
          ]
      },
      most: 40
    )
  }
}
