import DataModel
import PersistentStore
import SQLite

/// Finds conditions that all targets of to-one relationships meet, and the levels of trees.
struct ConditionProfiler {
  private static let mostValues = 8
  private static let deepest = 256

  let columns: StoreColumns
  let k: Int

  private var content: StoreContent { columns.content }

  func add(to entities: inout [EntityProfile]) throws {
    let words = Set(
      entities.flatMap { entity in
        entity.columns.filter { !$0.texts.isEmpty }.map { "\(entity.name).\($0.name)" }
      }
    )
    for index in entities.indices {
      guard let columns = columns.columns(of: entities[index].name) else { continue }
      for place in entities[index].relationships.indices {
        let name = entities[index].relationships[place].name
        guard let relationship = columns.relationships.first(where: { $0.name == name }),
          let step = try Step(relationship, of: columns)
        else { continue }
        let objects = try columns.targetCount(relationship) ?? 0
        entities[index].relationships[place].targets =
          objects >= k ? try targets(step, words) : []
        entities[index].relationships[place].levels = try levels(step)
      }
    }
  }

  private struct Step {
    let relationship: Relationship
    let entity: Entity
    let number: Int
    let table: String
    let column: String
    let target: Entity
    let targetTable: String
    /// The entity numbers of possible targets, as an SQL list.
    let numbers: String
    /// The SQL condition that an object references the possible target `d`.
    let isLed: String

    init?(_ relationship: Relationship, of columns: EntityColumns) throws {
      let layout = columns.content.layout
      let model = layout.model
      guard
        case .foreignKey(let column, _, _) = layout.storage(
          of: relationship.name,
          in: columns.entity.name
        ), let target = model.entity(named: relationship.destination),
        let table = layout.table(of: columns.entity.name),
        let targetTable = layout.table(of: target.name),
        let number = layout.numbers[columns.entity.name]
      else { return nil }
      self.relationship = relationship
      self.number = number
      self.target = target
      entity = columns.entity
      self.table = table.name.quotedName
      self.column = column.quotedName
      self.targetTable = targetTable.name.quotedName
      numbers = model.family(of: target).compactMap { layout.numbers[$0.name].map(String.init) }
        .joined(separator: ", ")
      let leading = "FROM \(self.table) AS t WHERE t.Z_ENT = \(number)"
      // Without an index, each lookup would read the whole table.
      isLed =
        try columns.hasIndex(column)
        ? "EXISTS (SELECT 1 \(leading) AND t.\(self.column) = d.Z_PK)"
        : "d.Z_PK IN (SELECT t.\(self.column) \(leading))"
    }
  }

  private func targets(_ step: Step, _ words: Set<String>) throws -> [TargetCondition] {
    let model = content.layout.model
    // Ignore one-to-one relationships, because generated partners are paired without conditions.
    if let inverse = model.inverse(of: step.relationship), !inverse.isToMany { return [] }
    let family = model.family(of: step.target).filter { !$0.isAbstract }.map(\.name)
    var found: [Candidate] = []
    for attribute in model.attributes(of: step.target) where !attribute.isTransient {
      let isWord = family.allSatisfy { words.contains("\($0).\(attribute.name)") }
      guard attribute.type.isWhole || attribute.type == .boolean || isWord,
        let column = content.layout.column(of: attribute.name, in: step.target.name)
      else { continue }
      let name = column.name.quotedName
      let all = try values(
        "SELECT d.\(name), count(*) FROM \(step.targetTable) AS d "
          + "WHERE d.Z_ENT IN (\(step.numbers)) GROUP BY 1 LIMIT \(Self.mostValues + 1)"
      )
      guard (2...Self.mostValues).contains(all.count) else { continue }
      let led = try values(
        "SELECT d.\(name), count(*) FROM \(step.targetTable) AS d "
          + "WHERE d.Z_ENT IN (\(step.numbers)) AND \(step.isLed) GROUP BY 1"
      )
      guard !led.isEmpty, led.count < all.count else { continue }
      found.append(
        Candidate(
          condition: TargetCondition(attribute: attribute.name, values: led.map(\.value)),
          column: name,
          different: all.count
        )
      )
    }
    return try independent(found, step)
  }

