// Re-exports these modules, so that packages with their own workload kinds import only this module.
@_exported import PersistentStore
@_exported import Runner
