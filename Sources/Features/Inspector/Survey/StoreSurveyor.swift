import Basics
import DataModel
import PersistentStore
import SQLite

/// Inspects a store and returns its ``StoreSurvey``: `try StoreSurveyor(store).survey()`.
package struct StoreSurveyor {
  package let store: StoreFile
  /// The closure that is called with a short description of the part that is being read.
  package var progress: (String) -> Void = { _ in }

  /// The model with which to read the store; `nil` for the store's own model.
  package var model: ModelFamily?

  package init(_ store: StoreFile) {
    self.store = store
  }

  /// Reads the store; problems in it become findings.
  ///
  /// - Throws: ``PersistentStoreError`` or ``Refusal`` if the file is not a readable store.
  package func survey() throws -> StoreSurvey {
    let before = stamps
    progress("opening \(store.name)")
    let reader = try StoreReader(store)
    do {
      var survey = try survey(reader)
      if stamps != before { survey.findings.append(.changedMeanwhile(store.name)) }
      survey.findings.sort { $0.severity < $1.severity }
      return survey
    } catch let error as SQLiteError {
      throw StoreReader.refusal(error, of: store)
    }
  }

  /// The metadata of the store's files, which shows whether another process writes to them during
  /// the survey.
  private var stamps: [FileStamp?] {
    [store.path, store.wal, store.journal].map(FileStamp.init)
  }

  private func survey(_ reader: StoreReader) throws -> StoreSurvey {
    let cache = CachedModel(reader, given: model)
    var survey = StoreSurvey(
      path: store.path,
      bytes: store.storeBytes,
      file: reader.header,
      wal: reader.wal,
      metadata: try MetadataScan(reader: reader, model: cache.model).survey(),
      space: StoreSurvey.Space()
    )
    progress("\(store.name): pages")
    survey.space = SpaceScan(reader: reader).survey()
    survey.unknownInModel = cache.unknown
    survey.findings += FileFindings(reader: reader).all
    guard let model = cache.model else {
      survey.entities = try UnmodelledEntities(reader: reader).all
      let hasTable = reader.schema.has("Z_MODELCACHE")
      survey.findings.append(.noModel(cache.problem ?? "", hasTable: hasTable))
      return survey
    }
    let layout = StoreLayout(
      model: model,
      framework: survey.metadata.frameworkVersion,
      form: try StoreForm(of: reader.connection)
    )
    compareLayout(reader, model, &survey)
    readObjects(reader, layout, &survey)
    progress("\(store.name): history")
    readHistory(reader, layout, &survey)
    progress("\(store.name): rules")
    survey.findings += RuleFindings(reader: reader, layout: layout).all
    survey.countDangling()
    survey.findings += SurveyFindings(survey: survey).all
    if reader.budget.isSpent { survey.findings.append(.gaveUp(store.name)) }
    return survey
  }

  private func compareLayout(_ reader: StoreReader, _ model: Model, _ survey: inout StoreSurvey) {
    do {
      let comparison = try LayoutComparison(
        model: model,
        connection: reader.connection,
        path: store.path
      )
      survey.layout = LayoutSurvey(comparison)
    } catch {
      survey.findings.append(.unreadable("sqlite_schema", "\(error)"))
    }
  }

  private func readObjects(
    _ reader: StoreReader,
    _ layout: StoreLayout,
    _ survey: inout StoreSurvey
  ) {
    let folder = ExternalFolder(of: store)
    var external = StoreSurvey.ExternalData()
    for table in layout.tables where reader.schema.has(table.name) {
      let scan = TableScan(table, layout: layout, reader: reader, folder: folder)
      scan.run { progress("\(store.name): \(table.name), \($0) objects") }
      var entities = EntitySurveys(scan: scan, layout: layout)
      entities.addRelationships(RelationshipScan(reader: reader, layout: layout))
      survey.entities += entities.all
      survey.findings += scan.findings
      for files in scan.plans.compactMap(\.external) {
        external.references += files.references
        external.missing += files.missing
        external.bytes &+= files.bytes
      }
    }
    survey.entities.sort { $0.number < $1.number }
    (external.orphaned, external.orphanedBytes) = folder.orphans()
    external.malformed = folder.malformed
    if external != StoreSurvey.ExternalData() { survey.externalData = external }
  }

  private func readHistory(
    _ reader: StoreReader,
    _ layout: StoreLayout,
    _ survey: inout StoreSurvey
  ) {
    do {
      survey.history = try HistoryScan(reader: reader, layout: layout).survey()
      guard survey.space.limitation == nil else { return }
      let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
      survey.history?.bytes = survey.space.parts
        .filter { tables.contains($0.table ?? $0.name) }.reduce(0) { $0 + $1.bytes }
    } catch {
      survey.findings.append(.unreadable("ACHANGE", "\(error)"))
    }
  }
}

extension StoreSurvey {
  /// Sets the number of dangling references of each relationship from the findings of the rules.
  fileprivate mutating func countDangling() {
    let found = findings.filter { $0.rule == AuditRule.danglingReference.rawValue }
    let counts = Dictionary(found.map { ($0.place, $0.count) }, uniquingKeysWith: max)
    for entity in entities.indices {
      for index in entities[entity].relationships.indices {
        let column = entities[entity].relationships[index].column
        entities[entity].relationships[index].dangling = column.flatMap { counts[$0] } ?? 0
      }
    }
  }
}

