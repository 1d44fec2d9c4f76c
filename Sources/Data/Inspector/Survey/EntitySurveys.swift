import DataModel
import PersistentStore

/// The surveys of one table's entities, from what a scan of it has counted.
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
        return AttributeSurvey(attribute, plan)
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

extension AttributeSurvey {
  fileprivate init(_ attribute: Attribute, _ plan: ColumnPlan?) {
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
