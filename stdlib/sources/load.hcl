# Rows on their way into the table: read once, in order of their partition, and of no use afterwards.
partitions         = var.partitions
replication_factor = { at_most = 3 }
retention          = "1d"

config = {
  "compression.type"               = "producer"
  "cleanup.policy"                 = "delete"
  "unclean.leader.election.enable" = false
}
