import DataModel
import PersistentStore

/// A kind of defect of a value, a reference, a file or a key in a dirty store.
package enum Defect: String, CaseIterable, Hashable, Sendable {
  /// A missing value or target that the model requires.
  case null
  /// A value that is not listed in the attribute's enumeration (`weighted` in the recipe).
  case unknownCase
  /// A number outside the range of the attribute's type or the model's limits.
  case outOfRange
  /// An empty string.
  case empty
  /// A string of at least 1 MiB.
  case long
  /// Letters with several combining marks each.
  case combining
  /// Hebrew and Arabic within Latin text, with marks that change the text direction.
  case rightToLeft
  /// Emoji made of several code points: families, flags, skin tones, keycaps.
  case emoji
  /// A date in 1970, as an app stores it for a Unix time of 0.
  case year1970
  /// A date in 2100, which some apps store to mean "never".
  case year2100
  /// The key of a target that does not exist.
  case dangling
  /// A join row that references an object that does not exist.
  case orphaned
  /// A file that a row refers to but that does not exist.
  case missingFile
  /// A file that no row refers to.
  case orphanedFile
  /// A recorded highest key (`Z_MAX`) that is lower than a key in use.
  case tooLow

  var isOfRow: Bool {
    switch self {
    case .orphaned, .missingFile, .orphanedFile, .tooLow: false
    default: true
    }
  }

  static func all(of attribute: Attribute, made rule: (any ValueRule)?) -> [Defect] {
    if rule?.makesFiles == true || attribute.allowsExternalStorage {
      return [.missingFile, .orphanedFile]
    }
    var defects: [Defect] = attribute.isOptional ? [] : [.null]
    if rule?.listed.isEmpty == false, attribute.type != .boolean {
      defects.append(.unknownCase)
    }
    if Self.rule(of: .outOfRange, attribute.type) != nil || attribute.hasBounds {
      defects.append(.outOfRange)
    }
    switch attribute.type {
    case .string: defects += [.empty, .long, .combining, .rightToLeft, .emoji]
    case .uri: defects += [.empty, .long]
    case .date: defects += [.year1970, .year2100]
    default: break
    }
    return defects
  }

  /// The audit rule that a defect violates in an attribute of the given type; `nil` if no rule
  /// finds it.
  static func rule(of defect: Defect, _ type: AttributeType) -> AuditRule? {
    switch (defect, type) {
    case (.null, _): .missingValue
    case (.outOfRange, .boolean), (.outOfRange, .integer16), (.outOfRange, .integer32):
      .valueOutOfRange
    case (.missingFile, _): .missingExternalFile
    case (.orphanedFile, _): .orphanedExternalFile
    default: nil
    }
  }
}

extension Attribute {
  fileprivate var hasBounds: Bool {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float:
      minimum != .null || maximum != .null
    default: false
    }
  }
}

