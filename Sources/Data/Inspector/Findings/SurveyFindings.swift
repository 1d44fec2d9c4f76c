import PersistentStore

/// What the figures of a survey say is risky, though no rule is broken.
struct SurveyFindings {
  let survey: StoreSurvey

  var all: [Finding] { opening + blobs + keys + space + history + model }

  private var opening: [Finding] {
    guard let first = survey.metadata.missingForOpening.first else { return [] }
    let count = survey.metadata.missingForOpening.count
    return [
      Finding(
        "incompleteMetadata",
        .note,
        place: "Z_METADATA",
        count: Int64(count),
        message: "Apple's frameworks will not open it as it is: it lacks \(first)"
          + (count > 1 ? " and \(count - 1) more" : ""),
        remedy: "generate it with --version-info, from the app's VersionInfo.plist or a store"
      )
    ]
  }

  /// Under 100 KB in the row, up to 1 MB in an entity of their own, files beyond.
  private var blobs: [Finding] {
    survey.entities.flatMap { entity in
      entity.attributes.compactMap { attribute in
        guard attribute.blobsOver100KB > 0 else { return nil }
        let large = attribute.blobsOver1MB
        let place = "\(entity.name).\(attribute.name)"
        let message =
          large > 0
          ? "values of more than 100 KB in the row, \(large) of them of more than 1 MB"
          : "values of more than 100 KB in the row: each fetch of the object reads them"
        return Finding(
          "largeBlob",
          .risk,
          place: place,
          count: Int64(attribute.blobsOver100KB),
          message: message,
          remedy: large > 0
            ? "keep those over 1 MB in files with their paths here, others in an entity of their own"
            : "move the attribute to an entity of its own, reached by a to-one"
        )
      }
    }
  }

  private var keys: [Finding] {
    survey.entities.flatMap { entity in
      entity.keys.compactMap { key in
        // A constraint that is broken has its own rule.
        guard !key.isConstraint, key.surplus > 0, key.surplus * 5 < key.count else { return nil }
        return Finding(
          "duplicateKey",
          .risk,
          place: "\(entity.name).\(key.properties.joined(separator: "+"))",
          count: key.surplus,
          message: "objects share the value of another one: \(key.duplicatedValues) values occur "
            + "more than once, one of them \(key.largestGroup) times",
          remedy: "remove duplicates before a unique constraint is added: the migration would fail"
        )
      }
    }
  }

  private var space: [Finding] {
    let free = survey.space.freeBytes
    guard free > 1 << 20, free * 4 > survey.bytes else { return [] }
    return [
      Finding(
        "freePages",
        .note,
        place: "file",
        count: free / Int64(max(1, survey.file.pageSize)),
        message: "free pages, \(free * 100 / max(1, survey.bytes)) % of the file",
        remedy: "NSSQLiteManualVacuumOption, or a migration, gives them back to the disk"
      )
    ]
  }

  private var history: [Finding] {
    guard let history = survey.history, let bytes = history.bytes, bytes > 4 << 20,
      bytes * 3 > survey.bytes
    else { return [] }
    return [
      Finding(
        "largeHistory",
        .risk,
        place: "ACHANGE",
        count: history.changes,
        message: "changes of history take \(bytes * 100 / max(1, survey.bytes)) % of the file",
        remedy: "delete history that every reader has seen (deleteHistory(before:))"
      )
    ]
  }

  private var model: [Finding] {
    guard let first = survey.unknownInModel.first else { return [] }
    return [
      Finding(
        "unknownInModel",
        .note,
        place: "Z_MODELCACHE",
        count: Int64(survey.unknownInModel.count),
        message: "parts of the model are not understood, such as \(first)",
        remedy: "they are not used here; report them with the version of the framework"
      )
    ]
  }
}
