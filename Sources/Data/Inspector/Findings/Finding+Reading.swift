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
