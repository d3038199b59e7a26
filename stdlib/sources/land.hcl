# What arrives is written here first, as it arrived. It outlives an outage of all that reads it.
partitions         = var.partitions
replication_factor = { at_most = 3 }
retention          = "3d"
landing            = true

config = {
  "compression.type"               = "producer"
  "cleanup.policy"                 = "delete"
  "unclean.leader.election.enable" = false
}
