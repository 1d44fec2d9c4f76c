import PersistentStore
import SQLite

extension Finding {
  static func changedMeanwhile(_ place: String) -> Finding {
    Finding(
      "changedMeanwhile",
      .risk,
      place: place,
      message: "the store was written to while it was read, so figures may not fit each other",
      remedy: "close the app, or inspect a copy made with all its files"
    )
  }

  static func noModel(_ reason: String) -> Finding {
    Finding(
      "noModel",
      .wrong,
      place: "Z_MODELCACHE",
      message: "there is no model to read the tables by: \(reason)",
      remedy: "only entities are counted; inspect the app's .momd or .xcdatamodeld for the rest"
    )
  }

  static func gaveUp(_ place: String) -> Finding {
    Finding(
      "gaveUp",
      .wrong,
      place: place,
      message: "reading took more work than any sound store of its size, so it was ended early",
      remedy: "take the figures as a part; recover the file with sqlite3 FILE .recover"
    )
  }

  static func unreadable(_ place: String, _ reason: String) -> Finding {
    Finding(
      "unreadable",
      .wrong,
      place: place,
      message: "not read to its end: \(reason)",
      remedy: "take its figures as a part; recover the file with sqlite3 FILE .recover"
    )
  }
}

extension TableScan {
  /// What kept the scan from reading everything.
  var findings: [Finding] {
    var findings = brokenRules.map { Finding($0) }
    if let failure { findings.append(.unreadable(table.name, failure.message)) }
    if oversized > 0 {
      findings.append(
        Finding(
          "oversizedValue",
          .risk,
          place: table.name,
          count: oversized,
          message: "objects with a value of more than 16 MB, whose attributes are not counted",
          remedy: "keep values of that size in files, with their paths in the store"
        )
      )
    }
    return findings
  }
}

extension AuditRule {
  /// How much a broken rule matters to an app that opens the store.
  var severity: Finding.Severity {
    switch self {
    case .unexpectedTable, .unexpectedColumn, .missingIndex, .orphanedExternalFile, .historyGap,
      .transactionWithoutChange, .danglingString, .wrongVersion, .equalOrder, .wrongOrder,
      .changeOfMissingObject, .wrongChangedColumns, .disagreeingInverse, .valueOfOtherEntity,
      .wrongStorageClass, .valueOutOfRange, .changeOutOfOrder, .deletedObjectExists:
      .risk
    default: .wrong
    }
  }

  /// What to do about it, one sentence.
  var remedy: String {
    switch self {
    case .damaged: "recover it with sqlite3 FILE .recover, or go back to a backup"
    case .missingTable, .missingColumn:
      "the model does not fit the file: find the version of the app that wrote it"
    case .unexpectedTable, .unexpectedColumn:
      "find out who added them; a migration drops what the model does not name"
    case .missingIndex: "let the app migrate the store, or fetches over it scan the table"
    case .wrongMetadata:
      "compare Z_METADATA with a backup: the frameworks find a store's model by it"
    case .wrongModelCache: "restore Z_MODELCACHE; migrations without a model file rely on it"
    case .wrongEntityRow: "restore Z_PRIMARYKEY: objects of these entities cannot be told"
    case .keyAboveMaximum:
      "raise Z_MAX to the largest key used, or the next insert takes a key that is in use"
    case .wrongEntityNumber: "these objects are never fetched: correct Z_ENT or remove them"
    case .wrongVersion: "set Z_OPT to 1, or the first save of these objects may conflict"
    case .wrongStorageClass, .valueOutOfRange:
      "rewrite the values by an app of the model; a fetch converts or fails"
    case .valueOfOtherEntity: "clear them: the entity of these objects has no such property"
    case .missingValue: "give them a value before a migration, which validates them"
    case .duplicate: "remove duplicates before the constraint is added or relied on"
    case .danglingReference, .wrongTargetEntity:
      "set it to NULL: firing the fault throws (could not fulfil a fault)"
    case .missingReference: "saving such an object fails validation: give it a target"
    case .disagreeingInverse: "set both sides in the app and save"
    case .danglingPair, .doubledPair: "delete these rows of the join table"
    case .wrongOrder, .equalOrder: "reorder the relationship in the app once and save"
    case .malformedExternalData, .missingExternalFile, .emptyExternalFile:
      "the value reads as nothing: restore the files of _EXTERNAL_DATA from a backup"
    case .sharedExternalFile: "copy the file for one owner, or deleting the other loses it"
    case .orphanedExternalFile: "delete them: nothing refers to them"
    case .changeWithoutTransaction, .transactionWithoutChange, .unknownChange,
      .wrongChangedColumns, .changeOutOfOrder, .danglingString:
      "purge the history (deleteHistory(before:)) and let readers start anew"
    case .changeOfMissingObject, .deletedObjectExists:
      "history and objects differ: readers of history must re-fetch everything"
    case .historyGap: "readers whose token is older than the gap must re-fetch everything"
    }
  }
}
