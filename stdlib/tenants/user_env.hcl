authentication "sha256_password" {
  secret_env = each.value.secret.name
}

roles = ["${each.key}__reader"]