  /// A condition, and the number of distinct values in its column among all objects.
  private struct Candidate {
    let condition: TargetCondition
    let column: String
    let different: Int
  }

  /// Returns the conditions that do not follow from others.
  ///
  /// Generated attributes are independent, so few objects would meet related conditions at once.
  private func independent(_ found: [Candidate], _ step: Step) throws -> [TargetCondition] {
    guard found.count > 1 else { return found.map(\.condition) }
    let columns = found.map { "d.\($0.column)" }.joined(separator: ", ")
    let row = try content.connection.prepare(
      "SELECT \(columns), count(*) FROM \(step.targetTable) AS d "
        + "WHERE d.Z_ENT IN (\(step.numbers)) GROUP BY \(columns)"
    )
    var met = found.map { _ in [Bool]() }
    var objects = found.map { _ in 0 }
    while try row.step() {
      for (index, candidate) in found.enumerated() {
        let isMet = candidate.condition.values.contains(Self.value(of: row, at: index))
        met[index].append(isMet)
        if isMet { objects[index] += Int(row.integer(at: found.count)) }
      }
    }
    // Sort the strictest condition first; sort equivalent conditions by the number of distinct
    // values.
    let order = found.indices.sorted {
      (objects[$0], found[$0].different, $0) < (objects[$1], found[$1].different, $1)
    }
    var kept: [Int] = []
    for index in order {
      let follows = kept.contains { other in
        !zip(met[other], met[index]).contains { $0 && !$1 }
      }
      if !follows { kept.append(index) }
    }
    return kept.sorted().map { found[$0].condition }
  }

  private static func value(of row: Statement, at column: Int) -> Value {
    switch row.storageClass(at: column) {
    case .integer: .integer(row.integer(at: column))
    case .real: .real(row.real(at: column))
    case .text: .text(row.text(at: column))
    case .null, .blob: .null
    }
  }

  private func values(_ sql: String) throws -> [(value: Value, count: Int)] {
    let row = try content.connection.prepare(sql)
    var values: [(value: Value, count: Int)] = []
    while try row.step() {
      values.append((Self.value(of: row, at: 0), Int(row.integer(at: 1))))
    }
    return values
  }

  /// The levels of the tree that a relationship forms.
  ///
  /// The list is empty if the relationship does not form a tree or if a level has too few objects.
  private func levels(_ step: Step) throws -> [TreeLevel] {
    guard step.relationship.destination == step.entity.name || step.table == step.targetTable else {
      return []
    }
    let (table, column) = (step.table, step.column)
    let row = try content.connection.prepare(
      """
      WITH RECURSIVE below(pk, ent, depth) AS (
        SELECT r.Z_PK, r.Z_ENT, 0 FROM \(table) AS r WHERE r.\(column) IS NULL
          OR NOT EXISTS (SELECT 1 FROM \(table) AS p WHERE p.Z_PK = r.\(column))
        UNION ALL
        SELECT c.Z_PK, c.Z_ENT, b.depth + 1 FROM below AS b JOIN \(table) AS c
          ON c.\(column) = b.pk WHERE b.depth < \(Self.deepest))
      SELECT depth, count(*), sum(EXISTS (SELECT 1 FROM \(table) AS c WHERE c.\(column) = pk))
        FROM below WHERE ent = \(step.number) GROUP BY 1 ORDER BY 1
      """
    )
    var levels: [TreeLevel] = []
    while try row.step() {
      while levels.count < Int(row.integer(at: 0)) {
        levels.append(TreeLevel(objects: 0, parents: 0))
      }
      levels.append(
        TreeLevel(objects: Int(row.integer(at: 1)), parents: Int(row.integer(at: 2)))
      )
    }
    let objects = try content.connection.integer(
      "SELECT count(*) FROM \(table) WHERE Z_ENT = \(step.number)"
    )
    let reached = levels.reduce(0) { $0 + $1.objects }
    guard reached == Int(objects ?? 0) else { return [] }
    // Merge levels of fewer than k objects (the anonymity threshold) into the level above.
    while k > 1, levels.count > 1, levels[levels.count - 1].objects < k {
      let last = levels.removeLast()
      levels[levels.count - 1].objects += last.objects
      levels[levels.count - 1].parents = 0
    }
    return levels.contains { $0.objects > 0 && $0.objects < k } ? [] : levels
  }
}
