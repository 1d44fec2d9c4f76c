import PersistentStore
import SQLite

extension Finding {
  static func changedMeanwhile(_ place: String) -> Finding {
    Finding(
      "changedMeanwhile",
      .risk,
      place: place,
      message: "another process wrote to the store while it was read, so figures may be "
        + "inconsistent",
      remedy: "close the app, or inspect a copy made with all its files"
    )
  }

  /// Returns the finding for a store without a model.
  ///
  /// Stores of framework versions up to 641 have no table for the model, which is not an error.
  static func noModel(_ reason: String, hasTable: Bool) -> Finding {
    Finding(
      "noModel",
      hasTable ? .wrong : .note,
      place: "Z_MODELCACHE",
      message: "there is no model, so the tables cannot be read: \(reason)",
      remedy: "only entities are counted; to see the rest, inspect the app's .momd or .xcdatamodeld"
    )
  }

  /// The finding for a store that lacks a copy of its model although the given model matches it.
  static var noModelCache: Finding {
    Finding(
      "noModelCache",
      .note,
      place: "Z_MODELCACHE",
      message: "unlike stores of its framework, it does not contain its model",
      remedy: "pass the app's model with --model; whether Apple's frameworks need it is not known"
    )
  }

  static func gaveUp(_ place: String) -> Finding {
    Finding(
      "gaveUp",
      .wrong,
      place: place,
      message: "reading was stopped early: it took more work than any undamaged store of this size",
      remedy: "the figures are incomplete; recover the file with sqlite3 FILE .recover"
    )
  }

  static func unreadable(_ place: String, _ reason: String) -> Finding {
    Finding(
      "unreadable",
      .wrong,
      place: place,
      message: "not read to its end: \(reason)",
      remedy: "its figures are incomplete; recover the file with sqlite3 FILE .recover"
    )
  }
}

extension TableScan {
  /// The findings about violated rules, and about problems that prevented a complete scan.
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
          remedy: "keep such large values in files, and their paths in the store"
        )
      )
    }
    return findings
  }
}

extension AuditRule {
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

  var remedy: String {
    switch self {
    case .damaged: "recover it with sqlite3 FILE .recover, or go back to a backup"
    case .missingTable, .missingColumn:
      "the model does not fit the file: find the version of the app that wrote it"
    case .unexpectedTable:
      "find out which code added them; what Apple's frameworks do with them in a migration is not "
        + "known"
    case .unexpectedColumn:
      "find out which code added them; a migration drops columns that the model does not name"
    case .missingIndex: "let the app migrate the store: until then, fetches scan the whole table"
    case .wrongMetadata:
      "compare Z_METADATA with a backup: the frameworks use it to find the store's model"
    case .wrongModelCache: "restore Z_MODELCACHE: migrations without a model file need it"
    case .wrongEntityRow:
      "restore Z_PRIMARYKEY: without it, the objects of these entities cannot be identified"
    case .keyAboveMaximum:
      "raise Z_MAX to the largest key used, or the next insert takes a key that is in use"
    case .wrongEntityNumber: "these objects are never fetched: correct Z_ENT or remove them"
    case .wrongVersion: "set Z_OPT to 1, or the first save of these objects may conflict"
    case .wrongStorageClass, .valueOutOfRange:
      "rewrite the values with an app that has the model; until then a fetch converts them or fails"
    case .valueOfOtherEntity: "set them to NULL: the entity of these objects has no such property"
    case .missingValue: "add values before a migration: it validates them"
    case .duplicate: "remove duplicates before the constraint is added or relied on"
    case .danglingReference, .wrongTargetEntity:
      "set it to NULL: firing the fault throws (could not fulfil a fault)"
    case .missingReference: "saving such an object fails validation: give it a target"
    case .disagreeingInverse: "in the app, set both sides and save"
    case .danglingPair, .doubledPair: "delete these rows of the join table"
    case .wrongOrder, .equalOrder: "in the app, reorder the relationship once and save"
    case .malformedExternalData, .missingExternalFile, .emptyExternalFile:
      "the value is read as empty: restore the files in _EXTERNAL_DATA from a backup"
    case .sharedExternalFile:
      "copy the file for one of the owners; otherwise deleting one owner "
        + "removes the other owner's file"
    case .orphanedExternalFile: "delete them: nothing refers to them"
    case .changeWithoutTransaction, .transactionWithoutChange, .unknownChange,
      .wrongChangedColumns, .changeOutOfOrder, .danglingString:
      "purge the history (deleteHistory(before:)); code that reads it must then fetch everything again"
    case .changeOfMissingObject, .deletedObjectExists:
      "history and objects differ: code that reads history must fetch everything again"
    case .historyGap: "code whose history token is older than the gap must fetch everything again"
    }
  }
}
