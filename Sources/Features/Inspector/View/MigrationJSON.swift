import Basics
import DataModel
import PersistentStore

extension MigrationView: Encodable {
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "format": "storebench.migration", "formatVersion": 1,
      "verdict": readiness, "old": comparison.old.json, "new": comparison.new.json,
      "match": comparison.match?.description,
      "isSameVersion": comparison.isSameVersion, "isLightweight": comparison.isLightweight,
      "obstacles": comparison.mapping.obstacles.map(\.description),
      "dataObstacles": comparison.dataObstacles, "suspectedRenames": comparison.suspectedRenames,
      "changes": comparison.mapping.changes.map(\.description), "dropped": comparison.dropped,
      "unfilled": comparison.unfilled.map { place -> JSONObject in
        [
          "place": place.name, "kind": place.kind, "objects": place.objects,
          "advice": place.kind.advice,
        ]
      },
      "detours": comparison.detours, "stagePlanRisk": comparison.stagePlanRisk,
      // Omit CloudKit's rules if the old store shows no sign of sync.
      "cloudKit": comparison.mayBeSynced ? cloudKit : nil,
      "swiftData": comparison.target.map(swiftData),
      "map": comparison.mapPath.map { comparison.mapping.json(path: $0) },
      "renameFirst": comparison.renameFirst,
      "checklist": showsChecklist ? comparison.checklist : nil, "indexes": indexes,
    ]
    try object.encode(to: encoder)
  }

  private var cloudKit: JSONObject {
    let rules = comparison.cloudKit
    return [
      "isSynced": comparison.isSynced, "isAllowed": !rules.contains(where: \.isBroken),
      "rules": rules,
    ]
  }

  private func swiftData(_ target: TargetSystem) -> JSONObject {
    [
      "target": target, "rules": comparison.swiftData, "coexistence": comparison.coexistence,
      "complexity": comparison.complexity,
    ]
  }
}

extension ModelInput {
  fileprivate var json: JSONObject {
    [
      "path": path, "kind": kind.rawValue, "version": version.name,
      "versionIdentifiers": version.model.versionIdentifiers,
      "entities": version.model.entities.count, "framework": store?.metadata.frameworkVersion,
      "isSwiftData": isSwiftData, "notUnderstood": family.unknown,
    ]
  }
}

extension MappingModel {
  fileprivate func json(path: String) -> JSONObject {
    [
      "path": path,
      "entities": entities.compactMap { entity -> [String: String]? in
        entity.source.map { ["from": $0, "to": entity.destination] }
      },
      "leftOut": map?.dropped.sorted() ?? [],
    ]
  }
}
