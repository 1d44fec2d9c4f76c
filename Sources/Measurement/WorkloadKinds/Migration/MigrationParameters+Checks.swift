import PersistentStore
import Runner

/// What a case's parameters mean together.
extension MigrationParameters {
  /// Whether the objects end in a store of their own.
  var leavesNewStore: Bool {
    strategy == .sideBySide || strategy == .exportImport || strategy == .gradual
  }

  /// Whether the store's own file is migrated by inferred mappings.
  var isInPlace: Bool {
    [.lightweight, .customStage, .staged, .additive].contains(strategy)
  }

  /// Whether the case is about archives in a Transformable attribute.
  var archives: Bool { strategy == .customStage && transformation == .codableJSON }

  /// Whether any object passes through the engine named.
  var usesEngine: Bool {
    leavesNewStore || strategy == .customStage || strategy == .additive || duplicates == .merged
  }

  /// What merging leaves, for the name of the end state: like cases reach one content.
  var mergeWords: String {
    var words = "merged into the \(survivor.rawValue)"
    if survivor == .newest, !newestBy.isEmpty { words += " by \(newestBy)" }
    return children == .moved ? words : words + ", children left to cascades"
  }

  package var irrelevant: Set<ParameterName> {
    var names: Set<ParameterName> = []
    if !usesEngine { names.insert($engine) }
    let isBatched = usesEngine && engine != .bareSQL
    if !isBatched { names.formUnion([$saves, $batchSize]) }
    if strategy == .gradual { names.insert($saves) }
    if !leavesNewStore { names.formUnion([$onNil, $history, $swaps]) }
    if strategy != .exportImport { names.insert($export) }
    if !isInPlace { names.formUnion([$shape, $path]) }
    if strategy == .staged { names.insert($path) } else { names.insert($wrapper) }
    if path == .direct || !isInPlace, strategy != .staged { names.insert($via) }
    if strategy != .customStage { names.insert($hook) }
    if strategy != .customStage, strategy != .additive {
      names.formUnion([$entity, $attribute, $transformation])
    }
    if strategy == .additive { names.insert($saves) } else { names.insert($beside) }
    if duplicates != .merged { names.formUnion([$survivor, $newestBy, $children]) }
    if survivor != .newest { names.insert($newestBy) }
    return names
  }

  package var impossibility: String? {
    if from == to, !to.isEmpty {
      return "'\(to)' is where the store starts already: name another model"
    }
    if rollsBack, backup == .none {
      return "a rollback needs a backup: set 'backup' to another value than 'none'"
    }
    if engine == .grdb, strategy != .sideBySide {
      return "GRDB copies rows side by side only: use the strategy 'sideBySide'"
    }
    return impossibleMerge ?? impossiblePath ?? impossibleCopy ?? impossibleCheck
  }

  private var impossibleCopy: String? {
    if transformation == .codableJSON, strategy == .customStage, engine != .objectGraph {
      return "archives are read by code, not by SQL: use the engine 'objectGraph'"
    }
    if transformation == .codableJSON, strategy == .additive {
      return "an archive is not kept beside its JSON: use the strategy 'customStage'"
    }
    if strategy == .additive, engine != .objectGraph {
      return "a backfill beside an app that reads goes through its objects: use 'objectGraph'"
    }
    if strategy == .additive, path == .chain {
      return "an additive migration is one step: use 'path: direct'"
    }
    if strategy == .additive, duplicates != .ignored {
      return "an additive migration adds no unique constraint: use 'duplicates: ignored'"
    }
    let isByObjects = leavesNewStore && engine == .objectGraph
    if strategy == .exportImport, engine != .objectGraph {
      return "an export is written from objects and read into them: use the engine 'objectGraph'"
    }
    if strategy == .gradual, engine != .objectGraph {
      return "a gradual migration saves record by record: use the engine 'objectGraph'"
    }
    if strategy == .gradual, duplicates == .failing {
      return "a gradual migration updates what it finds, so that duplicates do not fail: "
        + "use 'duplicates: upserted'"
    }
    if leavesNewStore, onNil != .fail, !isByObjects {
      return "SQL copies missing values as they are: use the engine 'objectGraph' for 'onNil'"
    }
    if duplicates == .upserted, !isByObjects {
      return "only objects that are inserted into a new store are merged in silence: use the "
        + "engine 'objectGraph' and the strategy 'sideBySide', 'exportImport' or 'gradual'"
    }
    return nil
  }

  private var impossibleCheck: String? {
    guard check != .none else { return nil }
    if isInPlace, backup == .none {
      return "nothing is left to check a migration in its own file against: set 'backup'"
    }
    if children == .cascaded, duplicates == .merged {
      return "a check finds the children that cascades took: use 'check: none'"
    }
    return nil
  }

  private var impossibleMerge: String? {
    guard duplicates == .merged else { return nil }
    if engine == .grdb { return "GRDB's rows are not merged: use 'duplicates: removed'" }
    if children == .cascaded, engine == .bareSQL {
      return "SQL follows no delete rules: use the engine 'objectGraph' for 'children: cascaded'"
    }
    return nil
  }

  private var impossiblePath: String? {
    guard isInPlace else { return nil }
    if path == .chain, strategy != .staged {
      if via.isEmpty { return "a chain needs versions on its way: name them in 'via'" }
      if via.contains(to) || via.contains(from) {
        return "'via' names the versions between the first and the last, neither of the two"
      }
      if duplicates == .failing {
        return "a chain that fails at its end has migrated the store before: use 'path: direct'"
      }
    }
    return nil
  }
}
