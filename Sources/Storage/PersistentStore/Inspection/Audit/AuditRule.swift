/// A rule of the layout that plain SQL can check: nothing in the file itself enforces it.
package enum AuditRule: String, CaseIterable, Codable, Hashable, Sendable {
  // The file and its schema
  case damaged
  case missingTable
  case unexpectedTable
  case missingColumn
  case unexpectedColumn
  case missingIndex
  case wrongMetadata
  case wrongModelCache

  // Entities and keys
  case wrongEntityRow
  case keyAboveMaximum
  case wrongEntityNumber
  case wrongVersion

  // Values
  case wrongStorageClass
  case valueOutOfRange
  case valueOfOtherEntity
  case missingValue
  case duplicate

  // Relationships
  case danglingReference
  case wrongTargetEntity
  case missingReference
  case disagreeingInverse
  case danglingPair
  case doubledPair
  case wrongOrder
  case equalOrder

  // External data
  case malformedExternalData
  case missingExternalFile
  case emptyExternalFile
  case sharedExternalFile
  case orphanedExternalFile

  // History
  case changeWithoutTransaction
  case transactionWithoutChange
  case unknownChange
  case wrongChangedColumns
  case changeOfMissingObject
  case deletedObjectExists
  case changeOutOfOrder
  case historyGap
  case danglingString

  /// What is wrong where the rule is broken, to follow a count.
  package var words: String {
    switch self {
    case .damaged: "problems that integrity_check reports"
    case .missingTable: "tables missing"
    case .unexpectedTable: "tables that the model does not ask for"
    case .missingColumn: "columns missing"
    case .unexpectedColumn: "columns that the model does not ask for"
    case .missingIndex: "indexes missing"
    case .wrongMetadata: "faults of the metadata"
    case .wrongModelCache: "faults of the model cache"
    case .wrongEntityRow: "rows that are missing, doubled or do not name the model's entity"
    case .keyAboveMaximum: "entities with a key above the maximum recorded for new keys"
    case .wrongEntityNumber: "objects of no concrete entity of the table"
    case .wrongVersion: "objects without a version of at least 1"
    case .wrongStorageClass: "values of another storage class than the attribute's"
    case .valueOutOfRange: "values that the attribute's type cannot have"
    case .valueOfOtherEntity: "values in objects whose entity has no such property"
    case .missingValue: "required values missing"
    case .duplicate: "values that must be unique and are not"
    case .danglingReference: "references to objects that do not exist"
    case .wrongTargetEntity: "references to objects of another entity than stated"
    case .missingReference: "mandatory references missing"
    case .disagreeingInverse: "one-to-one references that the other side does not return"
    case .danglingPair: "pairs with an object that does not exist"
    case .doubledPair: "pairs that are there more than once"
    case .wrongOrder: "places missing, or given where there is no parent"
    case .equalOrder: "places shared under one parent"
    case .malformedExternalData: "values that are no external data"
    case .missingExternalFile: "external files missing"
    case .emptyExternalFile: "external files of no bytes"
    case .sharedExternalFile: "external files with more than one owner"
    case .orphanedExternalFile: "external files without an owner"
    case .changeWithoutTransaction: "changes without a transaction"
    case .transactionWithoutChange: "transactions without a change"
    case .unknownChange: "changes of an unknown kind or entity"
    case .wrongChangedColumns: "changes whose columns do not fit their kind"
    case .changeOfMissingObject: "changed objects that are gone without a deletion"
    case .deletedObjectExists: "deleted objects that exist"
    case .changeOutOfOrder: "objects changed before their insertion or after their deletion"
    case .historyGap: "rows missing between the first key and the last one handed out"
    case .danglingString: "transactions with a name that does not exist"
    }
  }
}
