import DataModel
import GRDBEngine
import PersistentStore
import Runner

/// What a migration would lose, found before anything is touched.
extension MigrationWorkload {
  /// What a store of somebody's own holds goes only where that is asked for.
  static func checkDropped(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ models: [Model],
    _ store: StoreOffer
  ) {
    var allowed: String?
    fit.require {
      let losses = try models.map(store.dropped)
      guard let dropped = losses.first(where: { !$0.isEmpty }) else { return }
      guard parameters.dropped == .allowed else {
        throw MigrationCaseError.losesValues(to: parameters.to, dropped)
      }
      allowed = MigrationCaseError.words(dropped)
    }
    if let allowed { fit.note("dropped as allowed: \(allowed)") }
  }

  /// Copies carry neither values of another type nor relationships that lead elsewhere.
  static func checkCarried(
    _ fit: inout CaseFit,
    _ parameters: MigrationParameters,
    _ mapping: MappingModel
  ) {
    let lost = mapping.obstacles.filter { parameters.engine != .objectGraph || $0.stopsObjects }
    if !lost.isEmpty { fit.ruleOut("\(MigrationCaseError.notCarried(lost))") }
    if parameters.engine == .grdb { fit.require { try RowCopy(mapping).check() } }
  }

  /// A version on the way may drop what the direct step keeps.
  static func checkChain(_ fit: inout CaseFit, _ mapping: MappingModel, through between: [Model]) {
    fit.require {
      let versions = (between + [mapping.destination]).map {
        VersionPlan.Version(name: "", model: $0)
      }
      let source = StoreLayout(model: mapping.source, keepsHistory: false)
      try MigrationRoute(from: source, through: versions, shape: .inPlace).check(against: mapping)
    }
  }
}

extension RowCopy {
  /// Enough of a copy to see whether it can be made.
  fileprivate init(_ mapping: MappingModel) {
    self.init(
      mapping: mapping,
      source: StoreLayout(model: mapping.source, keepsHistory: false),
      destination: StoreLayout(model: mapping.destination, keepsHistory: false),
      batchSize: 0
    )
  }
}

extension MigrationObstacle {
  /// Whether copies of objects meet it as well: they fill what is required and read files, but turn
  /// no value into another type and lead no relationship elsewhere.
  fileprivate var stopsObjects: Bool {
    switch self {
    case .retyped, .toManyMadeToOne, .retargeted, .hierarchiesMerged, .ambiguous: true
    case .requiredWithoutDefault, .requiredRelationship, .externalStorageGivenUp: false
    }
  }
}