/// A defect that a recipe puts into a share of an entity's objects.
package struct DefectRecipe: Hashable, Sendable {
  package var defect: Defect
  /// The attribute or relationship, or `Z_MAX` for the entity's recorded highest key.
  package var property: String
  /// The share of the objects, files or keys with the defect, above 0 and at most 1.
  package var share: Double

  /// The number of defects among a number of objects: the share of the objects, but at least 1.
  package func count(among objects: Int) -> Int {
    min(max(Int((share * Double(objects)).rounded()), 1), objects)
  }

  struct Reader {
    static let keys = Defect.allCases.map { FileKey($0.rawValue, .share, "share of the objects") }

    let model: Model
    let entity: Entity
    let recipe: EntityRecipe
    let described: Set<String>

    private var attributes: [Attribute] {
      model.attributes(of: entity).filter { !$0.isTransient }
    }

    private var relationships: [Relationship] {
      model.lineage(of: entity).flatMap(\.relationships).filter { !$0.isTransient }
    }

    /// The defects, ordered by property and defect, so that their order in the file does not affect
    /// the store.
    func defects(_ value: YAMLValue?) -> [DefectRecipe] {
      guard let mapping = value?.mapping() else { return [] }
      let names =
        attributes.map(\.name) + relationships.map(\.name) + [EntityRecipe.highestKey]
      mapping.reportKeys(except: names)
      return mapping.entries.filter { names.contains($0.key) }
        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        .flatMap(defects)
    }

    private func defects(of entry: YAMLMapping.Entry) -> [DefectRecipe] {
      let possible = possible(entry.key)
      guard let mapping = entry.value.mapping() else { return [] }
      var found: [DefectRecipe] = []
      for item in mapping.entries {
        guard let defect = Defect(rawValue: item.key), possible.contains(defect) else {
          report(item, possible: possible, of: entry.key)
          continue
        }
        let share = item.value.number(being: "above 0 and at most 1") { $0 > 0 && $0 <= 1 }
        guard let share else { continue }
        found.append(DefectRecipe(defect: defect, property: entry.key, share: share))
      }
      if found.filter(\.defect.isOfRow).reduce(0, { $0 + $1.share }) > 1 {
        entry.value.report("the shares of \(name(entry.key)) add up to more than 1")
      }
      let order = Defect.allCases
      return found.sorted {
        order.firstIndex(of: $0.defect) ?? 0 < order.firstIndex(of: $1.defect) ?? 0
      }
    }

    private func name(_ property: String) -> String { "\(entity.name).\(property)" }

    private func report(_ item: YAMLMapping.Entry, possible: [Defect], of property: String) {
      if item.key == Defect.null.rawValue, !isRequired(property) {
        let advice = attributes.contains { $0.name == property } ? "attributes" : "relationships"
        item.value.report(
          "\(name(property)) is optional, so a missing value is not a defect; give 'null' under "
            + "'\(advice)'"
        )
        return
      }
      let words = possible.map(\.rawValue)
      let list =
        words.isEmpty ? "it can have no defects" : "one of \(words.joined(separator: ", "))"
      item.value.report(
        "'\(item.key)' is no defect of \(name(property))"
          + "\(didYouMean(item.key, among: words)) (\(list))"
      )
    }

    private func isRequired(_ property: String) -> Bool {
      attributes.contains { $0.name == property && !$0.isOptional }
        || relationships.contains { $0.name == property && !$0.isOptional }
    }

    private func possible(_ property: String) -> [Defect] {
      if property == EntityRecipe.highestKey { return [.tooLow] }
      if let attribute = attributes.first(where: { $0.name == property }) {
        let all = Defect.all(of: attribute, made: recipe.attributes[property]?.rule)
        // Permit only nulls in a unique attribute, because two other defective values could be
        // equal.
        return isUnique(property) || isKey(property) ? all.filter { $0 == .null } : all
      }
      guard let relationship = relationships.first(where: { $0.name == property }) else {
        return []
      }
      return possible(relationship)
    }

    private func possible(_ relationship: Relationship) -> [Defect] {
      let inverse = model.inverse(of: relationship)
      if relationship.isToMany {
        return described.contains(name(relationship.name)) ? [.orphaned] : []
      }
      // A dangling key would also make the two sides of a one-to-one relationship disagree, which
      // is a different defect.
      if let inverse, !inverse.isToMany { return [] }
      return (relationship.isOptional ? [] : [.null]) + [.dangling]
    }

    private func isUnique(_ property: String) -> Bool {
      model.lineage(of: entity).flatMap(\.uniquenessConstraints).contains { $0.contains(property) }
    }

    private func isKey(_ property: String) -> Bool {
      recipe.duplicates?.key.contains(property) == true
    }
  }
}

extension EntityRecipe {
  static let highestKey = "Z_MAX"

  func defects(of property: String) -> [DefectRecipe] {
    defects.filter { $0.property == property }
  }
}
