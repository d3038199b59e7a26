# Rows on their way into ClickHouse: read once, in order of their partition, and of no use afterwards. A day is how long
# ClickHouse may be away.
partitions         = 12
replication_factor = { at_most = 3 }
retention          = "1d"

config = {
  "compression.type"               = "producer"
  "cleanup.policy"                 = "delete"
  "unclean.leader.election.enable" = false
}
