# What could not be parsed or loaded, with the reason beside it. People read it, so it is kept for long; without it such
# records would be lost, so the engine is not ready while it cannot be created.
partitions         = 3
replication_factor = { at_most = 3 }
retention          = "30d"
dead_letter        = true

config = {
  "cleanup.policy"                 = "delete"
  "compression.type"               = "zstd"
  "unclean.leader.election.enable" = false
}
