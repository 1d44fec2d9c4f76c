import PersistentStore

/// What fills a column of an entity's table for the rows of one concrete entity.
enum ColumnSource: Sendable {
  /// The property belongs to another entity of the table.
  case null
  case attribute(AttributeSource)
  /// Blobs behind external storage's prefix, in files where they are larger than the threshold.
  case external(AttributeSource, threshold: Int)
  /// The name of an app's file, which is written as well.
  case file(AttributeSource)
  /// The key of a to-one's target.
  case key(RelationshipSource)
  /// The entity number of a to-one's target.
  case entityNumber(RelationshipSource)
  /// The order key of a child among its siblings.
  case order(RelationshipSource)
  /// A column that holds something else in a few rows.
  indirect case changed(ColumnSource, PropertyChanges, PropertyChanges.Part)
}

/// Order keys as the frameworks give them: 2048 first, then 1024 more each
/// (coredata-format.md, section 4).
func orderKey(position: Int) -> Int64 { 2_048 + 1_024 * Int64(position) }
