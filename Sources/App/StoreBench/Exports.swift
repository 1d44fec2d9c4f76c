// Re-exports the modules for workload kinds, so that packages with their own kinds need one import.
@_exported import PersistentStore
@_exported import Runner
