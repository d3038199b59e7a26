# The newest state of each source, by its id: reload, pause, resume. One partition keeps the order of all of them.
partitions         = 1
replication_factor = { at_most = 3 }

config = {
  "cleanup.policy"                 = "compact"
  "unclean.leader.election.enable" = false
}
