import DataModel
import PersistentStore
import SQLite

/// Gathers the profile of a store, by plain SQL in one transaction.
package struct StoreProfiler {
  private let content: StoreContent
  private let k: Int
  private let progress: (String) -> Void

  /// Profiles an open store; `progress` is told the name of each property before it is read.
  package init(
    _ content: StoreContent,
    k: Int = StoreProfile.smallestK,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.content = content
    self.k = max(k, StoreProfile.smallestK)
    self.progress = progress
  }

  /// The profile.
  ///
  /// - Throws: ``PersistentStoreError`` for damaged metadata, and what SQLite says.
  package func profile() throws -> StoreProfile {
    let layout = content.layout
    let metadata = try StoreMetadata(from: content.connection, path: content.store.path)
    let entities = try layout.numbers.entities.filter { !$0.isAbstract }.map { entity in
      try profile(of: entity)
    }
    return StoreProfile(
      k: k,
      model: layout.model,
      flavour: Self.flavour(of: layout),
      frameworkVersion: metadata.frameworkVersion,
      versionIdentifiers: metadata.versionIdentifiers,
      versionHashes: metadata.versionHashes,
      entities: entities,
      history: layout.keepsHistory
        ? try HistoryProfiler(connection: content.connection, layout: layout, k: k).profile() : nil
    )
  }

  /// SwiftData's models have the one configuration `default`, and always history
  /// (coredata-format.md, sections 9 and 14).
  private static func flavour(of layout: StoreLayout) -> Flavour {
    let isSwiftData = layout.keepsHistory && layout.model.configurations.keys.contains("default")
    return isSwiftData ? .swiftData : .coreData
  }

  private func profile(of entity: Entity) throws -> EntityProfile {
    guard let columns = EntityColumns(entity.name, in: content) else {
      return EntityProfile(name: entity.name, objects: nil)
    }
    let objects = try columns.objectCount()
    guard objects >= k else { return EntityProfile(name: entity.name, objects: nil) }
    let profiler = ColumnProfiler(columns: columns, k: k, objects: objects)
    return EntityProfile(
      name: entity.name,
      objects: objects,
      columns: try columns.attributes.map { attribute in
        progress("\(entity.name).\(attribute.name)")
        return try profiler.profile(of: attribute)
      },
      relationships: try columns.relationships.compactMap { relationship in
        progress("\(entity.name).\(relationship.name)")
        return try profile(of: relationship, columns, objects: objects)
      }
    )
  }

  private func profile(
    of relationship: Relationship,
    _ columns: EntityColumns,
    objects: Int
  ) throws -> RelationshipProfile? {
    var profile = RelationshipProfile(name: relationship.name)
    if let targets = try columns.targetCount(relationship) {
      profile.nulls = targets < k ? objects : objects - targets < k ? 0 : objects - targets
    } else if let counts = try columns.fanOut(relationship) {
      profile.fanOut = try NumberBins(k: k, isWhole: true, isDate: false).bins(of: counts).bins
        .filled(to: objects)
    } else {
      return nil
    }
    return profile
  }

  /// Profiles one attribute of one concrete entity.
  struct ColumnProfiler {
    let columns: EntityColumns
    let k: Int
    /// How many objects the entity has.
    let objects: Int

    func profile(of attribute: Attribute) throws -> ColumnProfile {
      let measure = attribute.type.measure
      var profile = ColumnProfile(name: attribute.name, measure: measure)
      var (values, points): (Int, Set<Double>) = (0, [])
      if let numbers = try columns.numbers(attribute) {
        let (bins, summary) = try NumberBins(k: k, type: attribute.type).bins(of: numbers)
        profile.bins = bins
        profile.grain = grain(of: attribute.type, summary)
        (values, points) = (summary.objects, Set(summary.points.map(\.number)))
      } else {
        values = try columns.valueCount(attribute)
      }
      // Fewer than k on either side show as none.
      guard values >= k else {
        profile.nulls = objects
        profile.bins = []
        profile.grain = .whole
        return profile
      }
      profile.nulls = objects - values >= k ? objects - values : 0
      profile.bins = profile.bins.filled(to: objects - profile.nulls)
      profile.sharing = try sharing(of: attribute, points: points, profile)
      return profile
    }

    /// Almost all: fewer than k that are not show nothing.
    private func grain(of type: AttributeType, _ summary: NumberBins.Summary) -> ColumnProfile.Grain
    {
      switch type.measure {
      case .dates where summary.objects - summary.dayObjects < k: .day
      case .numbers where type.isWhole: .whole
      case .numbers, .dates: summary.objects - summary.wholeObjects < k ? .whole : .fractional
      case .lengths, .sizes, .none: .whole
      }
    }

    /// Blobs are not compared: it would mean reading all of them.
    private func sharing(
      of attribute: Attribute,
      points: Set<Double>,
      _ profile: ColumnProfile
    ) throws -> Sharing? {
      guard profile.measure != .sizes else { return nil }
      var counts = SharingCounts(k: k)
      let isNumeric = profile.measure == .numbers
      try columns.forEachValue(attribute) { count, number in
        // A point is one value already.
        if !isNumeric || !points.contains(number) { counts.add(objects: count) }
      }
      let pointed = isNumeric ? profile.bins.filter(\.isPoint).reduce(0) { $0 + $1.count } : 0
      let others = objects - profile.nulls - pointed
      return others >= k ? counts.sharing(among: others) : nil
    }
  }

  /// Profiles a store's persistent history.
  struct HistoryProfiler {
    let connection: Connection
    let layout: StoreLayout
    let k: Int

    /// Each different number of changes with the count of the transactions that have so many.
    static let changesPerTransaction =
      "SELECT n, count(*) FROM (SELECT count(*) AS n FROM ACHANGE GROUP BY ZTRANSACTIONID) "
      + "GROUP BY 1 ORDER BY 1"

    func profile() throws -> HistoryProfile {
      let count = Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
      var profile = HistoryProfile(transactions: count >= k ? count : nil)
      profile.changes = try changes()
      guard count >= k else { return profile }
      let perTransaction = ValueCounts(try connection.prepare(Self.changesPerTransaction))
      profile.changesPerTransaction = try NumberBins(k: k, isWhole: true, isDate: false)
        .bins(of: perTransaction).bins.filled(to: count)
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

  /// Counts how many objects have the same value as others.
  struct SharingCounts {
    /// The most ranks: beyond, a value is one of many.
    private static let mostRanks = 40
    private static let sizes = [1, 2, 3, 4, 6, 10, 20, 50, 100, 200, 500, 1_000]

    let k: Int
    /// Values by the number of objects that have them.
    private var clusters: [Int: Int] = [:]

    init(k: Int) {
      self.k = k
    }

    /// Takes a value that so many objects have.
    mutating func add(objects: Int) { clusters[objects, default: 0] += 1 }

    /// The sharing among so many objects; `nil` where all values differ, but for fewer than k.
    func sharing(among objects: Int) -> Sharing? {
      var ranks: [Int] = []
      var left: [Int: Int] = [:]
      for (size, values) in clusters.sorted(by: { $0.key > $1.key }) {
        let ranked = size >= k ? Swift.min(values, Self.mostRanks - ranks.count) : 0
        ranks += Array(repeating: size, count: ranked)
        if values > ranked { left[size] = (values - ranked) * size }
      }
      var sharing = Sharing(ranks: ranks, clusters: bins(of: left))
      let missing = objects - sharing.objects
      guard sharing.objects > 0 else { return nil }
      if sharing.clusters.isEmpty {
        sharing.ranks[0] += missing
      } else {
        sharing.clusters = sharing.clusters.filled(
          to: objects - sharing.ranks.reduce(0, +)
        )
      }
      let isAllDifferent = ranks.isEmpty && sharing.clusters.allSatisfy { $0.to <= 2 }
      return isAllDifferent ? nil : sharing
    }

    /// Bins of cluster sizes, each with at least k objects; what is too little goes to the bin
    /// before.
    private func bins(of objects: [Int: Int]) -> [Bin] {
      var bins: [Bin] = []
      var waiting = 0
      for (index, size) in Self.sizes.enumerated() {
        let next = index + 1 < Self.sizes.count ? Self.sizes[index + 1] : size * 2
        let isLast = index + 1 == Self.sizes.count
        let count = objects.reduce(0) { sum, entry in
          entry.key >= size && (isLast || entry.key < next) ? sum + entry.value : sum
        }
        if count + waiting >= k {
          bins.append(Bin(from: Double(size), to: Double(next), count: count + waiting))
          waiting = 0
        } else if let last = bins.indices.last {
          bins[last].count += count
        } else {
          waiting += count
        }
      }
      return bins
    }
  }
}
