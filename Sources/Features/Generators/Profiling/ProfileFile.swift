import Basics
import DataModel
import Foundation
import PersistentStore

/// Reads profile files, which are untrusted.
package enum ProfileFile {
  /// Whether a file's top-level value is a profile.
  package static func isProfile(_ value: YAMLValue) -> Bool {
    value.isMapping && value.mapping()?["profile"] != nil
  }

  /// Reads the profile file at a path; returns `nil` if the file is not a profile, for example a
  /// store.
  ///
  /// - Throws: ``InvalidInput`` with every problem of the profile.
  package static func read(path: String) throws -> StoreProfile? {
    let diagnostics = Diagnostics(file: path)
    guard (try? InputFile.head(of: path, count: 16))?.areOfSQLiteFile == false,
      let value = try? YAMLDocument.read(path: path, into: diagnostics), isProfile(value)
    else { return nil }
    guard let found = profile(value) else { throw InvalidInput(diagnostics.all) }
    return found
  }

  /// Reads the profile from a file's top-level value; returns `nil` after reporting a problem.
  package static func profile(_ value: YAMLValue) -> StoreProfile? {
    let keys = [
      "profile", "k", "flavour", "framework", "versions", "hashes", "entities", "history", "pages",
      "triggers", "model",
    ]
    guard let mapping = value.mapping(knowing: keys),
      let format = mapping.required("profile")?.integer(),
      let k = mapping.required("k")?.integer(in: 1...1_000_000_000),
      let framework = mapping.required("framework")?.integer(in: 1...1_000_000),
      let model = mapping.required("model").flatMap(ModelFile.model)
    else { return nil }
    guard format == StoreProfile.format else {
      value.report("'profile' is \(format), but this version reads \(StoreProfile.format)")
      return nil
    }
    let entities = EntityReader(model: model, k: k)
    let profile = StoreProfile(
      k: k,
      model: model,
      flavour: mapping["flavour"]?.choice() ?? .coreData,
      frameworkVersion: framework,
      versionIdentifiers: mapping["versions"]?.itemsOrSelf().compactMap { $0.string() } ?? [""],
      versionHashes: hashes(mapping["hashes"]),
      entities: entities.entities(mapping.required("entities")),
      history: mapping["history"].flatMap(entities.history),
      pageUse: mapping["pages"].flatMap(pageUse),
      triggers: (mapping["triggers"]?.items()?.compactMap { $0.string() } ?? [])
        .filter(CopiedTriggers.isCreation)
    )
    return value.diagnostics.hasErrors ? nil : profile
  }

  private static func pageUse(_ value: YAMLValue) -> PageUse? {
    guard let mapping = value.mapping(knowing: ["free", "fill"]) else { return nil }
    var use = PageUse()
    use.free =
      mapping["free"]?.number(being: "a share from 0 to 0.99") { (0...0.99).contains($0) } ?? 0
    for entry in mapping["fill"]?.mapping()?.entries ?? [] {
      use.fill[entry.key] = entry.value.integer(in: 1...100)
    }
    return use
  }

  private static func hashes(_ value: YAMLValue?) -> [String: [UInt8]] {
    var hashes: [String: [UInt8]] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      guard let text = entry.value.string() else { continue }
      guard let hash = Data(base64Encoded: text).map(Array.init), hash.count == 32 else {
        entry.value.report("a version hash must be 32 bytes in base64")
        continue
      }
      hashes[entry.key] = hash
    }
    return hashes
  }

  struct EntityReader {
    let model: Model
    let k: Int

    private var bins: BinsReader { BinsReader(k: k) }
    private var concrete: [Entity] {
      EntityNumbers(model: model).entities.filter { !$0.isAbstract }
    }

    /// The concrete entities, ordered by entity number.
    ///
    /// An entity that the file omits counts as having too few objects.
    func entities(_ value: YAMLValue?) -> [EntityProfile] {
      let mapping = value?.mapping()
      mapping?.reportKeys(except: concrete.map(\.name))
      return concrete.map { entity in
        mapping?[entity.name].flatMap { profile(of: entity, $0) }
          ?? EntityProfile(name: entity.name, objects: nil)
      }
    }

    private func profile(of entity: Entity, _ value: YAMLValue) -> EntityProfile? {
      let keys = ["objects", "attributes", "relationships"]
      guard let mapping = value.mapping(knowing: keys), let count = mapping.required("objects")
      else { return nil }
      if isTooFew(count) { return EntityProfile(name: entity.name, objects: nil) }
      if k == 1, count.scalar == .integer(0) {
        return EntityProfile(name: entity.name, objects: 0)
      }
      guard let objects = bins.count(count) else { return nil }
      return EntityProfile(
        name: entity.name,
        objects: objects,
        columns: columns(of: entity, objects: objects, mapping["attributes"]),
        relationships: relationships(of: entity, objects: objects, mapping["relationships"])
      )
    }

    private func isTooFew(_ value: YAMLValue) -> Bool { value.scalar == .text("< \(k)") }

    // MARK: Attributes

    private func columns(of entity: Entity, objects: Int, _ value: YAMLValue?) -> [ColumnProfile] {
      let attributes = model.attributes(of: entity).filter { !$0.isTransient }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      let mapping = value?.mapping()
      mapping?.reportKeys(except: attributes.map(\.name))
      let columns = attributes.compactMap { attribute in
        mapping?[attribute.name].flatMap { column(attribute, objects: objects, $0) }
      }
      let names = Set(attributes.map(\.name))
      for column in columns {
        let bases =
          (column.follow?.attributes ?? []) + (column.presence.map { [$0.attribute] } ?? [])
        for name in bases where !names.contains(name) || name == column.name {
          mapping?.report(
            "'\(column.name)' of \(entity.name) depends on no other attribute '\(name)'"
          )
        }
      }
      return columns
    }

    private func column(
      _ attribute: Attribute,
      objects: Int,
      _ value: YAMLValue
    ) -> ColumnProfile? {
      let measure = attribute.type.measure
      let keys = [
        "nulls", measure.rawValue, "grain", "ranks", "rankNumbers", "shared", "texts", "form",
        "follows", "presentWith",
      ]
      guard let mapping = value.mapping(knowing: keys) else { return nil }
      var column = ColumnProfile(name: attribute.name, measure: measure)
      column.nulls = mapping["nulls"].flatMap(bins.count) ?? 0
      column.bins =
        mapping[measure.rawValue].map { bins.bins($0, isDate: measure == .dates) } ?? []
      column.grain = mapping["grain"].flatMap { $0.choice() } ?? .whole
      let ranks = mapping["ranks"]?.items()?.compactMap(bins.count) ?? []
      let clusters = mapping["shared"].map { bins.bins($0) } ?? []
      if !ranks.isEmpty || !clusters.isEmpty {
        let numbers = mapping["rankNumbers"]?.items()?.compactMap { bins.number($0) } ?? []
        column.sharing = Sharing(ranks: ranks, clusters: clusters, rankNumbers: numbers)
      }
      column.texts = mapping["texts"]?.items()?.compactMap(keptText) ?? []
      column.form = mapping["form"].flatMap(form)
      column.follow = mapping["follows"].flatMap(follow)
      column.presence = mapping["presentWith"].map(targets)?.first.map {
        Presence(attribute: $0.attribute, values: $0.values)
      }
      check(column, objects: objects, mapping)
      return column
    }

    private func keptText(_ value: YAMLValue) -> KeptText? {
      guard let items = value.items(), items.count == 2, let text = items[0].string(),
        let count = bins.count(items[1])
      else {
        value.report("\(value.name) must be [text, objects]")
        return nil
      }
      return KeptText(text: text, count: count)
    }

    private func follow(_ value: YAMLValue) -> DateFollow? {
      guard let mapping = value.mapping(knowing: ["attributes", "seconds"]),
        let names = mapping.required("attributes")?.items()?.compactMap({ $0.string() }),
        let gaps = mapping.required("seconds").map({ bins.bins($0) }), !gaps.isEmpty
      else { return nil }
      return DateFollow(attributes: names, gaps: gaps)
    }

    private func form(_ value: YAMLValue) -> TextForm? {
      let form = TextForm(words: value.items()?.compactMap { $0.string() } ?? [])
      if form == nil { value.report("\(value.name) is no form of texts") }
      return form
    }

    private func targets(_ value: YAMLValue) -> [TargetCondition] {
      (value.mapping()?.entries ?? []).map { entry in
        let values = entry.value.items()?.map { item -> Value in
          switch item.scalar {
          case .integer(let number)?: .integer(number)
          case .real(let number)?: .real(number)
          case .text(let text)?: .text(text)
          case .boolean(let flag)?: .integer(flag ? 1 : 0)
          default: .null
          }
        }
        return TargetCondition(attribute: entry.key, values: values ?? [])
      }
    }

    private func level(_ value: YAMLValue) -> TreeLevel? {
      let numbers = value.items()?.compactMap { $0.integer(in: 0...1_000_000_000) } ?? []
      guard numbers.count == 2, numbers[1] <= numbers[0] else {
        value.report("\(value.name) must be [objects, parents]")
        return nil
      }
      return TreeLevel(objects: numbers[0], parents: numbers[1])
    }

    private func check(_ column: ColumnProfile, objects: Int, _ mapping: YAMLMapping) {
      let values = column.bins.reduce(0) { $0 + $1.count }
      let isWhole = column.measure == .none || values + column.nulls == objects
      if !isWhole {
        mapping.report(
          "the bins and nulls of \(mapping.name) add up to \(values + column.nulls), "
            + "and the entity has \(objects) objects"
        )
      }
      if column.nulls > objects || column.sharing.map({ $0.objects > objects }) == true {
        mapping.report("\(mapping.name) describes more than the entity's \(objects) objects")
      }
      let isSize = column.measure == .lengths || column.measure == .sizes
      if isSize, column.bins.contains(where: { $0.from < 0 || $0.to > 1_000_000_000 }) {
        mapping.report("\(mapping.name) has sizes that are negative or over 1 GB")
      }
      if let sharing = column.sharing,
        ![0, sharing.ranks.count].contains(sharing.rankNumbers.count)
      {
        mapping.report("\(mapping.name) must have as many 'rankNumbers' as 'ranks'")
      }
      if column.sharing?.clusters.contains(where: { $0.from < 1 }) == true {
        mapping.report("each value of \(mapping.name) must belong to at least one object")
      }
    }

    // MARK: Relationships

    private func relationships(
      of entity: Entity,
      objects: Int,
      _ value: YAMLValue?
    ) -> [RelationshipProfile] {
      let known = model.relationships(of: entity).filter { !$0.isTransient }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      let mapping = value?.mapping()
      mapping?.reportKeys(except: known.map(\.name))
      return known.compactMap { relationship in
        let keys = ["nulls", "counts", "targets", "levels"]
        guard let entry = mapping?[relationship.name]?.mapping(knowing: keys) else { return nil }
        let profile = RelationshipProfile(
          name: relationship.name,
          nulls: entry["nulls"].flatMap(bins.count) ?? 0,
          fanOut: entry["counts"].map { bins.bins($0) } ?? [],
          targets: entry["targets"].map(targets) ?? [],
          levels: entry["levels"]?.items()?.compactMap(level) ?? []
        )
        if profile.nulls > objects || profile.fanOut.contains(where: { $0.from < 0 || $0.to > 1e9 })
        {
          entry.report("\(entry.name) does not fit the entity's \(objects) objects")
        }
        return profile
      }
    }

    // MARK: History

    func history(_ value: YAMLValue) -> HistoryProfile? {
      let keys = ["transactions", "changesPerTransaction", "dates", "changes"]
      guard let mapping = value.mapping(knowing: keys),
        let transactions = mapping.required("transactions")
      else { return nil }
      let changes = mapping["changes"]?.mapping()
      changes?.reportKeys(except: concrete.map(\.name))
      return HistoryProfile(
        transactions: isTooFew(transactions) ? nil : bins.count(transactions),
        changesPerTransaction: mapping["changesPerTransaction"].map { bins.bins($0) } ?? [],
        times: mapping["dates"].map { bins.bins($0, isDate: true) } ?? [],
        changes: concrete.compactMap { entity in
          changes?[entity.name]?.mapping(knowing: ["inserts", "updates", "deletes"]).map {
            HistoryProfile.Changes(
              entity: entity.name,
              inserts: $0["inserts"].flatMap(bins.count) ?? 0,
              updates: $0["updates"].flatMap(bins.count) ?? 0,
              deletes: $0["deletes"].flatMap(bins.count) ?? 0
            )
          }
        }
      )
    }
  }

  struct BinsReader {
    private static let mostBins = 1_000
    private static let mostObjects = 1_000_000_000

    let k: Int

    func bins(_ value: YAMLValue, isDate: Bool = false) -> [Bin] {
      guard let items = value.items() else { return [] }
      guard items.count <= Self.mostBins else {
        value.report("\(value.name) has \(items.count) bins, and may have \(Self.mostBins)")
        return []
      }
      return items.compactMap { bin($0, isDate: isDate) }
    }

    func count(_ value: YAMLValue) -> Int? { value.integer(in: k...Self.mostObjects) }

    private func bin(_ value: YAMLValue, isDate: Bool) -> Bin? {
      guard let items = value.items() else { return nil }
      guard (2...3).contains(items.count), let last = items.last else {
        value.report("\(value.name) must be [from, to, objects] or [number, objects]")
        return nil
      }
      let ends = items.dropLast().compactMap { isDate ? month($0) : number($0) }
      guard ends.count == items.count - 1, let count = count(last) else { return nil }
      guard ends.count == 1 || ends[0] < ends[1] else {
        value.report("\(value.name) must begin below its end")
        return nil
      }
      return Bin(from: ends[0], to: ends[ends.count - 1], count: count)
    }

    func number(_ value: YAMLValue) -> Double? {
      value.number(being: "from -1e300 to 1e300") { abs($0) <= 1e300 }
    }

    /// A month or, in a profile with a k of 1, a time in seconds since 2001-01-01.
    private func month(_ value: YAMLValue) -> Double? {
      switch value.scalar {
      case .integer, .real: if k == 1 { return number(value) }
      default: break
      }
      guard let text = value.string() else { return nil }
      guard let month = CalendarMonth(iso8601: text) else {
        value.report("\(value.name) must be a month such as 2026-04, not '\(text.prefix(20))'")
        return nil
      }
      return month.seconds
    }
  }
}
