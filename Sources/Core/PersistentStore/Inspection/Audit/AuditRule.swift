/// A rule of the store layout that SQL queries can check; nothing in the store enforces it.
package enum AuditRule: String, CaseIterable, Codable, Hashable, Sendable {
  // Rules about the file and its schema
  case damaged
  case missingTable
  case unexpectedTable
  case missingColumn
  case unexpectedColumn
  case missingIndex
  case wrongMetadata
  case wrongModelCache

  // Rules about entities and keys
  case wrongEntityRow
  case keyAboveMaximum
  case wrongEntityNumber
  case wrongVersion

  // Rules about attribute values
  case wrongStorageClass
  case valueOutOfRange
  case valueOfOtherEntity
  case missingValue
  case duplicate

  // Rules about relationships
  case danglingReference
  case wrongTargetEntity
  case missingReference
  case disagreeingInverse
  case danglingPair
  case doubledPair
  case wrongOrder
  case equalOrder

  // Rules about external data
  case malformedExternalData
  case missingExternalFile
  case emptyExternalFile
  case sharedExternalFile
  case orphanedExternalFile

  // Rules about the history
  case changeWithoutTransaction
  case transactionWithoutChange
  case unknownChange
  case wrongChangedColumns
  case changeOfMissingObject
  case deletedObjectExists
  case changeOutOfOrder
  case historyGap
  case danglingString

  /// A noun phrase that describes violations of the rule; a finding adds their number.
  package var words: String {
    switch self {
    case .damaged: "problems that integrity_check reports"
    case .missingTable: "tables missing"
    case .unexpectedTable: "tables that the model does not need"
    case .missingColumn: "columns missing"
    case .unexpectedColumn: "columns that the model does not need"
    case .missingIndex: "indexes missing"
    case .wrongMetadata: "errors in the metadata"
    case .wrongModelCache: "errors in the model cache"
    case .wrongEntityRow: "rows that are missing, duplicated or have a wrong entity name"
    case .keyAboveMaximum: "entities with a key above the maximum recorded for new keys"
    case .wrongEntityNumber: "objects without a concrete entity of the table"
    case .wrongVersion: "objects without a version of at least 1"
    case .wrongStorageClass: "values with a different storage class than the attribute"
    case .valueOutOfRange: "values that the attribute's type cannot have"
    case .valueOfOtherEntity: "values in objects whose entity has no such property"
    case .missingValue: "missing required values"
    case .duplicate: "duplicate values that must be unique"
    case .danglingReference: "references to objects that do not exist"
    case .wrongTargetEntity: "references with the wrong entity"
    case .missingReference: "missing required references"
    case .disagreeingInverse: "one-to-one references without a reference back"
    case .danglingPair: "pairs with objects that do not exist"
    case .doubledPair: "pairs that occur more than once"
    case .wrongOrder: "positions in an ordered relationship: missing, or without a parent"
    case .equalOrder: "objects with the same position under one parent"
    case .malformedExternalData: "values that are not external data"
    case .missingExternalFile: "external files missing"
    case .emptyExternalFile: "external files of no bytes"
    case .sharedExternalFile: "external files with more than one owner"
    case .orphanedExternalFile: "external files without an owner"
    case .changeWithoutTransaction: "changes without a transaction"
    case .transactionWithoutChange: "transactions without a change"
    case .unknownChange: "changes of an unknown kind or entity"
    case .wrongChangedColumns: "changes whose columns do not match their kind"
    case .changeOfMissingObject: "changed objects that no longer exist, without a recorded deletion"
    case .deletedObjectExists: "objects that exist although their deletion is recorded"
    case .changeOutOfOrder: "objects changed before their insertion or after their deletion"
    case .historyGap: "missing rows between the first and the last used key"
    case .danglingString: "transactions with a name that does not exist"
    }
  }
}
