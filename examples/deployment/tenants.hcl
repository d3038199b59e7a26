# Who may read, what, and how much of it.
tier "standard" {
  hour = { queries = 5000, read_rows = 50e9 }
  day  = { execution_time = 7200 }
}

tier "analyst" {
  hour = { queries = 20000, read_rows = 500e9 }
}

organisation "acme" {
  tier       = "standard"
  secret_env = "ACME_PASSWORD"
}

organisation "globex" {
  tier       = "standard"
  secret_env = "GLOBEX_PASSWORD"
}

# Those who watch over both.
group "security_operations" {
  tier          = "analyst"
  organisations = ["acme", "globex"]
  secret_env    = "SECURITY_OPERATIONS_PASSWORD"
}
