import PersistentStore
import SQLite

extension StoreMutation {
  static let history = [
    change("a change missing from the history", "DELETE FROM ACHANGE WHERE Z_PK = ~"),
    change(
      "a change of the wrong kind",
      "UPDATE ACHANGE SET ZCHANGETYPE = (ZCHANGETYPE + 1) % 3 WHERE Z_PK = ~"
    ),
    change(
      "a change of the wrong object",
      "UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + 100000 WHERE Z_PK = ~"
    ),
    change(
      "a change without a transaction",
      "UPDATE ACHANGE SET ZTRANSACTIONID = 999999999 WHERE Z_PK = ~"
    ),
    StoreMutation("a transaction missing", .history) { site in
      guard let key = try key(in: "ATRANSACTION", site) else { return false }
      return try site.change("DELETE FROM ATRANSACTION WHERE Z_PK = \(key)")
    },
    StoreMutation("a transaction missing with its changes", .history) { site in
      guard let key = try key(in: "ATRANSACTION", site) else { return false }
      try site.connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = \(key)")
      return try site.change("DELETE FROM ATRANSACTION WHERE Z_PK = \(key)")
    },
    StoreMutation("a transaction whose author's name is gone", .history) { site in
      guard site.layout.keepsHistory else { return false }
      return try site.change(
        "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK IN (SELECT ZAUTHORTS FROM ATRANSACTION "
          + "UNION SELECT ZBUNDLEIDTS FROM ATRANSACTION UNION SELECT ZPROCESSIDTS "
          + "FROM ATRANSACTION)"
      )
    },
    StoreMutation("Z_MAX too low for the history", .history) { site in
      guard try key(in: "ACHANGE", site) != nil else { return false }
      return try site.change("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX - 1 WHERE Z_ENT = 16001")
    },
  ]

  /// A mutation of one row of `ACHANGE`; `~` in `sql` is replaced by the row's key.
  private static func change(_ name: String, _ sql: String) -> StoreMutation {
    StoreMutation(name, .history) { site in
      guard let key = try key(in: "ACHANGE", site) else { return false }
      return try site.change(sql.replacing("~", with: "\(key)"))
    }
  }

  private static func key(in table: String, _ site: MutationSite) throws -> Int64? {
    guard site.layout.keepsHistory else { return nil }
    return try site.key(in: table, where: "true")
  }
}
