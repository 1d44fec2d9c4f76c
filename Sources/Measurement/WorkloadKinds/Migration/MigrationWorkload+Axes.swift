import PersistentStore
import Runner

extension MigrationWorkload {
  package static let axes: [Axis] = [
    Axis.choice("strategy", MigrationParameters.Strategy.self, "how objects get to the new model"),
    Axis.choice("shape", LightweightMigration.Shape.self, "how tables get their new columns"),
    Axis.choice("engine", MigrationParameters.Engine.self, "what reads and writes the objects"),
    Axis("from", .path, default: .text(""), "a model that the store is brought to before"),
    Axis(
      "to",
      .path,
      default: .text(""),
      "the model to migrate to, or a store that has it; +ENTITY adds an attribute to your own model"
    ),
    Axis.choice("path", MigrationParameters.Path.self, "which versions are gone through"),
    Axis("via", .paths, default: .list([]), "the versions on the way, or that a plan knows"),
    Axis(
      "wrapper",
      .boolean,
      default: .boolean(false),
      "whether a release before gave the store's own model a version"
    ),
    Axis.choice(
      "duplicates",
      MigrationParameters.Duplicates.self,
      "what becomes of objects that break new unique constraints"
    ),
    Axis.choice("survivor", SurvivorRule.self, "which of several duplicates stays"),
    Axis("newestBy", .name, default: .text(""), "the date that says which object is the newest"),
    Axis.choice("children", MigrationParameters.Children.self, "what becomes of their children"),
    Axis.choice("saves", MigrationParameters.Saves.self, "how often copies are saved"),
    Axis("batchSize", .integer(1...1_000_000), default: .integer(1000), "objects a save"),
    Axis.choice("hook", MigrationParameters.Hook.self, "when a custom stage transforms values"),
    Axis("entity", .name, default: .text(""), "the entity whose values are transformed"),
    Axis("attribute", .name, default: .text(""), "the attribute that is transformed"),
    Axis.choice("transformation", ValueTransformation.self, "what is done to its values"),
    Axis.choice("backup", StoreBackup.Method.self, "how the store is copied before"),
    Axis(
      "rollback",
      .boolean,
      default: .boolean(false),
      "whether the backup is put back at the end"
    ),
    Axis.choice(
      "onNil",
      MigrationParameters.MissingValues.self,
      "what is done about missing values that the new model requires"
    ),
    Axis.choice("history", MigrationParameters.History.self, "whether a new store keeps history"),
    Axis.choice("export", MigrationParameters.ExportFormat.self, "how an export is written"),
    Axis.choice("check", MigrationParameters.Check.self, "how the app itself checks the result"),
    Axis(
      "swap",
      .boolean,
      default: .boolean(false),
      "whether the new store takes the old one's place"
    ),
    Axis.choice("thread", MainLoop.Place.self, "where the main loop is meanwhile"),
    Axis("beside", .name, default: .text(""), "the old attribute that an additive one is made of"),
    Axis.choice(
      "dropped",
      MigrationParameters.Dropped.self,
      "what becomes of your store's values that the new model has no place for"
    ),
  ]
}
