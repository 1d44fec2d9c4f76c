import DataModel
import PersistentStore
import SQLite

/// Gathers the profile of a store, using SQL in one transaction.
package struct StoreProfiler {
  private let columns: StoreColumns
  private let k: Int
  private let texts: TextChoice
  private let notes = Notes()
  private let progress: (String) -> Void

  /// Creates a profiler for an open store.
  ///
  /// `progress` receives the name of each property before the property is read.
  package init(
    _ columns: StoreColumns,
    k: Int = StoreProfile.sharedK,
    texts: TextChoice = TextChoice(),
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.columns = columns
    self.k = max(k, 1)
    self.texts = texts
    self.progress = progress
  }

  /// Creates a profiler for an open store, without sharing the columns that it reads.
  package init(
    _ content: StoreContent,
    k: Int = StoreProfile.sharedK,
    texts: TextChoice = TextChoice()
  ) {
    self.init(StoreColumns(content), k: k, texts: texts)
  }

  private var content: StoreContent { columns.content }

  /// Reads the store and returns its profile.
  ///
  /// - Throws: An error if the store cannot be read.
  package func profile() throws -> StoreProfile {
    let layout = content.layout
    let metadata = try StoreMetadata(from: content.connection, path: content.store.path)
    var entities = try layout.numbers.entities.filter { !$0.isAbstract }.map { entity in
      try profile(of: entity)
    }
    try ConditionProfiler(columns: columns, k: k).add(to: &entities)
    return StoreProfile(
      k: k,
      model: layout.model,
      flavour: Self.flavour(of: layout),
      frameworkVersion: metadata.frameworkVersion,
      versionIdentifiers: metadata.versionIdentifiers,
      versionHashes: metadata.versionHashes,
      entities: entities,
      history: layout.keepsHistory
        ? try HistoryProfiler(connection: content.connection, layout: layout, k: k, notes: notes)
          .profile() : nil,
      pageUse: PageScan(content)?.use(k: k),
      triggers: try CopiedTriggers.statements(of: content.connection),
      remarks: notes.remarks
    )
  }

  /// Collects remarks about what the profile omits or changes, in the order in which properties are
  /// read.
  final class Notes {
    private(set) var remarks: [StoreProfile.Remark] = []

    func add(_ kind: StoreProfile.Remark.Kind, _ subject: String, _ objects: Int) {
      guard objects > 0 else { return }
      remarks.append(StoreProfile.Remark(kind: kind, subject: subject, objects: objects))
    }

    func shown(_ part: Int, of objects: Int, k: Int, _ subject: String) -> Int {
      if part < k {
        add(.fewValues, subject, part)
        return 0
      }
      guard objects - part < k else { return part }
      add(.fewNulls, subject, objects - part)
      return objects
    }
  }

  /// Returns SwiftData for a store with history and the configuration `default`, which all stores
  /// of SwiftData have (coredata-format.md, sections 9 and 14).
  private static func flavour(of layout: StoreLayout) -> Flavour {
    let isSwiftData = layout.keepsHistory && layout.model.configurations.keys.contains("default")
    return isSwiftData ? .swiftData : .coreData
  }

  private func profile(of entity: Entity) throws -> EntityProfile {
    guard let columns = columns.columns(of: entity.name) else {
      return EntityProfile(name: entity.name, objects: nil)
    }
    let objects = try columns.objectCount()
    guard objects >= k else {
      notes.add(.fewObjects, entity.name, objects)
      return EntityProfile(name: entity.name, objects: k == 1 ? 0 : nil)
    }
    let profiler = ColumnProfiler(
      columns: columns,
      k: k,
      objects: objects,
      texts: texts,
      notes: notes
    )
    var profile = EntityProfile(
      name: entity.name,
      objects: objects,
      columns: try columns.attributes.map { attribute in
        progress("\(entity.name).\(attribute.name)")
        return try profiler.profile(of: attribute)
      },
      relationships: try columns.relationships.compactMap { relationship in
        progress("\(entity.name).\(relationship.name)")
        return try self.profile(of: relationship, columns, objects: objects)
      }
    )
    try RuleProfiler(columns: columns, k: k).add(to: &profile)
    return profile
  }

  private func profile(
    of relationship: Relationship,
    _ columns: EntityColumns,
    objects: Int
  ) throws -> RelationshipProfile? {
    var profile = RelationshipProfile(name: relationship.name)
    if let targets = try columns.targetCount(relationship) {
      let subject = "\(columns.entity.name).\(relationship.name)"
      profile.nulls = objects - notes.shown(targets, of: objects, k: k, subject)
    } else if let counts = try columns.fanOut(relationship) {
      profile.fanOut = try NumberBins.sizes(k: k).bins(of: counts).bins.filled(to: objects)
    } else {
      return nil
    }
    return profile
  }

  struct ColumnProfiler {
    let columns: EntityColumns
    let k: Int
    let objects: Int
    let texts: TextChoice
    let notes: Notes

    func profile(of attribute: Attribute) throws -> ColumnProfile {
      let measure = attribute.type.measure
      var profile = ColumnProfile(name: attribute.name, measure: measure)
      let subject = "\(columns.entity.name).\(attribute.name)"
      let values = try columns.valueCount(attribute)
      // If fewer than k objects (the anonymity threshold) have a value, or fewer than k lack a
      // value, show their number as 0.
      let shown = notes.shown(values, of: objects, k: k, subject)
      profile.nulls = objects - shown
      guard shown > 0 else { return profile }
      var points: Set<Double> = []
      if let numbers = try columns.numbers(attribute) {
        let (bins, summary) = try NumberBins(k: k, type: attribute.type).bins(of: numbers)
        profile.bins = bins
        profile.grain = grain(of: attribute.type, summary)
        points = Set(summary.points.map(\.number))
        let kind: StoreProfile.Remark.Kind = measure == .sizes ? .missingFile : .otherType
        notes.add(kind, subject, values - summary.objects)
      }
      if profile.bins.isEmpty { profile.bins = ColumnProfile.unknown(attribute).bins }
      profile.bins = profile.bins.filled(to: shown)
      profile.sharing = try sharing(of: attribute, points: points, profile)
      let samples = TextSamples(columns: columns, k: k, choice: texts)
      profile.texts = try samples.kept(of: attribute)
      if profile.texts.isEmpty { profile.form = try samples.form(of: attribute) }
      return profile
    }

    private func grain(of type: AttributeType, _ summary: NumberBins.Summary) -> ColumnProfile.Grain
    {
      switch type.measure {
      case .dates where summary.objects - summary.dayObjects < k: .day
      case .numbers where type.isWhole: .whole
      case .numbers, .dates: summary.objects - summary.wholeObjects < k ? .whole : .fractional
      case .lengths, .sizes, .none: .whole
      }
    }

    /// The numbers of objects that share values of an attribute; `nil` for blobs, because comparing
    /// blobs would require reading all of them.
    private func sharing(
      of attribute: Attribute,
      points: Set<Double>,
      _ profile: ColumnProfile
    ) throws -> Sharing? {
      guard profile.measure != .sizes else { return nil }
      let isNumeric = profile.measure == .numbers || profile.measure == .dates
      var counts = SharingCounts(k: k, values: objects - profile.nulls)
      try columns.forEachValue(attribute) { count, number in
        // Skip values that have a bin of their own, because the bin already gives their count.
        if !isNumeric || !points.contains(number) { counts.add(objects: count, number: number) }
      }
      let pointed = isNumeric ? profile.bins.filter(\.isPoint).reduce(0) { $0 + $1.count } : 0
      let others = objects - profile.nulls - pointed
      return others >= k ? counts.sharing(among: others) : nil
    }
  }

  struct HistoryProfiler {
    let connection: Connection
    let layout: StoreLayout
    let k: Int
    let notes: Notes

    static let changesPerTransaction =
      "SELECT n, count(*) FROM (SELECT count(*) AS n FROM ACHANGE GROUP BY ZTRANSACTIONID) "
      + "GROUP BY 1 ORDER BY 1"

    func profile() throws -> HistoryProfile {
      let count = Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
      var profile = HistoryProfile(transactions: count >= k ? count : nil)
      profile.changes = try changes()
      guard count >= k else {
        notes.add(.fewObjects, "history", count)
        return profile
      }
      let perTransaction = ValueCounts(try connection.prepare(Self.changesPerTransaction))
      profile.changesPerTransaction = try NumberBins.sizes(k: k).bins(of: perTransaction).bins
        .filled(to: count)
      let times = ValueCounts(
        try connection.prepare(
          "SELECT ZTIMESTAMP, count(*) FROM ATRANSACTION "
            + "WHERE typeof(ZTIMESTAMP) IN ('integer', 'real') GROUP BY 1 ORDER BY 1"
        )
      )
      profile.times = try NumberBins(k: k, isWhole: false, isDate: true).bins(of: times).bins
        .filled(to: count)
      return profile
    }

    private func changes() throws -> [HistoryProfile.Changes] {
      let rows = try connection.prepare(
        "SELECT ZENTITY, ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY 1, 2 ORDER BY 1, 2"
      )
      var counts: [Int64: [Int64: Int]] = [:]
      while try rows.step() {
        let count = Int(rows.integer(at: 2))
        guard count >= k else { continue }
        counts[rows.integer(at: 0), default: [:]][rows.integer(at: 1)] = count
      }
      return counts.sorted { $0.key < $1.key }.compactMap { number, types in
        guard let entity = Int(exactly: number).flatMap(layout.numbers.entity) else { return nil }
        return HistoryProfile.Changes(
          entity: entity.name,
          inserts: types[0] ?? 0,
          updates: types[1] ?? 0,
          deletes: types[2] ?? 0
        )
      }
    }
  }
}