extension StoreSurveyor {
  struct EntitySurveys {
    private(set) var all: [EntitySurvey] = []
    private let layout: StoreLayout

    init(scan: TableScan, layout: StoreLayout) {
      self.layout = layout
      for (place, name) in scan.table.entities.enumerated() {
        guard let entity = layout.model.entity(named: name) else { continue }
        let family = Set(layout.model.family(of: entity).map(\.name))
        let counts = zip(scan.table.entities, scan.counts).filter { family.contains($0.0) }
        var survey = EntitySurvey(
          name: name,
          number: layout.numbers[name] ?? 0,
          table: scan.table.name,
          superentity: entity.superentity,
          isAbstract: entity.isAbstract,
          count: scan.counts[place],
          countWithSubentities: counts.reduce(0) { $0 + $1.1 }
        )
        survey.attributes = entity.attributes.map { attribute in
          let plan = scan.plans.first {
            $0.column.entity == name && $0.column.property == attribute.name
          }
          return EntitySurvey.Attribute(attribute, plan)
        }
        survey.keys = scan.keySurveys.filter { $0.entity == place }.map(\.key)
        all.append(survey)
      }
    }

    mutating func addRelationships(_ scan: RelationshipScan) {
      for index in all.indices {
        guard let entity = layout.model.entity(named: all[index].name) else { continue }
        all[index].relationships = entity.relationships.filter { !$0.isTransient }.map {
          scan.survey($0, of: entity, count: all[index].countWithSubentities)
        }
      }
    }
  }
}

extension EntitySurvey.Attribute {
  fileprivate init(_ attribute: DataModel.Attribute, _ plan: ColumnPlan?) {
    name = attribute.name
    type = attribute.type.name
    column = plan?.column.name
    isOptional = attribute.isOptional
    allowsExternalStorage = attribute.allowsExternalStorage
    isDerived = attribute.derivation != nil
    guard let plan else { return }
    let statistics = plan.statistics
    count = statistics.count
    nulls = statistics.nulls
    numbers = DistributionSurvey(statistics.numbers)
    lengths = DistributionSurvey(statistics.lengths)
    bytes = statistics.bytes
    blobsOver100KB = plan.over100KB
    blobsOver1MB = plan.over1MB
    if let files = plan.external, files.references > 0 { external = files.survey }
    if case .value = plan.reading {
      distinct = statistics.distinct.count
      isDistinctExact = statistics.distinct.isExact
    }
  }
}

extension StoreSurveyor {
  /// The entities of a store without a readable model: those in Z_PRIMARYKEY.
  struct UnmodelledEntities {
    /// The lowest entity number that persistent history uses.
    private static let firstOfHistory = 16_000
    private static let most = 2000

    let reader: StoreReader

    var all: [EntitySurvey] {
      get throws {
        let row = try reader.connection.prepare(
          "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < \(Self.firstOfHistory) "
            + "ORDER BY Z_ENT LIMIT \(Self.most)"
        )
        var rows: [(number: Int, name: String, above: Int)] = []
        while try row.step() {
          rows.append(
            (
              Int(truncatingIfNeeded: row.integer(at: 0)), row.text(at: 1),
              Int(truncatingIfNeeded: row.integer(at: 2))
            )
          )
        }
        return try rows.map { entity in
          let table = "Z" + root(of: entity.number, in: rows).uppercased()
          let count =
            reader.schema.has("Z_ENT", in: table)
            ? try reader.connection.integer(
              "SELECT count(*) FROM \(table.quotedName) WHERE Z_ENT = \(entity.number)"
            ) ?? 0 : 0
          return EntitySurvey(
            name: entity.name,
            number: entity.number,
            table: table,
            superentity: rows.first { $0.number == entity.above }?.name,
            isAbstract: false,
            count: count,
            countWithSubentities: count
          )
        }
      }
    }

    private func root(of number: Int, in rows: [(number: Int, name: String, above: Int)]) -> String
    {
      var number = number
      var name = ""
      // Limit the depth to the number of entities, because the chain of parent entities may contain
      // a cycle.
      for _ in rows.indices {
        guard let entity = rows.first(where: { $0.number == number }) else { break }
        name = entity.name
        number = entity.above
      }
      return name
    }
  }

  /// The given model or the store's own, or the reason why there is no model.
  struct CachedModel {
    private(set) var model: Model?
    private(set) var unknown: [String] = []
    private(set) var problem: String?

    init(_ reader: StoreReader, given: ModelFamily?) {
      do {
        guard given != nil || reader.schema.has("Z_MODELCACHE") else {
          problem = "it has no table Z_MODELCACHE"
          return
        }
        let (model, unknown) = try ModelCache.readReporting(
          from: reader.connection,
          path: reader.store.path,
          given: given
        )
        let errors = model.problems().filter { $0.severity == .error }
        if let first = errors.first {
          problem = "its model is invalid: \(first)"
        } else {
          self.model = model
        }
        self.unknown = unknown
      } catch PersistentStoreError.noModel {
        problem = "Z_MODELCACHE is empty"
      } catch PersistentStoreError.damaged(_, let reason) {
        problem = reason
      } catch {
        problem = "\(error)"
      }
    }
  }
}
