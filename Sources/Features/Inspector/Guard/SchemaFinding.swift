import SwiftModels

/// A rule of `storebench schema check`.
package enum SchemaRule: String, CaseIterable, Sendable {
  case shippedVersionChanged
  case shippedVersionMissing
  case currentDiffers
  case equalVersions
  case repeatedIdentifier
  case notFrozen
  case versionNotInPlan
  case stageMissing
  case stageOutOfOrder
  case notLightweight
  case newUniqueConstraint
  case indexAlone
  case lightweightPlan
  case planNotUsed
  case noVersions
  case cloudKit
  case enumValueChanged
  case storeUnknown
  case dataDropped
  case storeTables
  case storeUnreadable

  /// The consequence for an app in one sentence.
  package var reason: String {
    switch self {
    case .shippedVersionChanged, .shippedVersionMissing, .currentDiffers, .storeUnknown:
      "With a migration plan, SwiftData refuses a store that no version describes: 'Cannot use "
        + "staged migration with an unknown model version' (134504)."
    case .equalVersions:
      "SwiftData refuses a plan with two versions of one identity: 'Duplicate version checksums'."
    case .repeatedIdentifier: "One identifier must name one shape."
    case .notFrozen: "An edit of a type that versions share edits all of them at once."
    case .versionNotInPlan, .stageMissing, .stageOutOfOrder:
      "Stores of a version from which no stage leads on cannot be opened."
    case .notLightweight:
      "A lightweight stage fails if the change needs code, or leaves what is required empty."
    case .newUniqueConstraint: "A unique constraint fails or drops objects if values repeat."
    case .indexAlone: "An index alone does not migrate a shipped store, so it does not get it."
    case .lightweightPlan: "A plan whose stages are all lightweight may skip stages."
    case .planNotUsed: "A plan that no container names migrates nothing."
    case .noVersions: "The first change that cannot be inferred leaves shipped stores unopened."
    case .cloudKit: "CloudKit refuses the model, or later changes of it."
    case .enumValueChanged:
      "Stores are assumed to hold raw values: one that now means another case, or none, is misread."
    case .dataDropped: "What a migration drops cannot be brought back without a backup."
    case .storeTables: "Metadata of one version over tables of another fails at the first fetch."
    case .storeUnreadable: "The store was not checked."
    }
  }
}

/// A violation of a rule.
package struct SchemaFinding: Hashable, Sendable {
  package enum Severity: String, Sendable, Encodable {
    /// The problem makes the check fail.
    case error
    case warning
    /// The problem is uncertain.
    ///
    /// A value is assumed, or it is not known whether a version's identity changes.
    case notKnown
  }

  package let rule: SchemaRule
  package let severity: Severity
  package let message: String
  /// The recommended solution.
  package let advice: String
  package let place: SourcePlace?

  package init(
    _ rule: SchemaRule,
    _ severity: Severity,
    _ message: String,
    advice: String,
    at place: SourcePlace?
  ) {
    (self.rule, self.severity) = (rule, severity)
    (self.message, self.advice, self.place) = (message, advice, place)
  }
}
