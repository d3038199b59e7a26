# What arrives is written here first, as it arrived, before anything looks inside it. It outlives an outage of all that
# reads it; DFE_ENGINE_KAFKA_TIERED_STORAGE moves its older segments out of the brokers.
partitions         = 12
replication_factor = { at_most = 3 }
retention          = "3d"
landing            = true

config = {
  # Producers compress: what they send is kept as it is, and no broker spends time on it.
  "compression.type"               = "producer"
  "cleanup.policy"                 = "delete"
  "unclean.leader.election.enable" = false
}
