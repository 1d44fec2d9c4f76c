import Basics
import DataModel
import SwiftModels

/// Checks that the cases of enums keep their raw values, which stores are assumed to hold.
extension SchemaGuard {
  mutating func checkEnums() {
    for locked in shipped?.versions ?? [] {
      let twin: SwiftVersion? =
        family.versions.isEmpty ? family.current : family.version(named: locked.name)
      guard let version = twin, let cases = shipped?.enumCases[locked.name] else { continue }
      checkEnums(from: locked, cases, to: version)
    }
    for (old, new) in stepsWithoutCode {
      let schema = VersionedSchema(name: old.name, model: old.model)
      checkEnums(from: schema, old.enumCases, to: new)
    }
  }

  /// The steps between versions in which no code of the app can convert stored values.
  private var stepsWithoutCode: [(old: SwiftVersion, new: SwiftVersion)] {
    guard !family.versions.isEmpty else { return [] }
    let stages = family.plans.flatMap(\.stages).filter(\.isLightweight)
    let steps =
      family.plans.isEmpty
      ? zip(family.versions, family.versions.dropFirst()).map { (old: $0, new: $1) }
      : stages.compactMap { versions(of: $0) }
    return [(old: newest, new: family.current)] + steps
  }

  private mutating func checkEnums(
    from old: VersionedSchema,
    _ cases: [String: [EnumValue]],
    to new: SwiftVersion
  ) {
    let mapping = MappingModel(from: old.model, to: new.model)
    for changed in mapping.changedEnums(from: cases, to: new.enumCases) {
      report(
        .enumValueChanged,
        .warning,
        "\(changed.entity).\(changed.property) has other raw values than in \(old.name): "
          + changed.values,
        advice: "keep the raw value of each case, and give new cases new values; or convert the "
          + "stored values in a custom stage",
        at: new.place(of: changed.entity, changed.property)
      )
    }
  }
}

extension MappingModel {
  /// The properties whose enum has other raw values than in the old model, with the changes in
  /// words.
  func changedEnums(
    from old: [String: [EnumValue]],
    to new: [String: [EnumValue]]
  ) -> [(entity: String, property: String, values: String)] {
    var changed: [(entity: String, property: String, values: String)] = []
    for entity in entities {
      for attribute in entity.attributes {
        let property = attribute.destination.name
        guard let source = entity.source, let former = attribute.source,
          former.type == attribute.destination.type,
          let before = old["\(source).\(former.name)"],
          let after = new["\(entity.destination).\(property)"]
        else { continue }
        let changes = Self.changedValues(from: before, to: after)
        guard !changes.isEmpty else { continue }
        changed.append((entity.destination, property, changes.joined(separator: "; ")))
      }
    }
    return changed
  }

  private static func changedValues(from old: [EnumValue], to new: [EnumValue]) -> [String] {
    // An enum without raw values has no values to compare.
    guard !new.isEmpty else { return [] }
    let values = Dictionary(keepingFirst: new.map { ($0.name, $0.value) })
    let known = Set(new.map(\.value))
    return old.compactMap { former -> String? in
      if let value = values[former.name] {
        return value == former.value
          ? nil : "\(former.name) is \(value.words), not \(former.value.words)"
      }
      return known.contains(former.value)
        ? nil : "no case has \(former.value.words), the raw value of \(former.name)"
    }
  }
}
