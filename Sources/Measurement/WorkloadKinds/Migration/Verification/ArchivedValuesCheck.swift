import DataModel
import Foundation
import PersistentStore
import SQLite

/// Checks archives that were turned into JSON, read by Foundation's own readers of both.
struct ArchivedValuesCheck {
  let session: MigrationSession
  let original: StoreContent

  /// The first few values that do not say the same.
  func findings() throws -> [String] {
    guard let stage = session.stage, stage.transformation == .codableJSON,
      let mapping = session.mapping.mapping(to: stage.destinationEntity),
      let entity = mapping.source,
      let former = mapping.attributes.first(where: {
        $0.destination.name == stage.destinationAttribute
      })?.source?.name
    else { return [] }
    let actual = try StoreContent(store: session.result, layout: session.destination)
    let before = try values(of: former, entity, in: original)
    let after = try values(of: stage.destinationAttribute, stage.destinationEntity, in: actual)
    var findings: [String] = []
    while findings.count < 5 {
      let (archive, json) = (try before(), try after())
      guard let archive, let json, archive.key == json.key else {
        // The comparison of the contents tells what is missing.
        return findings
      }
      if !isSame(archive.bytes, json.bytes) {
        findings.append("\(entity) \(archive.key) has other values in '\(former)' than its archive")
      }
    }
    return findings
  }

  private func values(
    of attribute: String,
    _ entity: String,
    in content: StoreContent
  ) throws -> () throws -> (key: Int64, bytes: [UInt8]?)? {
    let column = content.layout.column(of: attribute, in: entity)?.name ?? ""
    let numbers =
      content.layout.model.entity(named: entity)
      .map { content.layout.model.family(of: $0) }?
      .compactMap { content.layout.numbers[$0.name] }.map(String.init) ?? []
    let row = try content.connection.prepare(
      "SELECT Z_PK, \(column.quotedName) FROM \(try content.table(of: entity).name.quotedName) "
        + "WHERE Z_ENT IN (\(numbers.joined(separator: ", "))) ORDER BY Z_PK"
    )
    return {
      guard try row.step() else { return nil }
      return (row.integer(at: 0), row.isNull(at: 1) ? nil : row.blob(at: 1))
    }
  }

  private func isSame(_ archive: [UInt8]?, _ json: [UInt8]?) -> Bool {
    guard let archive, let json else { return archive == json }
    let classes: [AnyClass] = [
      NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      NSNull.self,
    ]
    guard
      let object = try? NSKeyedUnarchiver.unarchivedObject(
        ofClasses: classes,
        from: Data(archive)
      )
    else { return archive == json }
    guard
      let other = try? JSONSerialization.jsonObject(
        with: Data(json),
        options: .fragmentsAllowed
      )
    else { return false }
    return Self.plain(object) == Self.plain(other)
  }

  /// A value as text, dates as their seconds and data as base64; both readers' own types.
  private static func plain(_ value: Any) -> String {
    switch value {
    case let date as NSDate: number(date.timeIntervalSinceReferenceDate)
    case let data as NSData: "\"" + data.base64EncodedString(options: []) + "\""
    case let values as NSArray: "[" + values.map(plain).joined(separator: ",") + "]"
    case let values as [Any]: "[" + values.map(plain).joined(separator: ",") + "]"
    case let values as NSDictionary: members(values.map { ("\($0.key)", $0.value) })
    case let values as [String: Any]: members(values.map { ($0.key, $0.value) })
    case let text as NSString: "\"\(text)\""
    case let text as String: "\"\(text)\""
    case let value as NSNumber: number(value.doubleValue)
    default: "null"
    }
  }

  private static func members(_ members: [(name: String, value: Any)]) -> String {
    let texts = members.sorted { $0.name < $1.name }.map { "\($0.name):\(plain($0.value))" }
    return "{" + texts.joined(separator: ",") + "}"
  }

  private static func number(_ value: Double) -> String { "\(value)" }
}
