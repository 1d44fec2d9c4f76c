/// For each parameter of each kind, the smallest known case in which the parameter has an effect.
enum ParameterCases {
  static let shown: [String: [ParameterCase]] = [
    "blobStorage": [
      ParameterCase(
        "objects: 12, objectsPerSave: 3, size: 2000",
        [
          "strategy: separateEntity", "operation: readMany", "durability: commit", "size: 3000",
          "objects: 20", "objectsPerSave: 4", "entity: Folder", "attribute: thumb",
        ]
      ),
      ParameterCase("operation: update, objects: 12, size: 2000", ["share: 0.25"]),
      ParameterCase(
        "operation: readOne, objects: 12, size: 2000, reads: 4",
        ["reads: 6", "engine: bareSQL", "passes: 3"]
      ),
      ParameterCase("operation: readPrefix, objects: 12, size: 20000, reads: 4", ["prefix: 100"]),
      ParameterCase("operation: readMany, objects: 12, size: 2000", ["batchSize: 4"]),
      ParameterCase(
        "operation: readMany, strategy: separateEntity, objects: 12, size: 2000",
        ["prefetchBlobs: false"]
      ),
      ParameterCase(
        "operation: list, strategy: externalStorage, objects: 12, size: 2000, "
          + "externalStorageThreshold: 1000",
        ["externalDataLoad: onFetch", "externalStorageThreshold: 5000"]
      ),
    ],
    "bulk": [
      ParameterCase(
        "stored: 40, held: 10",
        [
          "operation: delete", "strategy: objects", "engine: bareSQL", "stored: 50", "share: 0.25",
          "history: true", "held: 20", "merge: reset", "batchSearch: keys",
          "batchVersions: unchanged", "durability: commit", "entity: Folder",
        ]
      ),
      ParameterCase("strategy: objects, stored: 40, objectsPerSave: 10", ["objectsPerSave: 20"]),
    ],
    "cascadeDelete": [
      ParameterCase(
        "roots: 10, fanOut: 3, depth: 2",
        [
          "strategy: batchDelete", "shape: own", "childIndex: false", "share: 0.5",
          "rule: nullify", "depth: 3", "fanOut: 4", "roots: 12", "blob: 200000", "history: true",
          "rootsPerSave: 1", "toManyFault: rows",
        ]
      ),
      ParameterCase("rule: nullify, roots: 10, fanOut: 3, depth: 2", ["mandatory: true"]),
      ParameterCase("shape: own, entity: Folder", ["entity: Note"]),
      ParameterCase(
        "strategy: batchDelete, roots: 10, fanOut: 3, depth: 2",
        ["batchShape: orphanCleanup", "batchRules: ignored"]
      ),
      ParameterCase(
        "strategy: batchDelete, rule: nullify, roots: 10, fanOut: 3, depth: 2",
        ["batchVersions: raised"]
      ),
      ParameterCase(
        "strategy: batchDelete, rule: nullify, mandatory: true, roots: 10, fanOut: 3, depth: 2",
        ["batchMandatory: emptied"]
      ),
      ParameterCase(
        "strategy: batchDelete, blob: 200000, roots: 5, fanOut: 2, depth: 1",
        ["batchExternalFiles: left"]
      ),
    ],
    "coexistence": [
      ParameterCase(
        "rounds: 1, interval: 1, poll: 1",
        [
          "detection: attribute", "rounds: 2", "objects: 6", "added: 2", "purge: true",
          "entity: Note", "date: madeAt",
        ]
      ),
      ParameterCase("rounds: 1, interval: 1, poll: 1, added: 2", ["historyKeys: beforeSave"]),
    ],
    "counts": [
      ParameterCase(
        "strategy: derived, objects: 40, lists: 4, saves: 3",
        [
          "strategy: group", "derivation: statement", "objects: 50", "lists: 5", "saves: 4",
          "objectsPerSave: 2", "entity: Folder",
        ]
      )
    ],
    "fetch": [
      ParameterCase(
        "entity: Note",
        [
          "engine: bareSQL", "strategy: batched", "entity: Folder", "predicate: count < 5",
          "sort: [body]", "limit: 7", "offset: 7", "accessPattern: firstScreen",
          "attributes: [body]", "readsBlobs: false", "touchedShare: 1", "prefetch: [folder]",
        ]
      ),
      ParameterCase("entity: Note, strategy: batched, batchSize: 7", ["batchSize: 20"]),
      ParameterCase(
        "entity: Note, strategy: batched, batchSize: 7, accessPattern: randomJump",
        ["batchRetention: all"]
      ),
      ParameterCase(
        "entity: Note, predicate: count < 5",
        ["filter: memory", "indexes: false"],
        failing: ["matches: 50"]
      ),
      ParameterCase("entity: Note, sort: [body]", ["collation: localized"]),
      ParameterCase("entity: Note, touchedShare: 1", ["relationship: origin"]),
      ParameterCase("entity: Folder, touchedShare: 1, relationship: notes", ["toManyFault: rows"]),
      ParameterCase("entity: Note, attributes: [body]", ["externalDataLoad: onFetch"]),
    ],
    "firstLaunch": [
      ParameterCase(
        "to: +Note",
        [
          "strategy: onCopy", "shape: rebuild", "to: +Folder", "from: models/wider.yaml",
          "via: [models/wider.yaml]", "backup: copy", "stepsPerLaunch: 100", "free: 4",
        ]
      ),
      ParameterCase("to: +Note, backup: copy", ["check: counts"]),
      ParameterCase("to: +Note, strategy: onCopy", ["meanwhile: oldStore"]),
      ParameterCase("to: +Note, strategy: sideBySide", ["engine: objectGraph"]),
      ParameterCase("to: +Note, strategy: gradual", ["batchSize: 10"]),
      ParameterCase("to: +Note, free: 1", ["spaceCheck: true"]),
      ParameterCase(
        "to: models/narrower.yaml, dropped: allowed",
        [],
        failing: ["dropped: refused"]
      ),
    ],
    "history": [
      ParameterCase(
        "objects: 30, transactions: 5, older: 5, deleted: 2",
        [
          "operation: purge", "reader: everything", "transactions: 6", "older: 200", "changes: 4",
          "deleted: 3", "tombstones: false", "objects: 40", "historyFetch: eachTransaction",
          "entity: Folder",
        ]
      ),
      ParameterCase(
        "operation: purge, objects: 30, transactions: 5, older: 5, deleted: 2",
        ["historyPurge: eachTransaction"]
      ),
      ParameterCase(
        "operation: purge, objects: 30, transactions: 5, older: 200, deleted: 2",
        ["vacuum: true"]
      ),
      ParameterCase(
        "operation: grow, objects: 30, transactions: 5, older: 5, deleted: 2, saves: 6",
        ["saves: 7", "purgeEvery: 4"]
      ),
      ParameterCase(
        "operation: grow, objects: 30, transactions: 5, older: 5, deleted: 2, saves: 6, "
          + "purgeEvery: 4, behind: 3",
        ["behind: 1"]
      ),
    ],
    "import": [
      ParameterCase(
        "records: 60, present: 0.5, chunk: 20, links: 3",
        [
          "strategy: upsert", "engine: bareSQL", "records: 70", "present: 0.2", "chunk: 30",
          "index: plain", "columns: everything", "links: 5", "durability: commit",
          "entity: Folder",
        ]
      ),
      ParameterCase("strategy: upsert, records: 60, present: 0.5, chunk: 20", ["batchKeys: row"]),
    ],
    "migration": [
      ParameterCase(
        "to: +Note",
        [
          "strategy: onCopy", "shape: rebuild", "to: +Folder", "from: models/wider.yaml",
          "via: [models/wider.yaml]", "backup: copy", "thread: main",
        ]
      ),
      ParameterCase("to: +Note, backup: copy", ["rollback: true", "check: counts"]),
      ParameterCase(
        "to: +Note, strategy: sideBySide",
        ["engine: bareSQL", "batchSize: 10", "swap: true"]
      ),
      ParameterCase("to: +Note, strategy: sideBySide", ["history: on"], on: .withoutHistory),
      ParameterCase("to: +Note, strategy: staged", ["wrapper: true"]),
      ParameterCase(
        "to: models/unique.yaml, duplicates: merged",
        ["duplicates: removed", "children: cascaded"]
      ),
      ParameterCase("to: models/uniqueNotes.yaml, duplicates: merged", ["survivor: newest"]),
      ParameterCase(
        "to: models/required.yaml, strategy: sideBySide, onNil: skip",
        ["onNil: default"]
      ),
      ParameterCase(
        "to: models/narrower.yaml, dropped: allowed",
        [],
        failing: ["dropped: refused"]
      ),
      ParameterCase(
        "to: +Note, strategy: sideBySide, dropped: allowed",
        ["map: models/map.yaml"]
      ),
      ParameterCase(
        "to: +Note, strategy: mappingModel, map: models/code.xcmappingmodel, appCode: omitted, "
          + "dropped: allowed",
        [],
        failing: ["appCode: refused"]
      ),
      ParameterCase(
        "to: +Folder, strategy: customStage, entity: Note, attribute: changedAt",
        ["hook: willMigrate", "attribute: count", "entity: Card"]
      ),
      ParameterCase(
        "to: +Folder, strategy: customStage, entity: Note, attribute: count",
        ["transformation: zeroToOne"]
      ),
      ParameterCase(
        "to: models/beside.yaml, strategy: additive, entity: Card, attribute: plainTitle, "
          + "beside: title",
        ["beside: subtitle"]
      ),
    ],
    "replay": [
      ParameterCase(
        "log: replay.log",
        ["firstLine: 4", "lastLine: 6", "values: mapped", "scale: 3", "log: more.log"]
      ),
      ParameterCase("log: more.log", ["fix: repeated-fetch@25"]),
    ],
    "replicas": [
      ParameterCase(
        "entity: Card, changed: 0.2",
        [
          "engine: bareSQL", "entity: Note", "date: madeAt", "changed: 0.1",
          "conflicts: 0.4", "batchSize: 1",
        ]
      )
    ],
    "save": [
      ParameterCase(
        "objectsPerSave: 4, saves: 3, stored: 40",
        [
          "operation: update", "engine: bareSQL", "objectsPerSave: 5", "saves: 4", "stored: 50",
          "history: true", "blob: 200000", "durability: commit", "entity: Folder",
        ]
      ),
      ParameterCase(
        "operation: edit, edits: 60, stored: 40",
        ["edits: 70", "autosave: edit", "ending: crash"]
      ),
      ParameterCase(
        "operation: edit, edits: 60, stored: 40, autosave: count",
        ["autosaveCount: 30"]
      ),
      ParameterCase(
        "operation: edit, edits: 60, stored: 40, autosave: time",
        ["autosaveInterval: 2000"]
      ),
    ],
    "scenario": [
      ParameterCase(
        "steps: [{ insert: Note, objects: 5 }, save, { fetch: Note }]",
        [
          "steps: [{ insert: Note, objects: 6 }, save, { fetch: Note }]", "engine: bareSQL",
          "strategies: { thumb: separateEntity }", "strategies: { scan: file }",
        ]
      ),
      ParameterCase(
        "steps: [{ insert: Note, objects: 5, weight: 1 }, { fetch: Note, weight: 1 }], "
          + "operations: 5",
        ["operations: 6"]
      ),
    ],
    "search": [
      ParameterCase(
        "objects: 60, words: 5, searches: 12",
        [
          "strategy: words", "match: firstWord", "script: cyrillic", "objects: 70", "words: 30",
          "operation: save", "searches: 10", "entity: Folder",
        ]
      ),
      ParameterCase("objects: 300, words: 5, searches: 40", ["comparison: exact"]),
      ParameterCase(
        "operation: save, objects: 60, words: 5, saves: 3",
        ["saves: 4", "objectsPerSave: 2"]
      ),
    ],
    "sections": [
      ParameterCase(
        "objects: 40, sections: 5, screen: 5",
        [
          "operation: save", "strategy: memory", "by: day", "index: true", "objects: 50",
          "sections: 6", "screen: 10", "entity: Folder",
        ]
      ),
      ParameterCase("strategy: memory, objects: 40, sections: 5, screen: 5", ["engine: bareSQL"]),
      ParameterCase("by: day, objects: 40, sections: 5, screen: 5", ["dayKey: computed"]),
      ParameterCase(
        "operation: save, objects: 40, sections: 5, screen: 5, saves: 3",
        ["saves: 4", "objectsPerSave: 2"]
      ),
    ],
    "session": [
      ParameterCase(
        "actions: [launch, firstScreen, scroll: 30, search: 2, background], batchSize: 10, "
          + "screen: 8, entity: Note, relationship: folder",
        [
          "actions: [launch, firstScreen]", "engine: bareSQL", "context: reset", "held: objects",
          "batchSize: 20", "screen: 9", "relationship: origin", "prefetch: false",
          "sort: [body]", "batchRetention: all",
        ]
      ),
      ParameterCase(
        "actions: [launch, firstScreen, edit: 3], entity: Note",
        ["entity: Folder", "edited: count"]
      ),
      ParameterCase("actions: [launch, search: 3], entity: Card", ["searched: title"]),
    ],
  ]

  /// Cases on which settings have an effect, for kinds whose example is too small or only reads.
  static let settings = [
    "fetch": "entity: Note, strategy: batched, batchSize: 7",
    "search": "operation: save, objects: 60, words: 5, saves: 3",
    "sections": "operation: save, objects: 400, sections: 5, screen: 5, saves: 3",
  ]

  /// Parameters whose effect no comparison of counters can detect, with the reason.
  static let unseen: [String: [String: String]] = [
    "blobStorage": ["batchRetention": "what is kept in memory, which is no exact counter"],
    "coexistence": [
      "role": "is set by the process that starts the others, and refused in a file",
      "interval": "a pause, so time only",
      "poll": "a pause, so time only",
      "shared": "work of the other process, whose counters are not those of the case",
      "identity": "which of two unique attributes the other process looks up",
    ],
    "replicas": ["identity": "which of several unique attributes finds an object, at one cost"],
    "search": ["searchFunction": "how bytes are compared, with the same matches: time only"],
  ]
}
