/// An assumed behavior of Apple's code, and a test that shows the behavior in its log.
package struct BehaviourProbe: Sendable {
  /// The way in which a log shows the value of the behavior.
  package enum Sign: Sendable {
    /// The test detects the value and prints it.
    case printed
    /// A rule finds the value in the test's statements, in uppercase with single spaces; it returns
    /// `nil` if they do not show the value.
    case statements(@Sendable ([String]) -> String?)
    /// No log can show the value, for the given reason.
    case nothing(String)
  }

  /// The name under which cases declare the behavior, such as `batchRetention`.
  package let name: String
  /// The values that the behavior can have.
  package let values: [String]
  package let sign: Sign
  let preparation: String
  let steps: String

  private init(
    _ name: String,
    _ values: [String],
    _ sign: Sign,
    _ before: String = "",
    _ steps: String = ""
  ) {
    (self.name, self.values, self.sign) = (name, values, sign)
    (preparation, self.steps) = (before, steps)
  }

  /// All behaviors that cases assume and that Apple's code may not have.
  package static let all =
    [
      BehaviourProbe(
        "lightweightMigration",
        ["inPlace", "rebuild"],
        .statements { all in
          let columns = all.contains { $0.hasPrefix("ALTER TABLE ZNOTE ADD") }
          let copies = all.contains {
            $0.hasPrefix("INSERT INTO ") && $0.contains(" SELECT ") && $0.contains("ZNOTE")
          }
          return columns == copies ? nil : columns ? "inPlace" : "rebuild"
        },
        "try kit.close()",
        "try kit.open(Kit.model(addsAttribute: true))"
      ),
      BehaviourProbe(
        "batchRetention",
        ["current", "all"],
        // The test reads the objects of ten batches twice; a batch that was not retained is fetched
        // again.
        .statements { all in
          let batches = all.count { $0.contains("FROM ZNOTE") && $0.contains("Z_PK IN") }
          return batches < 10 ? nil : batches == 10 ? "all" : batches >= 20 ? "current" : nil
        },
        """
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.fetchBatchSize = 10
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        """,
        """
        let notes = try kit.context.fetch(request)
        for _ in 1...2 {
          for place in notes.indices {
            autoreleasepool { _ = notes[place].value(forKey: "title") }
          }
        }
        """
      ),
      BehaviourProbe(
        "toManyFault",
        ["keys", "rows"],
        .statements { all in
          let reads = all.filter {
            $0.hasPrefix("SELECT") && $0.contains("FROM ZNOTE") && $0.contains("ZFOLDER = ?")
          }
          guard let first = reads.first else { return nil }
          return first.hasPrefix("SELECT 0, T0.Z_PK FROM") ? "keys" : "rows"
        },
        "let folder = try kit.folder()",
        "_ = (folder.value(forKey: \"notes\") as? NSSet)?.count"
      ),
      BehaviourProbe(
        "externalDataLoad",
        ["onFetch", "onAccess"],
        .printed,
        """
        try kit.addPhoto()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "photo != nil")
        request.returnsObjectsAsFaults = false
        """,
        """
        let note = try kit.context.fetch(request).first
        for file in kit.externalFiles { try FileManager.default.removeItem(at: file) }
        let photo = note?.value(forKey: "photo") as? Data
        kit.print(photo?.count == Kit.photoBytes ? "onFetch" : "onAccess")
        """
      ),
      BehaviourProbe(
        "derivation",
        ["triggers", "statement"],
        .statements { all in
          let own = all.contains { $0.hasPrefix("UPDATE ZFOLDER SET ZCOUNT = (SELECT") }
          let triggers = all.contains { $0.hasPrefix("CREATE TRIGGER") && $0.contains("ZFOLDER") }
          return own == triggers ? nil : own ? "statement" : "triggers"
        },
        "try kit.close(deletes: true)",
        """
        try kit.open(Kit.model(countsNotes: true))
        try kit.fill(1)
        try kit.fill(1)
        """
      ),
    ] + batches + history + [
      BehaviourProbe(
        "searchFunction",
        ["foundation", "bytes"],
        .nothing("a log names the function, and not how it compares")
      ),
      BehaviourProbe(
        "merge",
        ["none", "objectIDs", "history", "reset"],
        .nothing("the app chooses it itself")
      ),
    ]

  private static let folders =
    "let folders = NSFetchRequest<any NSFetchRequestResult>(entityName: \"Folder\")"
  private static let deletion =
    "_ = try kit.context.execute(NSBatchDeleteRequest(fetchRequest: folders))"

  private static let batches = [
    BehaviourProbe(
      "batchRules",
      ["followed", "ignored"],
      .printed,
      folders,
      deletion + "\nkit.print(try kit.count(\"Note\") == 0 ? \"followed\" : \"ignored\")"
    ),
    BehaviourProbe(
      "batchShape",
      ["byLevel", "orphanCleanup"],
      .statements { all in
        guard let roots = all.firstIndex(where: { $0.hasPrefix("DELETE FROM ZFOLDER") }),
          let notes = all.firstIndex(where: { $0.hasPrefix("DELETE FROM ZNOTE") })
        else { return nil }
        // The cleanup of orphans (objects that have lost their owner) runs in a separate
        // transaction after the request's transaction.
        let between = all[min(roots, notes)...max(roots, notes)]
        return between.contains { $0.hasPrefix("COMMIT") }
          ? roots < notes ? "orphanCleanup" : nil : "byLevel"
      },
      folders,
      deletion
    ),
    BehaviourProbe(
      "batchMandatory",
      ["refused", "emptied"],
      .printed,
      "try kit.close(deletes: true)\ntry kit.open(Kit.model(isMandatory: true))\ntry kit.fill(10)\n"
        + folders,
      """
      do {
        \(deletion)
        if try kit.count("Note") == 10 { kit.print("emptied") }
      } catch { kit.print("refused") }
      """
    ),
    BehaviourProbe(
      "batchVersions",
      ["unchanged", "raised"],
      .statements { all in
        let updates = all.filter { $0.hasPrefix("UPDATE ZNOTE SET") }
        let raising = updates.count { $0.contains("Z_OPT =") || $0.contains("Z_OPT=") }
        return updates.isEmpty
          ? nil : raising == updates.count ? "raised" : raising == 0 ? "unchanged" : nil
      },
      update,
      "_ = try kit.context.execute(batch)"
    ),
    BehaviourProbe(
      "batchExternalFiles",
      ["removed", "left"],
      .printed,
      "try kit.addPhoto()\nlet before = kit.externalFiles.count\nlet notes = NSFetchRequest<any NSFetchRequestResult>(entityName: \"Note\")",
      """
      _ = try kit.context.execute(NSBatchDeleteRequest(fetchRequest: notes))
      if before > 0 { kit.print(kit.externalFiles.isEmpty ? "removed" : "left") }
      """
    ),
    BehaviourProbe(
      "batchSearch",
      ["condition", "keys"],
      .statements { all in
        guard let found = all.first(where: { $0.hasPrefix("UPDATE ZNOTE SET") }) else { return nil }
        let condition = found.firstRange(of: " WHERE ").map { found[$0.upperBound...] } ?? ""
        return condition.contains("ZNUMBER")
          ? "condition" : condition.contains("Z_PK") ? "keys" : nil
      },
      update,
      "_ = try kit.context.execute(batch)"
    ),
    BehaviourProbe(
      "batchKeys",
      ["request", "row"],
      .statements { all in
        let rows = all.count { $0.hasPrefix("INSERT") && $0.contains("INTO ZNOTE") }
        // Updates of Z_PRIMARYKEY also reserve keys for history rows, so a single request causes a
        // few such updates.
        let keys = all.count { $0.hasPrefix("UPDATE") && $0.contains("Z_PRIMARYKEY") }
        return rows < 20 || keys == 0 ? nil : keys >= rows ? "row" : keys <= 4 ? "request" : nil
      },
      "let rows = (0..<20).map { [\"title\": \"new\", \"number\": 1000 + $0] as [String: Any] }",
      "_ = try kit.context.execute(NSBatchInsertRequest(entityName: \"Note\", objects: rows))"
    ),
  ]

  private static let update = """
    let batch = NSBatchUpdateRequest(entityName: "Note")
    batch.predicate = NSPredicate(format: "number < 50")
    batch.propertiesToUpdate = ["title": "changed"]
    """

  private static let history = [
    BehaviourProbe(
      "historyKeys",
      ["beforeSave", "inSave"],
      .statements { all in
        guard
          let row = all.firstIndex(where: {
            $0.hasPrefix("INSERT INTO ATRANSACTION(") || $0.hasPrefix("INSERT INTO ATRANSACTION (")
          }),
          let start = all[..<row].lastIndex(where: { $0.hasPrefix("BEGIN") }),
          all.contains(where: { $0.hasPrefix("UPDATE") && $0.contains("Z_PRIMARYKEY") })
        else { return nil }
        let isInside = all[start..<row].contains { $0.contains("Z_PRIMARYKEY") }
        return isInside ? "inSave" : "beforeSave"
      },
      "",
      "try kit.fill(1)"
    ),
    BehaviourProbe(
      "historyFetch",
      ["together", "eachTransaction"],
      .statements { all in
        ofEach(all.count { $0.hasPrefix("SELECT") && $0.contains("FROM ACHANGE") })
      },
      "for _ in 1...5 { try kit.fill(1) }",
      "_ = try kit.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))"
    ),
    BehaviourProbe(
      "historyPurge",
      ["together", "eachTransaction"],
      .statements { all in ofEach(all.count { $0.hasPrefix("DELETE FROM ACHANGE") }) },
      "for _ in 1...5 { try kit.fill(1) }",
      "_ = try kit.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))"
    ),
  ]

  /// Returns whether the changes of six transactions are handled together or one by one, judging by
  /// the number of statements; `nil` if the number shows neither.
  private static func ofEach(_ statements: Int) -> String? {
    statements == 1 ? "together" : statements >= 5 ? "eachTransaction" : nil
  }
}
